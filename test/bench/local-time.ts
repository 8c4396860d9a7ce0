import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { chanceFrom } from "./forecast-traces";
import { table } from "./report";

/** As in the controller: slots of five minutes. */
const settings: Settings = { model: "auto", step: 300_000, horizon: 3, quantile: 0.9 };
const slotsADay = 288;
const dayMilliseconds = 86_400_000;
/** Days of stored history. */
const storedDays = 28;

/** A change of the clocks, and by how many hours they are ahead of UTC before and after. */
interface ClockChange {
  at: number;
  before: number;
  after: number;
}

/** The changes of the clocks in Berlin. */
export const changes: Record<"spring" | "autumn", ClockChange> = {
  spring: { at: Date.UTC(2026, 2, 29, 1), before: 1, after: 2 },
  autumn: { at: Date.UTC(2026, 9, 25, 1), before: 2, after: 1 },
};

/** The days that are judged apart, by midnights (UTC) after the change. */
const parts = {
  "week before": [-7, -1],
  "day of it": [0, 0],
  "day after": [1, 1],
  "2 to 7 days after": [2, 7],
} as const;

/** Errors in units of the mean change from slot to slot. */
interface Figures {
  mase: number;
  pinball: number;
}

/**
 * A made-up load of Berlin: it rises at eight and falls at eighteen by the clock on the wall, less at weekends.
 * @param begins epoch milliseconds of the first slot
 */
export function berlinLoads(change: ClockChange, begins: number, slots: number): number[] {
  const chance = chanceFrom(1);
  let noise = 0;
  return Array.from({ length: slots }, (_, slot) => {
    const at = begins + slot * settings.step;
    const local = new Date(at + 3_600_000 * (at < change.at ? change.before : change.after));
    const hour = local.getUTCHours() + local.getUTCMinutes() / 60;
    const weekend = [0, 6].includes(local.getUTCDay());
    noise = 0.9 * noise + 0.01 * chance.normal();
    return (100 + (weekend ? 200 : 900) * (rise(hour - 8) - rise(hour - 18))) * (1 + noise);
  });
}

/** From 0 to 1 within about an hour and a half. */
const rise = (hours: number): number => 1 / (1 + Math.exp(-4 * hours));

/** Prints the errors around both changes of the clocks, without and with forecast.timezone. */
export function measureLocalTime(): string {
  const errors: string[][] = [];
  const losses: string[][] = [];
  for (const [season, change] of Object.entries(changes)) {
    const begins = Math.floor(change.at / dayMilliseconds) * dayMilliseconds - (storedDays + 7) * dayMilliseconds;
    const loads = berlinLoads(change, begins, (storedDays + 7 + 8) * slotsADay + settings.horizon);
    const [without, withZone] = [undefined, "Europe/Berlin"].map(timezone =>
      figuresOf(loads, { ...settings, ...(timezone && { timezone }) }, begins),
    );
    const row = (figure: keyof Figures): string[] =>
      Object.keys(parts).flatMap((_, part) => [text(without?.[part]?.[figure]), text(withZone?.[part]?.[figure])]);
    errors.push([season, ...row("mase")]);
    losses.push([season, ...row("pinball")]);
  }
  const titled = (figure: string): string[] => [
    "",
    ...Object.keys(parts).flatMap(part => [`${part}\n${figure}`, "with zone"]),
  ];
  return `${table(titled("MASE h3"), errors)}\n${table(titled("pinball q90"), losses)}`;
}

const text = (figure = NaN): string => figure.toFixed(3);

/**
 * The errors of the days of each part, three steps ahead.
 * @param begins epoch milliseconds of the first load
 */
function figuresOf(loads: number[], settings: Settings, begins: number): Figures[] {
  const ranges = Object.values(parts);
  const from = storedDays * slotsADay;
  const grid = { at: (slot: number) => loads[slot] ?? NaN };
  const forecaster = runSlices(Forecaster.replay(settings, loads.slice(0, from), grid, [], begins));
  const history = loads.slice(1, from).map((load, slot) => Math.abs(load - (loads[slot] ?? NaN)));
  const scale = history.reduce((sum, change) => sum + change, 0) / history.length;
  const sums = ranges.map(() => ({ error: 0, loss: 0, count: 0 }));
  for (let slot = from; slot + settings.horizon < loads.length; slot++) {
    runSlices(forecaster.observeAll([loads[slot] ?? NaN]));
    const outlook = forecaster.forecast();
    if (!outlook) throw new Error("there is no forecast");
    const target = slot + settings.horizon;
    const day = Math.floor(target / slotsADay) - storedDays - 7;
    const load = loads[target] ?? NaN;
    const above = load - (outlook.uppers.at(-1) ?? NaN);
    ranges.forEach(([first, last], which) => {
      const sum = sums[which];
      if (!sum || day < first || day > last) return;
      sum.error += Math.abs((outlook.loads.at(-1) ?? NaN) - load);
      sum.loss += Math.max(settings.quantile * above, (settings.quantile - 1) * above);
      sum.count++;
    });
  }
  return sums.map(({ error, loss, count }) => ({ mase: error / count / scale, pinball: loss / count / scale }));
}
