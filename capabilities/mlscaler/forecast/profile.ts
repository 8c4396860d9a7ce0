import type { Expert } from "./expert";
import type { Loads } from "./loads";

/** The smoothing parameter: the share of each difference that the profile takes over. */
const gain = 0.25;

/**
 * The usual load at the time of day of the target, plus the share of the newest difference from it that usually lasts,
 * as in Seasonal. The usual load is a mean over days by simple exponential smoothing, one series for each time of day
 * (Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 8.1), smoothed over its neighbours.
 */
export class Profile implements Expert {
  readonly name = "profile";
  readonly #decay: number;
  /** The usual load, by slot of the day. */
  readonly #profile: Float32Array;
  /** Decayed sums of the regression of the difference on itself, by steps between the two. */
  readonly #products: Float64Array;
  readonly #squares: Float64Array;
  /** The newest `horizon` + 1 differences from the profile, the newest first. */
  readonly #differences: Float64Array;

  constructor(
    readonly period: number,
    horizon: number,
    halfLife: number,
  ) {
    this.#decay = 0.5 ** (1 / halfLife);
    this.#profile = new Float32Array(period).fill(NaN);
    this.#products = new Float64Array(horizon);
    this.#squares = new Float64Array(horizon);
    this.#differences = new Float64Array(horizon + 1).fill(NaN);
  }

  learn(loads: Loads): void {
    const place = (loads.count - 1) % this.period;
    const usual = this.#profile[place] ?? NaN;
    const load = loads.newest;
    const difference = load - usual;
    this.#differences.copyWithin(1, 0);
    this.#differences[0] = difference;
    for (let step = 1; step <= this.#products.length; step++) {
      const before = this.#differences[step] ?? NaN;
      const product = difference * before;
      if (Number.isNaN(product)) continue;
      this.#products[step - 1] = this.#decay * (this.#products[step - 1] ?? 0) + product;
      this.#squares[step - 1] = this.#decay * (this.#squares[step - 1] ?? 0) + before * before;
    }
    if (Number.isNaN(load)) return;
    this.#profile[place] = Number.isNaN(usual) ? load : usual + gain * difference;
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const difference = loads.running ? loads.newest - this.#usual(newest) : (this.#differences[0] ?? NaN);
    for (let step = 1; step <= into.length; step++) {
      const [product = 0, square = 0] = [this.#products[step - 1], this.#squares[step - 1]];
      const lasting = square > 0 ? Math.min(1, Math.max(0, product / square)) : 0;
      const slot = newest + step;
      const smooth = (this.#usual(slot - 1) + 2 * this.#usual(slot) + this.#usual(slot + 1)) / 4;
      into[step - 1] = smooth + lasting * difference;
    }
  }

  #usual(slot: number): number {
    return this.#profile[(slot + this.period) % this.period] ?? NaN;
  }
}
