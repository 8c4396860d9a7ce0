import { boost, valueOfTrees, type Trees } from "./boost";
import type { Effort, Expert } from "./expert";
import { columnsOf, shortReach, writeFeatures } from "./lag-features";
import type { Loads } from "./loads";
import { ridge, spareRows, valueOf, widthOf, type Linear, type Table } from "./ridge";
import type { Seasons } from "./seasons";
import type { Work } from "./work";

const penalty = 1e-3;
/** Robust standard deviations from which on a residual counts less. */
const tolerance = 2;
/** Rows that a regression wants at least, that trees want at least, and that are looked at at most. */
const fewest = 60;
const fewestForTrees = 250;
const most = 4032;
/** So many rows are written in one go. */
const piece = 512;
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

/**
 * Regression of the change from the newest load on lags, seasonal lags and harmonics, one for each of some steps ahead:
 * 1, 2, 3, 4, 6, 8, 12, 16, 24 …; those between are on the line between their neighbours. Shrunk towards no change.
 * (Direct forecasts by linear regression: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, chapter 7; harmonics: 7.4.)
 */
export class Lags implements Expert {
  readonly name = "lags";
  /** The same, plus boosted trees for what the regression leaves. */
  readonly boosted: Expert = { name: "boosted", predict: (loads, into) => this.#predict(loads, into, withTrees) };
  readonly #steps: number[];
  readonly #fits: (Fit | undefined)[];

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
  refit(loads: Loads, effort: Effort): Work | undefined {
    if (effort === "state") return undefined;
    const every = this.every * (effort === "live" ? 1 : seldom);
    const due = this.#due(loads.count, every, fit => fit !== undefined, 0);
    if (due >= 0) return this.#regress(loads, due);
    if (!this.boosting) return undefined;
    const which = this.#due(loads.count, every * treesEvery, fit => fit?.trees !== undefined, 0.5);
    return which >= 0 ? this.#grow(loads, which) : undefined;
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

  *#regress(loads: Loads, which: number): Work {
    const steps = this.#steps[which] ?? 1;
    const before = this.#fits[which];
    const seasons = seasonsIn(loads, this.seasons);
    const same = before?.weights.length === columnsOf(seasons) ? before : undefined;
    const base = same?.base ?? meanOf(loads);
    const table = yield* tableOf(loads, steps, seasons, base);
    if (table.rows >= fewest) {
      const fit = yield* ridge(table, penalty, tolerance, same);
      this.#fits[which] = { ...fit, steps, seasons, base, trees: same?.trees };
    }
    spare.push(table.values);
  }

  /** Trees for what a regression leaves, where there are rows enough. */
  *#grow(loads: Loads, which: number): Work {
    const fit = this.#fits[which];
    if (!fit) return;
    const table = yield* tableOf(loads, fit.steps, fit.seasons, fit.base, treesStride);
    if (table.rows >= fewestForTrees) fit.trees = yield* boost(table, residualsOf(table, fit));
    spare.push(table.values);
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

function residualsOf({ columns, rows, values }: Table, fit: Fit): Float64Array {
  const width = widthOf(columns);
  const residual = (row: number): number => (values[row * width + columns] ?? NaN) - valueOf(fit, values, row * width);
  return Float64Array.from({ length: rows }, (_, row) => residual(row));
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

function meanOf(loads: Loads): number {
  let [sum, count] = [0, 0];
  for (let slots = loads.length - 1; slots >= 0; slots--) {
    const load = loads.ago(slots);
    if (Number.isNaN(load)) continue;
    sum += load;
    count++;
  }
  return sum / Math.max(1, count);
}

/** The numbers of tables that are done with: a table is large, and there is seldom more than one. */
const spare: Float64Array[] = [];

/** A row for each of the newest origins (or one in `stride`) whose target is known and whose features all are. */
function* tableOf(loads: Loads, steps: number, seasons: Seasons, base: number, stride = 1): Work<Table> {
  const { count, length } = loads;
  const columns = columnsOf(seasons);
  const width = widthOf(columns);
  const place = (Math.min(most, length) + spareRows) * width;
  let values = spare.pop() ?? new Float64Array(place);
  if (values.length < place) values = new Float64Array(place);
  const earliest = count - Math.min(length - shortReach, steps + most);
  let [rows, written] = [0, 0];
  for (let slot = count - 1 - steps; slot >= earliest; slot -= stride) {
    if (++written % piece === 0) yield;
    const from = rows * width;
    const change = loads.at(slot + steps) - loads.at(slot);
    if (Number.isNaN(change)) continue;
    writeFeatures(loads, slot, steps, seasons, base, values, from);
    values[from + columns] = change;
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
  writeFeatures(loads, loads.count - 1, steps, seasons, base, row, 0);
  return row;
}
