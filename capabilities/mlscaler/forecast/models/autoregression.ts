import { DecayedRatios } from "../decayed-ratios";

/**
 * Regressions of a difference on itself 1, 2, … slots before, by decayed sums: which share of the newest difference
 * from a usual load usually lasts until each step ahead (Hyndman and Athanasopoulos, Forecasting: Principles and
 * Practice, 10.1).
 */
export class Autoregression {
  /** Products over squares, by slots between the two differences. */
  readonly #shares: DecayedRatios;

  /** @param halfLife the slots after which a difference counts half */
  constructor(
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#shares = new DecayedRatios(0.5 ** (1 / halfLife), new Float64Array(horizon));
  }

  /** Learns from the newest difference and those a number of slots before; NaN is unknown. */
  learn(difference: number, before: (slots: number) => number): void {
    for (let step = 1; step <= this.horizon; step++) {
      const earlier = before(step);
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

/** An autoregression that keeps the differences that it needs. */
export class Differences extends Autoregression {
  /** The newest `horizon` + 1 differences, the newest first. */
  readonly #differences: Float64Array;

  constructor(horizon: number, halfLife: number) {
    super(horizon, halfLife);
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
    this.learn(difference, slots => this.#differences[slots] ?? NaN);
  }
}
