import { DecayedRatios, halving } from "../decayed-ratios";

/**
 * The newest differences from a usual load, and their regressions on the difference 1, 2, … slots before, by decayed
 * sums: which share of the newest one usually lasts until each step ahead (Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 10.1).
 */
export class Differences {
  /** The products of two differences over the squares of the earlier one, by slots between them. */
  readonly #shares: DecayedRatios;
  /** The newest `horizon` + 1 differences, the newest first. */
  readonly #differences: Float64Array;

  /** @param halfLife the slots after which a difference counts half */
  constructor(
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#shares = new DecayedRatios(halving(halfLife), new Float64Array(horizon));
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
      if (!Number.isNaN(product)) this.#shares.add(step - 1, product, earlier * earlier);
    }
  }

  /** The share of a difference that lasts for `step` slots, 0 to 1. */
  share(step: number): number {
    const share = this.#shares.at(step - 1);
    return share > 0 ? Math.min(1, share) : 0;
  }
}
