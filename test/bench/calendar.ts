import Table from "cli-table3";
import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { chanceFrom } from "./forecast-traces";

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

/** A Monday, and the days after it on which there is a sale: each second Friday. */
const monday = Date.UTC(2026, 4, 4);
export const sales = [4, 18, 32, 46];

/** The calendar of these sales. */
export const calendar = [
  { name: "sale", dates: sales.map(day => new Date(monday + day * dayMilliseconds).toISOString().slice(0, 10)) },
];

/** The days that are judged apart, counted from the Monday. */
const saleParts = {
  "2nd sale": [18, 18],
  "3rd sale": [32, 32],
  "4th sale": [46, 46],
  "days after the sales": [19, 19, 33, 33, 47, 47],
  "Fridays after": [25, 25, 39, 39],
  "all ordinary days": [19, 31, 33, 45, 47, 47],
};

/** A made-up load of an office, with a peak at noon and one in the evening on days of a sale. */
export function saleLoads(days: number, hasSales = true): number[] {
  const chance = chanceFrom(1);
  let noise = 0;
  return Array.from({ length: days * slotsADay }, (_, slot) => {
    const [day, hour] = [Math.floor(slot / slotsADay), (slot % slotsADay) / 12];
    noise = 0.9 * noise + 0.01 * chance.normal();
    const usual = 100 + (day % 7 > 4 ? 200 : 900) * (rise(hour - 8) - rise(hour - 18));
    const peaks = 900 * (rise(hour - 10) - rise(hour - 12)) + 1200 * (rise(hour - 19) - rise(hour - 22));
    return (usual + (hasSales && sales.includes(day) ? peaks : 0)) * (1 + noise);
  });
}

/** Prints the errors around both changes of the clocks, without and with forecast.timezone; then those of sales. */
export const measureCalendar = (): string => `${measureZones()}\n${measureSales()}`;

/** The errors on days of a sale and on others, without and with forecast.calendar, and of a calendar without sales. */
function measureSales(): string {
  const ranges = Object.values(saleParts);
  const table = new Table({
    head: ["MASE h3 / pinball q90", "without", "with calendar", "no sales, without", "no sales, with calendar"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [], compact: true },
  });
  const columns = [true, false].flatMap(hasSales => {
    const loads = saleLoads(48, hasSales);
    return [settings, { ...settings, calendar }].map(set => figuresOf(loads, set, monday, ranges, 0, 17));
  });
  Object.keys(saleParts).forEach((part, row) => {
    table.push([part, ...columns.map(figures => `${text(figures[row]?.mase)} / ${text(figures[row]?.pinball)}`)]);
  });
  return table.toString();
}

function measureZones(): string {
  const table = new Table({
    head: ["", ...Object.keys(parts).flatMap(part => [`${part}\nMASE h3`, "with zone"])],
    colAligns: ["left", ...Object.keys(parts).flatMap(() => ["right", "right"] as const)],
    style: { head: [], border: [], compact: true },
  });
  const losses = new Table({
    head: ["", ...Object.keys(parts).flatMap(part => [`${part}\npinball q90`, "with zone"])],
    colAligns: ["left", ...Object.keys(parts).flatMap(() => ["right", "right"] as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const [season, change] of Object.entries(changes)) {
    const begins = Math.floor(change.at / dayMilliseconds) * dayMilliseconds - (storedDays + 7) * dayMilliseconds;
    const loads = berlinLoads(change, begins, (storedDays + 7 + 8) * slotsADay + settings.horizon);
    const [without, withZone] = [undefined, "Europe/Berlin"].map(timezone =>
      figuresOf(loads, { ...settings, ...(timezone && { timezone }) }, begins, Object.values(parts), storedDays + 7),
    );
    const row = (figure: keyof Figures): string[] =>
      Object.keys(parts).flatMap((_, part) => [text(without?.[part]?.[figure]), text(withZone?.[part]?.[figure])]);
    table.push([season, ...row("mase")]);
    losses.push([season, ...row("pinball")]);
  }
  return `${table.toString()}\n${losses.toString()}`;
}

const text = (figure = NaN): string => figure.toFixed(3);

/**
 * The errors in ranges of days, three steps ahead.
 * @param begins epoch milliseconds of the first load
 * @param ranges pairs of a first and a last day, counted from `zero`
 * @param stored days of stored history
 */
function figuresOf(
  loads: number[],
  settings: Settings,
  begins: number,
  ranges: (readonly number[])[],
  zero: number,
  stored = storedDays,
): Figures[] {
  const from = stored * slotsADay;
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
    const day = Math.floor(target / slotsADay) - zero;
    const load = loads[target] ?? NaN;
    const above = load - (outlook.uppers.at(-1) ?? NaN);
    ranges.forEach((range, which) => {
      const sum = sums[which];
      if (!sum || !range.some((first, at) => at % 2 === 0 && day >= first && day <= (range[at + 1] ?? first))) return;
      sum.error += Math.abs((outlook.loads.at(-1) ?? NaN) - load);
      sum.loss += Math.max(settings.quantile * above, (settings.quantile - 1) * above);
      sum.count++;
    });
  }
  return sums.map(({ error, loss, count }) => ({ mase: error / count / scale, pinball: loss / count / scale }));
}
