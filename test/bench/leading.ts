import Table from "cli-table3";
import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { chanceFrom } from "./forecast-traces";

/** As in the controller: slots of five minutes. */
const settings: Settings = { model: "auto", step: 300_000, horizon: 3, quantile: 0.9 };
const slotsADay = 288;
const days = 15;
/** Days that are forecast, after those that are stored history. */
const judgedDays = 3;

/** Slots by which each service is behind the gateway. */
const chain = { service: 4, workers: 8 };

interface Figures {
  /** Mean absolute error at the last step, in units of the mean change from slot to slot. */
  mase: number;
  /** The share of the forecasts in which the model "leading" weighs most. */
  share: number;
}

/**
 * A made-up chain: a gateway whose load has no rhythm, a service that gets a part of it 20 minutes later, and workers
 * that get it after 40. Prints the errors of the two without a leader, with it, and with a leader that says nothing.
 */
export function measureLeading(): string {
  const slots = days * slotsADay;
  const gateway = walk(slots, 1);
  const other = walk(slots, 2);
  const table = new Table({
    head: ["", "without leader\nMASE h3", "led\nMASE h3", "weighs most\n%", "by a useless leader\nMASE h3"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  for (const [name, lead] of Object.entries(chain)) {
    const load = behind(gateway, lead);
    const [alone, led, misled] = [[], [gateway], [other]].map(leaders => figuresOf(load, leaders));
    table.push([
      `${name}, ${lead * 5} min behind`,
      ...[alone?.mase, led?.mase].map(text),
      (100 * (led?.share ?? NaN)).toFixed(0),
      text(misled?.mase),
    ]);
  }
  return table.toString();
}

const text = (figure = NaN): string => figure.toFixed(3);

/** A random walk that stays above 0. */
function walk(slots: number, seed: number): number[] {
  const chance = chanceFrom(seed);
  let load = 1000;
  return Array.from({ length: slots }, () => (load = Math.max(100, load * (1 + 0.03 * chance.normal()))));
}

/** A part of a load some slots later, with 2 % of noise. */
function behind(gateway: number[], lead: number): number[] {
  const chance = chanceFrom(3);
  return gateway.map((_, slot) => 0.4 * (gateway[slot - lead] ?? 1000) * (1 + 0.02 * chance.normal()));
}

function figuresOf(loads: number[], leaders: number[][]): Figures {
  const from = loads.length - judgedDays * slotsADay;
  const stored = [loads, ...leaders].map(of => ({ at: (slot: number) => of[slot] ?? NaN }));
  const forecaster = runSlices(Forecaster.replay(settings, loads.slice(0, from), stored[0], stored.slice(1)));
  let [error, change, led, count] = [0, 0, 0, 0];
  for (let slot = from; slot + settings.horizon < loads.length; slot++) {
    runSlices(forecaster.observeAll([loads[slot] ?? NaN]));
    const outlook = forecaster.forecast();
    if (!outlook) throw new Error("there is no forecast");
    error += Math.abs((outlook.loads.at(-1) ?? NaN) - (loads[slot + settings.horizon] ?? NaN));
    change += Math.abs((loads[slot + 1] ?? NaN) - (loads[slot] ?? NaN));
    if (outlook.model === "leading") led++;
    count++;
  }
  return { mase: error / change, share: led / count };
}
