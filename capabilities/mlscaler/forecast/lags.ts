import type { Effort, Expert } from "./expert";
import { columnsOf, shortReach, writeFeatures } from "./lag-features";
import type { Loads } from "./loads";
import { ridge, spareRows, valueOf, widthOf, type Linear, type Table } from "./ridge";
import type { Seasons } from "./seasons";

const penalty = 1e-3;
/** Robust standard deviations from which on a residual counts less. */
const tolerance = 2;
/** Rows that a fit wants at least, and looks at at most. */
const fewest = 60;
const most = 4032;

interface Fit extends Linear {
  seasons: Seasons;
  base: number;
}

/**
 * Regression of the change from the newest load on lags, seasonal lags and harmonics, one for each of some steps ahead:
 * 1, 2, 3, 4, 6, 8, 12, 16, 24 …; those between are on the line between their neighbours. Shrunk towards no change.
 */
export class Lags implements Expert {
  readonly name = "lags";
  readonly #steps: number[];
  readonly #fits: (Fit | undefined)[];

  constructor(
    readonly seasons: Seasons,
    readonly horizon: number,
    /** Slots between two fits. */
    readonly every: number,
  ) {
    this.#steps = fittedSteps(horizon);
    this.#fits = this.#steps.map(() => undefined);
  }

  /** One fit a slot at most: those of the steps take turns. */
  learn(loads: Loads, effort: Effort): void {
    if (effort === "state") return;
    const every = effort === "live" ? this.every : this.every * 8;
    const missing = this.#fits.indexOf(undefined);
    const turn = this.#steps.findIndex((_, which) => {
      return loads.count % every === Math.floor((which * every) / this.#steps.length);
    });
    for (const which of new Set([missing, turn])) {
      const steps = this.#steps[which];
      if (steps) this.#fits[which] = this.#fit(loads, steps, this.#fits[which]) ?? this.#fits[which];
    }
  }

  predict(loads: Loads, into: Float64Array): void {
    into.fill(NaN);
    let [lastStep, lastLoad] = [0, loads.newest];
    this.#steps.forEach((steps, which) => {
      const fit = this.#fits[which];
      const load = fit ? forecast(loads, steps, fit) : NaN;
      for (let step = lastStep + 1; step <= Math.min(steps, into.length); step++) {
        into[step - 1] = lastLoad + ((load - lastLoad) * (step - lastStep)) / (steps - lastStep);
      }
      [lastStep, lastLoad] = [steps, load];
    });
  }

  #fit(loads: Loads, steps: number, before: Fit | undefined): Fit | undefined {
    const seasons = seasonsIn(loads, this.seasons);
    const same = before?.weights.length === columnsOf(seasons) ? before : undefined;
    const base = same?.base ?? meanOf(loads.all);
    const table = tableOf(loads, steps, seasons, base);
    if (table.rows < fewest) return undefined;
    return { ...ridge(table, penalty, tolerance, same), seasons, base };
  }
}

/** Which steps ahead are fitted: all up to 4, then ever more seldom, the last one always. */
function fittedSteps(horizon: number): number[] {
  const steps: number[] = [];
  for (let step = 1, stride = 1; step < horizon; step += stride) {
    steps.push(step);
    if (step >= 4 * stride) stride *= 2;
  }
  return [...steps, horizon];
}

/** Seasons that the loads hold twice: with less, their features have nothing to be fitted on. */
function seasonsIn(loads: Loads, { day, week }: Seasons): Seasons {
  const held = (season?: number): number | undefined => (season && loads.length >= 2 * season ? season : undefined);
  return { day: held(day), week: held(week) };
}

function meanOf(loads: Float32Array): number {
  let [sum, count] = [0, 0];
  for (const load of loads) {
    if (Number.isNaN(load)) continue;
    sum += load;
    count++;
  }
  return sum / Math.max(1, count);
}

/** Grown as needed and used by one fit at a time: a table is large, and no fit is interrupted. */
let values = new Float64Array(0);

/** A row for each of the newest origins whose target is known and whose features all are. */
function tableOf(loads: Loads, steps: number, seasons: Seasons, base: number): Table {
  const all = loads.all;
  const first = loads.count - all.length;
  const columns = columnsOf(seasons);
  const width = widthOf(columns);
  const place = (Math.min(most, all.length) + spareRows) * width;
  if (values.length < place) values = new Float64Array(place);
  let rows = 0;
  for (let index = all.length - 1 - steps; index >= shortReach && rows < most; index--) {
    const from = rows * width;
    writeFeatures(all, index, first + index, steps, seasons, base, values, from);
    values[from + columns] = (all[index + steps] ?? NaN) - (all[index] ?? NaN);
    values[from + columns + 1] = 1;
    let sum = 0;
    for (let column = 0; column < width; column++) sum += values[from + column] ?? NaN;
    if (!Number.isNaN(sum)) rows++;
  }
  // What is left of a row with a gap.
  values.fill(0, rows * width, (rows + spareRows) * width);
  return { columns, rows, values };
}

const row = new Float64Array(64);

function forecast(loads: Loads, steps: number, fit: Fit): number {
  const all = loads.all;
  writeFeatures(all, all.length - 1, loads.count - 1, steps, fit.seasons, fit.base, row, 0);
  return loads.newest + valueOf(fit, row);
}
