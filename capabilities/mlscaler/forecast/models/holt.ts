import type { Loads } from "../loads";
import { Smoothing } from "./smoothing";

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
 * Principles and Practice, 8.2, in error-correction form).
 */
export class Holt extends Smoothing {
  readonly name = "holt";
  readonly #level = new Float64Array(variants.length);
  readonly #trend = new Float64Array(variants.length);

  constructor(horizon: number, halfLife: number) {
    super(variants.length, horizon, halfLife);
  }

  protected begin({ newest }: Loads): boolean {
    this.#level.fill(newest);
    return true;
  }

  protected update({ newest }: Loads, which: number): void {
    const { level, trend } = this.#after(which, newest);
    this.#level[which] = level;
    this.#trend[which] = trend;
  }

  protected ahead(loads: Loads, which: number, steps: number): number {
    const { level, trend } = loads.running
      ? this.#after(which, loads.newest)
      : { level: this.#level[which] ?? NaN, trend: this.#trend[which] ?? NaN };
    return level + trend * reach(variants[which]?.damping ?? 0, steps);
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
