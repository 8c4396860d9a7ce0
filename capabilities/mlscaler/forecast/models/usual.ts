import { Differences } from "./autoregression";
import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";

/**
 * The usual load at the time of the target: the median of the loads at that time of the last seasons, plus the share of
 * the newest difference from it that usually lasts, as in Seasonal. A median ignores a holiday, which the load of one
 * season ago does not.
 */
export class Usual implements Expert {
  readonly #differences: Differences;

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

  /** The median of the loads one, two, … seasons before a slot; NaN without any. */
  #usual(loads: Loads, slot: number): number {
    const found: number[] = [];
    for (let back = 1; back <= this.seasons; back++) {
      const load = loads.at(this.time.ago(slot, back * this.period));
      if (Number.isNaN(load)) continue;
      // Inserts it in ascending order: there are few.
      let place = found.length;
      for (; place > 0 && (found[place - 1] ?? NaN) > load; place--) found[place] = found[place - 1] ?? NaN;
      found[place] = load;
    }
    const [below, above] = [found[(found.length - 1) >> 1] ?? NaN, found[found.length >> 1] ?? NaN];
    return (below + above) / 2;
  }
}
