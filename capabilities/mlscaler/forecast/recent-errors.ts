/**
 * The recent mean absolute errors of some forecasters, side by side, for each step ahead: means with weights that halve
 * every `halfLife` slots. An error counts from the slot on at which the load is known, never before.
 */
export class RecentErrors {
  readonly #decay: number;
  /** What was forecast from each of the last `horizon` slots: by slot, forecaster, step. */
  readonly #pending: Float32Array;
  readonly #sums: Float64Array;
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

  /** Takes in the load of a slot, then what is forecast from it (by forecaster, step); NaN where there is none. */
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

  /** The recent mean absolute error of a forecaster `step` slots ahead; NaN while it has none. */
  of(which: number, step: number): number {
    const place = which * this.horizon + step - 1;
    return (this.#sums[place] ?? NaN) / (this.#weights[place] ?? NaN);
  }

  /** Which forecaster has the smallest error `step` slots ahead: the first while none has any. */
  best(step: number): number {
    let best = 0;
    for (let which = 1; which < this.forecasters; which++) {
      if (!(this.of(which, step) >= this.of(best, step))) best = which;
    }
    return best;
  }
}
