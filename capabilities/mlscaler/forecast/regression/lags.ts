import { boost, valueOfTrees, type Trees } from "./boost";
import type { Expert, Refits } from "../models/expert";
import { columnsOf, leaderColumns, shortReach, writeFeatures, writeLeaderFeatures } from "./lag-features";
import type { Loads, SlotLoads } from "../loads";
import { type LocalTime, utc } from "../local-time";
import { ridge, rowsPerSlice, spareRows, valueOf, widthOf, type Linear, type Table } from "./ridge";
import type { Seasons } from "../seasons";
import type { Sliced } from "../sliced";

const penalty = 1e-3;
/** Robust standard deviations beyond which a residual weighs less. */
const tolerance = 2;
/** The fewest rows of a regression. */
const fewest = 60;
const fewestForTrees = 250;
/** The newest slots that either learns from: two weeks of five minutes. */
const most = 4032;
/** The rows of a regression in a replay. Within an hour, a live refit takes all. */
const mostReplayed = 800;
/** Refits of the regression for each refit of the trees. */
const treesEvery = 9;
/**
 * The factors of the time between refits: of a live forecast with less than a week of history, where an hour adds much,
 * of one with more, and of a replay, which scores few forecasts.
 */
const rarities = { live: { young: 1, old: 8 }, seldom: { young: 8, old: 24 * 7 } };

interface Fit extends Linear {
  steps: number;
  seasons: Seasons;
  /** A known load, which the features subtract, so that squares of high loads keep their precision. */
  base: number;
  /** The leading loads that are known, each with such a load. */
  leaders: readonly Leader[];
  time: LocalTime;
  /** Whether a replay fitted it, to a part of the slots. */
  replayed: boolean;
  /** Trees fitted to the residuals of the regression. */
  trees?: Trees;
}

/** A leading load, slot by slot with the forecast load, and a known load of it, which the features subtract. */
interface Leader {
  loads: Loads;
  base: number;
}

type Features = Pick<Fit, "steps" | "seasons" | "base" | "leaders" | "time">;

/**
 * Direct forecasts by ridge regression of the change from the newest load on lags, seasonal lags and harmonics (Hyndman
 * and Athanasopoulos, Forecasting: Principles and Practice, chapter 7; harmonics: 7.4). There is one regression for
 * each of the steps 1, 2, 3, 4, 6, 8, 12, 16, 24 … and the last one. Steps in between are interpolated.
 * With leading loads, their lags are features, too. A refit uses those that are known; while one of these is unknown,
 * there is no forecast.
 */
export class Lags implements Expert {
  readonly name: string;
  /** The same regressions plus boosted trees fitted to their residuals. */
  readonly boosted: Expert = { name: "boosted", predict: (loads, into) => this.#predict(loads, into, withTrees) };
  readonly #steps: number[];
  readonly #fits: (Fit | undefined)[];

  constructor(
    readonly seasons: Seasons,
    readonly horizon: number,
    /** Slots between two refits of one regression, while the history is short. */
    readonly every: number,
    /** Whether to grow the trees of `boosted`. */
    readonly boosting = false,
    /** Slots that shift all refits. */
    readonly phase = 0,
    /** The leading loads. Absent: the load is forecast from itself alone. */
    readonly leaders?: readonly Loads[],
    readonly time: LocalTime = utc,
  ) {
    this.name = leaders ? "leading" : "lags";
    this.#steps = fittedSteps(horizon);
    this.#fits = this.#steps.map(() => undefined);
  }

  /** Regressions and trees take turns: at most one of them is refitted in a slot. */
  refit(loads: Loads, refits: Refits): Sliced | undefined {
    const age = loads.length < most / 2 ? "young" : "old";
    const every = this.every * rarities[refits][age];
    // After a start, the phases spread the first live fits and trees of all loads over an hour.
    const waits = refits === "seldom" || (loads.count + this.phase) % this.every >= this.every / 3;
    const due = this.#due(loads.count, every, fit => fit !== undefined && (waits || !fit.replayed), 0);
    if (due >= 0) return this.#regress(loads, due, refits);
    if (!this.boosting || refits === "seldom") return undefined;
    const which = this.#due(loads.count, every * treesEvery, fit => waits || fit?.trees !== undefined, 0.5);
    return which >= 0 ? this.#grow(loads, which) : undefined;
  }

  predict(loads: Loads, into: Float64Array): void {
    this.#predict(loads, into, valueOf);
  }

  /** The index of the fit that is due: the fit whose turn it is, or else the first missing fit; -1 without either. */
  #due(slot: number, period: number, there: (fit: Fit | undefined) => boolean, offset: number): number {
    const place = (which: number): number => Math.floor(((which + offset) * period) / this.#fits.length);
    const turn = this.#fits.findIndex(
      (_, which) => (slot + this.phase) % period === place(which) + (offset > 0 ? 1 : 0),
    );
    return turn >= 0 ? turn : this.#fits.findIndex(fit => !there(fit));
  }

  /** Refits one regression, from its last weights when the seasons are the same. */
  *#regress(loads: Loads, which: number, refits: Refits): Sliced {
    const steps = this.#steps[which] ?? 1;
    const before = this.#fits[which];
    const seasons = seasonsIn(loads, this.seasons);
    const known = this.leaders?.filter(leader => !Number.isNaN(leader.newest)) ?? [];
    if (this.leaders && known.length === 0) return;
    const same = before && hasFeatures(before, seasons, known) ? before : undefined;
    const base = same?.base ?? loads.ago(loads.gap);
    const leaders = same?.leaders ?? known.map(leader => ({ loads: leader, base: leader.newest }));
    const features = { steps, seasons, base, leaders, time: this.time };
    const replayed = refits === "seldom";
    const table = yield* tableOf(loads, features, replayed ? mostReplayed : most);
    if (table.rows >= fewest) {
      const fit = yield* ridge(table, penalty, tolerance, same);
      this.#fits[which] = { ...fit, ...features, replayed, trees: same?.trees };
    }
    spare.push(table.values);
  }

  /** Refits the trees of one regression, when there are enough rows. */
  *#grow(loads: Loads, which: number): Sliced {
    const fit = this.#fits[which];
    if (!fit) return;
    const table = yield* tableOf(loads, fit);
    if (table.rows >= fewestForTrees) fit.trees = yield* boost(table, residualsOf(table, fit));
    spare.push(table.values);
  }

  /** Writes the forecasts of all steps. @param change the forecast change of one fit */
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

/** The change that a regression and its trees forecast. Until trees have grown it has the errors of the regression. */
const withTrees = (fit: Fit, row: Float64Array): number =>
  valueOf(fit, row) + (fit.trees ? valueOfTrees(fit.trees, row) : 0);

function residualsOf({ columns, rows, values }: Table, fit: Fit): Float64Array {
  const width = widthOf(columns);
  const residual = (row: number): number => (values[row * width + columns] ?? NaN) - valueOf(fit, values, row * width);
  return Float64Array.from({ length: rows }, (_, row) => residual(row));
}

/** The steps ahead with a regression of their own: all up to 4, then at growing distances, and the last one. */
function fittedSteps(horizon: number): number[] {
  const steps: number[] = [];
  for (let step = 1, stride = 1; step < horizon; step += stride) {
    steps.push(step);
    if (step >= 4 * stride) stride *= 2;
  }
  return [...steps, horizon];
}

/** The seasons that the loads hold at least twice. The features of a season need two of them. */
function seasonsIn(loads: Loads, { day, week }: Seasons): Seasons {
  const held = (season?: number): number | undefined => (season && loads.length >= 2 * season ? season : undefined);
  return { day: held(day), week: held(week) };
}

/** Whether a fit has the features of these seasons and leading loads. */
const hasFeatures = (fit: Fit, seasons: Seasons, leaders: Loads[]): boolean =>
  columnsOf(fit.seasons) === columnsOf(seasons) &&
  fit.leaders.length === leaders.length &&
  fit.leaders.every(({ loads }, which) => loads === leaders[which]);

/** Buffers of former tables for reuse. A table is large, and there is rarely more than one at a time. */
const spare: Float64Array[] = [];

/**
 * The table of the newest origins, without rows whose target or features are unknown. Takes every second, third, …
 * origin where these are about `wanted` rows.
 */
function* tableOf(loads: Loads, features: Features, wanted = most): Sliced<Table> {
  const { count, length } = loads;
  const { steps, seasons, leaders } = features;
  const columns = columnsOf(seasons) + leaders.length * leaderColumns;
  const width = widthOf(columns);
  const place = (Math.min(most, length) + spareRows) * width;
  let values = spare.pop() ?? new Float64Array(place);
  if (values.length < place) values = new Float64Array(place);
  const earliest = count - Math.min(length - shortReach, steps + most);
  const copied = loads.copied();
  const copiedLeaders = leaders.map(leader => ({ ...leader, loads: leader.loads.copied() }));
  const newest = count - 1 - steps;
  const stride = Math.max(1, Math.floor((newest + 1 - earliest) / wanted));
  let [rows, written] = [0, 0];
  for (let slot = newest; slot >= earliest; slot -= stride) {
    if (++written % rowsPerSlice === 0) yield;
    const from = rows * width;
    const change = copied.at(slot + steps) - copied.at(slot);
    if (Number.isNaN(change)) continue;
    writeRow(copied, slot, features, copiedLeaders, values, from);
    values[from + columns] = change;
    values[from + columns + 1] = 1;
    let sum = 0;
    for (let column = 0; column < width; column++) sum += values[from + column] ?? NaN;
    if (!Number.isNaN(sum)) rows++;
  }
  // Clears the values of an incomplete last row.
  values.fill(0, rows * width, (rows + spareRows) * width);
  return { columns, rows, values };
}

/** Writes the features of a forecast from `slot`. */
function writeRow(
  loads: SlotLoads,
  slot: number,
  { steps, seasons, base, time }: Features,
  leaders: readonly { loads: SlotLoads; base: number }[],
  into: Float64Array,
  from: number,
): void {
  writeFeatures(loads, slot, steps, seasons, base, into, from, time);
  let place = from + columnsOf(seasons);
  for (const leader of leaders) {
    writeLeaderFeatures(leader.loads, slot, leader.base, into, place);
    place += leaderColumns;
  }
}

/** Room for the features of both seasons and three leading loads. */
const row = new Float64Array(96);

/** The features of a forecast from the newest slot. Each call overwrites the result of the last one. */
function rowOf(loads: Loads, fit: Fit): Float64Array {
  writeRow(loads, loads.count - 1, fit, fit.leaders, row, 0);
  return row;
}
