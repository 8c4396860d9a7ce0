import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";
import { Smoothing } from "./smoothing";

/** How much of an error the level and the seasonal term of each variant take. */
const variants = [0.1, 0.4, 0.8].flatMap(level => [0.1, 0.4].map(season => ({ level, season })));

/**
 * Additive Holt-Winters without a trend, with a season of `period` slots (Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 8.3, in error-correction form). Starts after one whole season.
 */
export class HoltWinters extends Smoothing {
  readonly name = "holt_winters";
  readonly #level = new Float64Array(variants.length);
  /** The seasonal terms, by place in the season and variant. */
  readonly #season: Float32Array;

  constructor(
    readonly period: number,
    horizon: number,
    halfLife: number,
    readonly time: LocalTime = utc,
  ) {
    super(variants.length, horizon, halfLife);
    this.#season = new Float32Array(period * variants.length);
  }

  /** Starts with the first season: its mean is the level, and its deviations are the seasonal terms; 0 in gaps. */
  protected begin(loads: Loads): boolean {
    if (loads.length < this.period) return false;
    const season = Array.from({ length: this.period }, (_, slots) => loads.ago(slots));
    const known = season.filter(load => !Number.isNaN(load));
    const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
    this.#level.fill(mean);
    season.forEach((load, slots) => {
      const place = this.#place(loads, -slots);
      this.#season.fill(Number.isNaN(load) ? 0 : load - mean, place, place + variants.length);
    });
    return true;
  }

  protected update(loads: Loads): void {
    const place = this.#place(loads, 0);
    for (const [which, { level, season }] of variants.entries()) {
      const [before, usual] = [this.#level[which] ?? NaN, this.#season[place + which] ?? NaN];
      const error = loads.newest - before - usual;
      this.#level[which] = before + level * error;
      this.#season[place + which] = usual + season * (1 - level) * error;
    }
  }

  protected forecast(loads: Loads, into: Float64Array): void {
    const { horizon } = this;
    const here = this.#place(loads, 0);
    for (let step = 1; step <= horizon; step++) {
      const place = this.#place(loads, step);
      for (const [which, { level }] of variants.entries()) {
        const before = this.#level[which] ?? NaN;
        const error = loads.running ? loads.newest - before - (this.#season[here + which] ?? NaN) : 0;
        into[which * horizon + step - 1] = before + level * error + (this.#season[place + which] ?? NaN);
      }
    }
  }

  /** Index of the first variant's seasonal term in the slot `steps` after the newest. */
  #place(loads: Loads, steps: number): number {
    return this.time.place(loads.count - 1 + steps, this.period) * variants.length;
  }
}
