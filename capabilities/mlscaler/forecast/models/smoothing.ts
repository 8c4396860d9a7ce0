import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { RecentErrors } from "../mixture/recent-errors";

/**
 * Runs all variants of the parameters of a smoothing model; at each step ahead, forecasts with the variant of the
 * smallest recent error.
 */
export abstract class Smoothing implements Expert {
  abstract readonly name: string;
  readonly #errors: RecentErrors;
  /** By variant and step. */
  readonly #forecasts: Float64Array;
  #begun = false;

  constructor(
    variants: number,
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#errors = new RecentErrors(variants, horizon, [{ halfLife }]);
    this.#forecasts = new Float64Array(variants * horizon).fill(NaN);
  }

  learn(loads: Loads): void {
    if (!Number.isNaN(loads.newest)) {
      if (this.#begun) this.update(loads);
      else this.#begun = this.begin(loads);
    }
    if (this.#begun) this.forecast(loads, this.#forecasts);
    this.#errors.add(loads.newest, this.#forecasts);
  }

  predict(loads: Loads, into: Float64Array): void {
    if (!this.#begun) return void into.fill(NaN);
    this.forecast(loads, this.#forecasts);
    for (let step = 1; step <= into.length; step++)
      into[step - 1] = this.#forecasts[this.#errors.best(step) * this.horizon + step - 1] ?? NaN;
  }

  /** Begins all variants at the newest load. Returns false while there are too few loads. */
  protected abstract begin(loads: Loads): boolean;
  /** Updates all variants by the newest load. */
  protected abstract update(loads: Loads): void;
  /** Writes the forecasts from the newest slot, which may be the running one, by variant and step. */
  protected abstract forecast(loads: Loads, into: Float64Array): void;
}
