/**
 * The newest differences from a usual load, and their regressions on the difference 1, 2, … slots before, by decayed
 * sums: which share of the newest one usually lasts until each step ahead (Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 10.1).
 */
export class Differences {
  readonly #decay: number;
  /** Decayed sums, by slots between the two differences. */
  readonly #products: Float64Array;
  readonly #squares: Float64Array;
  /** The newest `horizon` + 1 differences, the newest first. */
  readonly #differences: Float64Array;

  /** @param halfLife the slots after which a difference counts half */
  constructor(
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#decay = 0.5 ** (1 / halfLife);
    this.#products = new Float64Array(horizon);
    this.#squares = new Float64Array(horizon);
    this.#differences = new Float64Array(horizon + 1).fill(NaN);
  }

  /** The newest difference; NaN when it is unknown. */
  get newest(): number {
    return this.#differences[0] ?? NaN;
  }

  /** Adds the difference of the next slot, and learns from it; NaN is unknown. */
  add(difference: number): void {
    this.#differences.copyWithin(1, 0);
    this.#differences[0] = difference;
    for (let step = 1; step <= this.horizon; step++) {
      const earlier = this.#differences[step] ?? NaN;
      const product = difference * earlier;
      if (Number.isNaN(product)) continue;
      this.#products[step - 1] = this.#decay * (this.#products[step - 1] ?? 0) + product;
      this.#squares[step - 1] = this.#decay * (this.#squares[step - 1] ?? 0) + earlier * earlier;
    }
  }

  /** The share of a difference that lasts for `step` slots, 0 to 1. */
  share(step: number): number {
    const [product, square] = [this.#products[step - 1] ?? 0, this.#squares[step - 1] ?? 0];
    return square > 0 ? Math.min(1, Math.max(0, product / square)) : 0;
  }
}
