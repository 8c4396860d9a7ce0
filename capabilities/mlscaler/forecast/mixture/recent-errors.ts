/**
 * The recent mean absolute errors of several forecasters at each step ahead. Weights of the means halve every
 * `halfLife` slots. An error counts from the slot on whose load it is measured against.
 */
export class RecentErrors {
  readonly #decay: number;
  /** The forecasts from the newest `horizon` origins, by origin, forecaster and step. */
  readonly #pending: Float32Array;
  /** Decayed sums of the errors, by forecaster and step. */
  readonly #sums: Float64Array;
  /** Decayed counts of the errors, by forecaster and step. */
  readonly #weights: Float64Array;
  #slot = 0;

  constructor(
    readonly forecasters: number,
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#decay = 0.5 ** (1 / halfLife);
    this.#pending = new Float32Array(horizon * forecasters * horizon).fill(NaN);
    this.#sums = new Float64Array(forecasters * horizon);
    this.#weights = new Float64Array(forecasters * horizon);
  }

  /**
   * Scores the load of the next slot, then keeps the forecasts from it as an origin. NaN is a gap or no forecast.
   * @param forecasts by forecaster and step
   */
  add(load: number, forecasts: Float64Array): void {
    const { horizon, forecasters } = this;
    for (let step = 1; step <= horizon; step++) {
      const row = ((this.#slot + horizon - step) % horizon) * forecasters * horizon + step - 1;
      for (let which = 0; which < forecasters; which++) {
        const place = which * horizon + step - 1;
        const error = Math.abs((this.#pending[row + which * horizon] ?? NaN) - load);
        const counts = error < Infinity;
        this.#sums[place] = this.#decay * (this.#sums[place] ?? 0) + (counts ? error : 0);
        this.#weights[place] = this.#decay * (this.#weights[place] ?? 0) + (counts ? 1 : 0);
      }
    }
    this.#pending.set(forecasts, (this.#slot % horizon) * forecasters * horizon);
    this.#slot++;
  }

  /** The recent mean absolute error of a forecaster `step` slots ahead; NaN before its first error. */
  of(which: number, step: number): number {
    const place = which * this.horizon + step - 1;
    return (this.#sums[place] ?? NaN) / (this.#weights[place] ?? NaN);
  }

  /** The index of the forecaster with the smallest error `step` slots ahead; 0 before the first error. */
  best(step: number): number {
    let best = 0;
    for (let which = 1; which < this.forecasters; which++) {
      if (!(this.of(which, step) >= this.of(best, step))) best = which;
    }
    return best;
  }
}
