import { Differences } from "./autoregression";
import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";

/** The smoothing parameter: the share of each difference that the profile takes over. */
const gain = 0.25;

/**
 * The usual load at the time of day of the target, plus the share of the newest difference from it that usually lasts,
 * as in Seasonal. The usual load is a mean over days by simple exponential smoothing, one series for each time of day
 * (Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 8.1), smoothed over its neighbours.
 */
export class Profile implements Expert {
  readonly name = "profile";
  readonly #profile: Float32Array;
  readonly #differences: Differences;

  constructor(
    readonly period: number,
    horizon: number,
    halfLife: number,
    readonly time: LocalTime = utc,
  ) {
    this.#profile = new Float32Array(period).fill(NaN);
    this.#differences = new Differences(horizon, halfLife);
  }

  learn(loads: Loads): void {
    const place = this.time.place(loads.count - 1, this.period);
    const usual = this.#profile[place] ?? NaN;
    const load = loads.newest;
    const difference = load - usual;
    this.#differences.add(difference);
    if (!Number.isNaN(load)) this.#profile[place] = Number.isNaN(usual) ? load : usual + gain * difference;
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const difference = loads.running ? loads.newest - this.#usual(newest) : this.#differences.newest;
    for (let step = 1; step <= into.length; step++) {
      const slot = newest + step;
      const smooth = (this.#usual(slot - 1) + 2 * this.#usual(slot) + this.#usual(slot + 1)) / 4;
      into[step - 1] = smooth + this.#differences.share(step) * difference;
    }
  }

  #usual(slot: number): number {
    return this.#profile[this.time.place(slot, this.period)] ?? NaN;
  }
}
