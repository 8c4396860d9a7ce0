import { boost, valueOfTrees, type Trees } from "./boost";
import type { Effort, Expert } from "./expert";
import { columnsOf, shortReach, writeFeatures } from "./lag-features";
import type { Loads } from "./loads";
import { ridge, spareRows, valueOf, widthOf, type Linear, type Table } from "./ridge";
import type { Seasons } from "./seasons";

const penalty = 1e-3;
/** Robust standard deviations from which on a residual counts less. */
const tolerance = 2;
/** Rows that a regression wants at least, that trees want at least, and that are looked at at most. */
const fewest = 60;
const fewestForTrees = 250;
const most = 4032;
/** Neighbours tell nearly the same: trees look at one in so many rows. */
const treesStride = 2;
/** Trees are grown anew at every so many fits of the regression; from stored history fits are so many times rarer. */
const treesEvery = 6;
const seldom = 8;

/** What was fitted for a number of steps ahead. */
interface Fit extends Linear {
  steps: number;
  seasons: Seasons;
  base: number;
  /** Fitted to what the regression leaves. */
  trees?: Trees;
}

/** Trees that are being grown for one of the fits, a piece a slot. */
interface Growing {
  which: number;
  /** Features of the rows that they are grown on. */
  columns: number;
  work: Generator<void, Trees>;
}

/**
 * Regression of the change from the newest load on lags, seasonal lags and harmonics, one for each of some steps ahead:
 * 1, 2, 3, 4, 6, 8, 12, 16, 24 …; those between are on the line between their neighbours. Shrunk towards no change.
 */
export class Lags implements Expert {
  readonly name = "lags";
  /** The same, plus boosted trees for what the regression leaves. */
  readonly boosted: Expert = { name: "boosted", predict: (loads, into) => this.#predict(loads, into, withTrees) };
  readonly #steps: number[];
  readonly #fits: (Fit | undefined)[];
  #growing?: Growing;

  constructor(
    readonly seasons: Seasons,
    readonly horizon: number,
    /** Slots between two fits. */
    readonly every: number,
    /** Whether `boosted` is wanted. */
    readonly boosting = false,
    /** Slots by which its fits are put off. */
    readonly phase = 0,
  ) {
    this.#steps = fittedSteps(horizon);
    this.#fits = this.#steps.map(() => undefined);
  }

  /** The steps take turns, and so do regression and trees, so that no slot has much to do. */
  learn(loads: Loads, effort: Effort): void {
    if (effort === "state") return;
    const every = this.every * (effort === "live" ? 1 : seldom);
    const due = this.#due(loads.count, every, fit => fit !== undefined, 0);
    if (due >= 0) this.#fits[due] = this.#regress(loads, this.#steps[due] ?? 1, this.#fits[due]);
    else if (this.#growing) this.#grow(this.#growing);
    else if (this.boosting) {
      const which = this.#due(loads.count, every * treesEvery, fit => fit?.trees !== undefined, 0.5);
      const fit = this.#fits[which];
      const work = fit && treesFor(loads, fit);
      if (work) this.#grow((this.#growing = { which, columns: fit.weights.length, work }));
    }
  }

  #grow({ which, columns, work }: Growing): void {
    const piece = work.next();
    if (!piece.done) return;
    this.#growing = undefined;
    const fit = this.#fits[which];
    // A season that came meanwhile has features of its own.
    if (fit?.weights.length === columns) fit.trees = piece.value;
  }

  predict(loads: Loads, into: Float64Array): void {
    this.#predict(loads, into, valueOf);
  }

  /** Which of the fits has its turn: the one whose place in the period it is, or else the first that is not there; or -1. */
  #due(slot: number, period: number, there: (fit: Fit | undefined) => boolean, offset: number): number {
    const place = (which: number): number => Math.floor(((which + offset) * period) / this.#fits.length);
    const turn = this.#fits.findIndex(
      (_, which) => (slot + this.phase) % period === place(which) + (offset > 0 ? 1 : 0),
    );
    return turn >= 0 ? turn : this.#fits.findIndex(fit => !there(fit));
  }

  #regress(loads: Loads, steps: number, before: Fit | undefined): Fit | undefined {
    const seasons = seasonsIn(loads, this.seasons);
    const same = before?.weights.length === columnsOf(seasons) ? before : undefined;
    const base = same?.base ?? meanOf(loads.all);
    const table = tableOf(loads, steps, seasons, base);
    if (table.rows < fewest) return before;
    return { ...ridge(table, penalty, tolerance, same), steps, seasons, base, trees: same?.trees };
  }

  #predict(loads: Loads, into: Float64Array, change: (fit: Fit, row: Float64Array) => number): void {
    into.fill(NaN);
    let [lastStep, lastLoad] = [0, loads.newest];
    this.#steps.forEach((steps, which) => {
      const fit = this.#fits[which];
      const load = fit ? loads.newest + change(fit, rowOf(loads, fit)) : NaN;
      for (let step = lastStep + 1; step <= Math.min(steps, into.length); step++) {
        into[step - 1] = lastLoad + ((load - lastLoad) * (step - lastStep)) / (steps - lastStep);
      }
      [lastStep, lastLoad] = [steps, load];
    });
  }
}

const withTrees = (fit: Fit, row: Float64Array): number =>
  fit.trees ? valueOf(fit, row) + valueOfTrees(fit.trees, row) : NaN;

/** The growing of trees for what a regression leaves; undefined where there are too few rows. */
function treesFor(loads: Loads, fit: Fit): Generator<void, Trees> | undefined {
  const table = tableOf(loads, fit.steps, fit.seasons, fit.base, treesStride);
  if (table.rows < fewestForTrees) return undefined;
  const { columns, rows, values } = table;
  const width = widthOf(columns);
  const residuals = Float64Array.from(
    { length: rows },
    (_, row) => (values[row * width + columns] ?? NaN) - valueOf(fit, values, row * width),
  );
  return boost(table, residuals);
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

/** A row for each of the newest origins (or one in `stride`) whose target is known and whose features all are. */
function tableOf(loads: Loads, steps: number, seasons: Seasons, base: number, stride = 1): Table {
  const all = loads.all;
  const first = loads.count - all.length;
  const columns = columnsOf(seasons);
  const width = widthOf(columns);
  const place = (Math.min(most, all.length) + spareRows) * width;
  if (values.length < place) values = new Float64Array(place);
  const earliest = Math.max(shortReach, all.length - steps - most);
  let rows = 0;
  for (let index = all.length - 1 - steps; index >= earliest; index -= stride) {
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

/** The features of a forecast from the newest slot: valid until the next are asked for. */
function rowOf(loads: Loads, { steps, seasons, base }: Fit): Float64Array {
  const all = loads.all;
  writeFeatures(all, all.length - 1, loads.count - 1, steps, seasons, base, row, 0);
  return row;
}
