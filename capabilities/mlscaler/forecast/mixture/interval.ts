import { type LocalTime, utc } from "../local-time";
import { DecayedRatios, halving } from "../decayed-ratios";
import { RecentErrors } from "./recent-errors";
import { selected } from "../select";
import { DailyErrors } from "./daily-errors";
import { weightOf } from "./weight";

/** Newest errors of the recent quantile. */
const size = 300;
/** The largest error in movements: single precision holds it. */
const furthest = 1e9;
/** The weight that the changes of a load keep from slot to slot. */
const fast = halving(24);
/** The share of the mean up to which a distance is next to nothing. */
const nothing = 0.1;
/** The candidates for the upper quantile, by their place in arrays. */
const candidates = ["recent", "unscaled", "daily", "halfway"] as const;

type Distances = readonly number[];

/**
 * The upper quantile of a load: a mean of candidates, each weighted by its recent pinball loss at that step ahead. They
 * are quantiles of the errors so far, by locally weighted split conformal prediction over a rolling window (Lei et al.
 * 2018, 5.2):
 * - recent: of the newest errors, each divided by the movement of the load at its origin, times the movement now;
 * - unscaled: of as many errors as recent, in units of the load;
 * - daily: of the errors at the same time of the last days. It knows a batch job that starts at 02:00;
 * - halfway between the recent and the daily one.
 *
 * A mean is seldom exactly 0, and would keep a target awake that may go to 0 replicas. So the distance is 0 where
 * candidates with half of the weight are at 0.
 */
export class Interval {
  /** The newest errors in movements, by step; a ring. */
  readonly #errors: Float32Array;
  /** The number of errors kept so far, by step. */
  readonly #counts: Uint32Array;
  /** Absent without a daily season, and then only the recent quantile applies. */
  readonly #daily?: DailyErrors;
  /** The forecasts of the newest `horizon` origins, by origin and step. */
  readonly #forecasts: Float32Array;
  /** The movement at each of these origins. */
  readonly #movements: Float32Array;
  /** The pinball losses of the candidates. */
  readonly #losses: RecentErrors;
  /** The quantiles of the newest errors, by probability: recent and unscaled, by step. NaN: not known yet. */
  readonly #known = new Map<number, Float64Array>();

  /**
   * @param day slots of a day; absent without a daily season
   * @param quantile probability whose pinball loss weighs the candidates
   */
  constructor(
    readonly horizon: number,
    day: number | undefined,
    readonly quantile: number,
    time: LocalTime = utc,
  ) {
    this.#losses = new RecentErrors(day ? candidates.length : 1, horizon, [{ halfLife: day ?? size }], quantile);
    this.#errors = new Float32Array(horizon * size);
    this.#counts = new Uint32Array(horizon);
    if (day) this.#daily = new DailyErrors(horizon, day, time);
    this.#forecasts = new Float32Array(horizon * horizon).fill(NaN);
    this.#movements = new Float32Array(horizon);
  }

  /**
   * Scores the load of the next slot, then keeps the forecasts from it as an origin. NaN is a gap or no forecast.
   * @param slot the number of the slot, one more than in the last call
   * @param forecasts one for each step
   */
  add(slot: number, load: number, forecasts: Float64Array, movement: number): void {
    const { horizon } = this;
    for (let step = 1; step <= horizon; step++) {
      const origin = (slot + horizon - step) % horizon;
      const error = load - (this.#forecasts[origin * horizon + step - 1] ?? NaN);
      this.#daily?.add(step, slot, error);
      const moved = error / (this.#movements[origin] ?? NaN);
      if (!Number.isFinite(moved)) continue;
      this.#keep(step, Math.max(-furthest, Math.min(furthest, moved)));
      for (const known of this.#known.values()) known.fill(NaN, 2 * (step - 1), 2 * step);
    }
    this.#movements[slot % horizon] = movement;
    this.#forecasts.set(forecasts, (slot % horizon) * horizon);
    const uppers = new Float64Array(this.#losses.forecasters * horizon);
    forecasts.forEach((forecast, index) => {
      for (const [which, distance] of this.#distances(index + 1, 0, this.quantile, movement).entries())
        uppers[which * horizon + index] = forecast + distance;
    });
    this.#losses.add(load, uppers);
  }

  /**
   * The distance of the upper quantile from the forecast `step` slots ahead, at least 0.
   * @param movement movement of the load at the origin
   * @param running 1 when the origin is the running slot, which `add` has not seen; else 0
   */
  above(step: number, quantile: number, movement: number, running = 0): number {
    const distances = this.#distances(step, running, quantile, movement);
    const losses = distances.map((_, which) => this.#losses.of(which, step));
    const least = Math.min(...losses);
    const weights = losses.map(loss => weightOf(loss, least));
    const { mean, weight: all } = weightedMean(distances, weights, Infinity);
    // A target at 0 replicas must not wake because a few candidates saw a load: the smallest distances count alone.
    const small = weightedMean(distances, weights, nothing * mean);
    return 2 * small.weight >= all ? small.mean : mean;
  }

  /**
   * The distances of the candidates from the forecast.
   * @param running 1 when the origin is the running slot
   */
  #distances(step: number, running: number, quantile: number, movement: number): Distances {
    const [recently = 0, unscaled = 0] = this.#quantiles(step, quantile);
    const recent = Math.max(0, recently * movement);
    if (!this.#daily) return [recent];
    const daily = this.#daily.atThatTime(step, running, quantile);
    const known = Number.isNaN(daily) ? recent : daily;
    const halfway = Math.max(0, (known + recent) / 2);
    return [recent, Math.max(0, unscaled), Math.max(0, known), halfway];
  }

  /** What `#newest` says, calculated once after each error. */
  #quantiles(step: number, quantile: number): Float64Array {
    const known = this.#known.get(quantile) ?? new Float64Array(this.horizon * 2).fill(NaN);
    this.#known.set(quantile, known);
    const found = known.subarray(2 * (step - 1), 2 * step);
    if (Number.isNaN(found[0])) found.set(this.#newest(step, quantile));
    return found;
  }

  /** The quantiles of the newest errors: in movements, and in units of the load. */
  #newest(step: number, quantile: number): [number, number] {
    const from = (step - 1) * size;
    const count = this.#counts[step - 1] ?? 0;
    const errors = this.#errors.slice(from, from + Math.min(size, count));
    if (!this.#daily) return [quantileOf(errors, quantile), 0];
    return [quantileOf(errors, quantile), quantileOf(this.#daily.recent(step, size), quantile)];
  }

  #keep(step: number, error: number): void {
    const count = this.#counts[step - 1] ?? 0;
    this.#errors[(step - 1) * size + (count % size)] = error;
    this.#counts[step - 1] = count + 1;
  }
}

/** The weighted mean of the distances up to `most`, and their weight. */
function weightedMean(
  distances: Distances,
  weights: readonly number[],
  most: number,
): { mean: number; weight: number } {
  let [sum, all] = [0, 0];
  for (let which = 0; which < distances.length; which++) {
    const [distance, weight] = [distances[which] ?? NaN, weights[which] ?? NaN];
    if (distance > most) continue;
    sum += weight * distance;
    all += weight;
  }
  return { mean: sum / all, weight: all };
}

/** The quantile of errors, which it moves around; 0 without any. */
const quantileOf = (errors: Float32Array, quantile: number): number =>
  errors.length === 0 ? 0 : selected(errors, Math.ceil(quantile * (errors.length - 1)));

/**
 * The movement of a load: its recent mean change from one slot to the next, plus 2 % of its recent level, so that the
 * movement of a constant load is above 0.
 */
export class Movement {
  readonly #change = new DecayedRatios(fast, new Float64Array(1));
  readonly #level = new DecayedRatios(halving(288), new Float64Array(1));
  #last = NaN;

  /** Takes the load of the next slot into account; NaN is a gap. */
  add(load: number): void {
    if (Number.isNaN(load)) return;
    if (!Number.isNaN(this.#last)) this.#change.add(0, Math.abs(load - this.#last));
    this.#level.add(0, load);
    this.#last = load;
  }

  /** The movement after the newest slot, or after one more slot with this `load`. */
  after(load = NaN): number {
    const change = Math.abs(load - this.#last);
    const mean = Number.isNaN(change) ? this.#change.at(0) : this.#change.at(0, change / fast, 1 / fast);
    return (mean || 0) + 0.02 * (this.#level.at(0) || 0) + 1e-9;
  }
}
