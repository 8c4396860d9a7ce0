import type { Expert } from "./expert";
import type { Loads } from "./loads";

/**
 * The seasonal naive method with autoregressive errors (Hyndman and Athanasopoulos, Forecasting: Principles and
 * Practice, 5.2 and 10.1): the load one season ago, plus the share of the newest difference from it that usually lasts.
 * At slot k, h slots ahead, with a season of m slots: y[k+h-m] + ρ (y[k] - y[k-m]). ρ is the decayed regression of the
 * difference on itself h slots before, limited to 0 … 1.
 */
export class Seasonal implements Expert {
  readonly #decay: number;
  /** Decayed sums of the regression of the difference on itself, by steps between the two. */
  readonly #products: Float64Array;
  readonly #squares: Float64Array;

  constructor(
    readonly name: string,
    readonly period: number,
    horizon: number,
    halfLife: number,
  ) {
    this.#decay = 0.5 ** (1 / halfLife);
    this.#products = new Float64Array(horizon);
    this.#squares = new Float64Array(horizon);
  }

  learn(loads: Loads): void {
    const difference = this.#difference(loads, 0);
    for (let step = 1; step <= this.#products.length; step++) {
      const before = this.#difference(loads, step);
      const product = difference * before;
      if (Number.isNaN(product)) continue;
      this.#products[step - 1] = this.#decay * (this.#products[step - 1] ?? 0) + product;
      this.#squares[step - 1] = this.#decay * (this.#squares[step - 1] ?? 0) + before * before;
    }
  }

  predict(loads: Loads, into: Float64Array): void {
    const difference = this.#difference(loads, 0);
    for (let step = 1; step <= into.length; step++) {
      const [product = 0, square = 0] = [this.#products[step - 1], this.#squares[step - 1]];
      const lasting = square > 0 ? Math.min(1, Math.max(0, product / square)) : 0;
      // More than one season ahead: the same slot of the newest known season.
      const ago = (this.period - (step % this.period)) % this.period;
      into[step - 1] = loads.ago(ago) + lasting * difference;
    }
  }

  /** The difference of a load from the load one season before. */
  #difference(loads: Loads, ago: number): number {
    return loads.ago(ago) - loads.ago(ago + this.period);
  }
}
