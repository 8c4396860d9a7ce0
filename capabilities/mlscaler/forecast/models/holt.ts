import type { Loads } from "../loads";
import { Smoothing } from "./smoothing";

/** Smoothing parameters of the variants. */
const shares = [0.1, 0.25, 0.5, 0.75, 1];
const trends = [
  { trend: 0, damping: 0 },
  { trend: 0.1, damping: 0.8 },
  { trend: 0.1, damping: 0.95 },
  { trend: 0.3, damping: 0.8 },
  { trend: 0.3, damping: 0.95 },
];
const variants = shares.flatMap(level => trends.map(trend => ({ level, ...trend })));

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

  protected update({ newest }: Loads): void {
    advance(this.#level, this.#trend, newest);
  }

  protected forecast({ running, newest }: Loads, into: Float64Array): void {
    const [level, trend] = running ? [this.#level.slice(), this.#trend.slice()] : [this.#level, this.#trend];
    if (running) advance(level, trend, newest);
    let [which, place] = [0, 0];
    for (const { damping } of variants) {
      let [load, change] = [level[which] ?? NaN, trend[which] ?? NaN];
      for (let step = 1; step <= this.horizon; step++) {
        change *= damping;
        load += change;
        into[place++] = load;
      }
      which++;
    }
  }
}

/** Moves the levels and trends of all variants on by a slot with this `load`. */
function advance(levels: Float64Array, trends: Float64Array, load: number): void {
  let which = 0;
  for (const { level, trend, damping } of variants) {
    const before = damping * (trends[which] ?? NaN);
    const expected = (levels[which] ?? NaN) + before;
    const error = load - expected;
    levels[which] = expected + level * error;
    trends[which] = before + level * trend * error;
    which++;
  }
}
