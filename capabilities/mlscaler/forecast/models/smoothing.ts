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
  readonly #forecasts: Float64Array;
  #begun = false;

  constructor(
    readonly variants: number,
    readonly horizon: number,
    halfLife: number,
  ) {
    this.#errors = new RecentErrors(variants, horizon, halfLife);
    this.#forecasts = new Float64Array(variants * horizon).fill(NaN);
  }

  learn(loads: Loads): void {
    if (!Number.isNaN(loads.newest)) {
      if (this.#begun) for (let which = 0; which < this.variants; which++) this.update(loads, which);
      else this.#begun = this.begin(loads);
    }
    if (this.#begun) {
      for (let which = 0; which < this.variants; which++)
        for (let step = 1; step <= this.horizon; step++)
          this.#forecasts[which * this.horizon + step - 1] = this.ahead(loads, which, step);
    }
    this.#errors.add(loads.newest, this.#forecasts);
  }

  predict(loads: Loads, into: Float64Array): void {
    if (!this.#begun) return void into.fill(NaN);
    for (let step = 1; step <= into.length; step++) into[step - 1] = this.ahead(loads, this.#errors.best(step), step);
  }

  /** Begins all variants at the newest load. Returns false while there are too few loads. */
  protected abstract begin(loads: Loads): boolean;
  /** Updates a variant by the newest load. */
  protected abstract update(loads: Loads, which: number): void;
  /** The forecast of a variant a number of steps after the newest slot, which may be the running one. */
  protected abstract ahead(loads: Loads, which: number, steps: number): number;
}
