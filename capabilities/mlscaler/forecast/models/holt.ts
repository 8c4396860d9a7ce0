import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { RecentErrors } from "../mixture/recent-errors";

/** Smoothing parameters of the variants. */
const levels = [0.1, 0.25, 0.5, 0.75, 1];
const trends = [
  { trend: 0, damping: 0 },
  { trend: 0.1, damping: 0.8 },
  { trend: 0.1, damping: 0.95 },
  { trend: 0.3, damping: 0.8 },
  { trend: 0.3, damping: 0.95 },
];
const variants = levels.flatMap(level => trends.map(trend => ({ level, ...trend })));

/** Σ damping^i for i = 1 … steps: the factor of a damped trend `steps` ahead. */
const reach = (damping: number, steps: number): number =>
  damping === 1 ? steps : (damping * (1 - damping ** steps)) / (1 - damping);

/**
 * Exponential smoothing with a damped trend (Gardner and McKenzie 1985; Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 8.2, in error-correction form). Runs all variants of the smoothing parameters; at each step
 * ahead, forecasts with the variant of the smallest recent error.
 */
export class Holt implements Expert {
  readonly name = "holt";
  readonly #level = new Float64Array(variants.length);
  readonly #trend = new Float64Array(variants.length);
  readonly #errors: RecentErrors;
  readonly #forecasts: Float64Array;
  #begun = false;

  constructor(horizon: number, halfLife: number) {
    this.#errors = new RecentErrors(variants.length, horizon, halfLife);
    this.#forecasts = new Float64Array(variants.length * horizon).fill(NaN);
  }

  learn(loads: Loads): void {
    const load = loads.newest;
    if (!Number.isNaN(load)) {
      if (!this.#begun) this.#level.fill(load);
      this.#begun = true;
      for (let which = 0; which < variants.length; which++) {
        const { level, trend } = this.#after(which, load);
        this.#level[which] = level;
        this.#trend[which] = trend;
        for (let step = 1; step <= this.#errors.horizon; step++) {
          this.#forecasts[which * this.#errors.horizon + step - 1] = ahead(which, level, trend, step);
        }
      }
    }
    this.#errors.add(load, this.#forecasts);
  }

  predict(loads: Loads, into: Float64Array): void {
    if (!this.#begun) return void into.fill(NaN);
    for (let step = 1; step <= into.length; step++) {
      const which = this.#errors.best(step);
      const { level, trend } = loads.running
        ? this.#after(which, loads.newest)
        : { level: this.#level[which] ?? NaN, trend: this.#trend[which] ?? NaN };
      into[step - 1] = ahead(which, level, trend, step);
    }
  }

  /** Level and trend of a variant after a slot with this `load`. */
  #after(which: number, load: number): { level: number; trend: number } {
    const variant = variants[which];
    if (!variant) throw new RangeError(`there is no variant ${which}`);
    const trend = variant.damping * (this.#trend[which] ?? 0);
    const expected = (this.#level[which] ?? 0) + trend;
    const error = load - expected;
    return { level: expected + variant.level * error, trend: trend + variant.level * variant.trend * error };
  }
}

const ahead = (which: number, level: number, trend: number, steps: number): number =>
  level + trend * reach(variants[which]?.damping ?? 0, steps);
