import { Differences } from "./differences";
import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";

/**
 * The usual load at the time of the target, plus the share of the newest difference from it that usually lasts. The
 * usual load is the median of the loads at that time of the last seasons, which ignores a holiday. With one season it is
 * the seasonal naive method with autoregressive errors (Hyndman and Athanasopoulos, Forecasting: Principles and
 * Practice, 5.2 and 10.1).
 */
export class Usual implements Expert {
  readonly #differences: Differences;
  /** The loads of a median, in ascending order. */
  readonly #found: Float64Array;

  /**
   * @param period slots of a season
   * @param seasons the newest seasons that count
   */
  constructor(
    readonly name: string,
    readonly period: number,
    readonly seasons: number,
    horizon: number,
    halfLife: number,
    readonly time: LocalTime = utc,
  ) {
    this.#differences = new Differences(horizon, halfLife);
    this.#found = new Float64Array(seasons);
  }

  learn(loads: Loads): void {
    this.#differences.add(loads.newest - this.#usual(loads, loads.count - 1));
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const difference = loads.running ? loads.newest - this.#usual(loads, newest) : this.#differences.newest;
    for (let step = 1; step <= into.length; step++) {
      into[step - 1] = this.#usual(loads, newest + step) + this.#differences.share(step) * difference;
    }
  }

  /** The median of the loads at the time of a slot in the latest seasons; NaN without any. */
  #usual(loads: Loads, slot: number): number {
    const found = this.#found;
    // More than one season ahead: the same slot of the newest known season.
    const latest = this.time.latest(slot, this.period, loads.count - 1);
    let count = 0;
    for (let back = 0; back < this.seasons; back++) {
      const load = loads.at(this.time.ago(latest, back * this.period));
      if (Number.isNaN(load)) continue;
      // Inserts it in ascending order: there are few.
      let place = count++;
      for (; place > 0 && (found[place - 1] ?? NaN) > load; place--) found[place] = found[place - 1] ?? NaN;
      found[place] = load;
    }
    if (count === 0) return NaN;
    return ((found[(count - 1) >> 1] ?? NaN) + (found[count >> 1] ?? NaN)) / 2;
  }
}
