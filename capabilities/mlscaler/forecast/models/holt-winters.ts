import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";
import { RecentErrors } from "../mixture/recent-errors";

/** How much of an error the level and the seasonal term of each variant take. */
const variants = [0.1, 0.4, 0.8].flatMap(level => [0.1, 0.4].map(season => ({ level, season })));

/**
 * Additive Holt-Winters without a trend, with a season of `period` slots (Hyndman and Athanasopoulos, Forecasting:
 * Principles and Practice, 8.3, in error-correction form). Runs all variants of the smoothing parameters; at each step
 * ahead, forecasts with the variant of the smallest recent error. Starts after one whole season.
 */
export class HoltWinters implements Expert {
  readonly name = "holt_winters";
  readonly #level = new Float64Array(variants.length);
  readonly #season: Float32Array;
  readonly #errors: RecentErrors;
  readonly #forecasts: Float64Array;
  #begun = false;

  constructor(
    readonly period: number,
    horizon: number,
    halfLife: number,
    readonly time: LocalTime = utc,
  ) {
    this.#season = new Float32Array(period * variants.length);
    this.#errors = new RecentErrors(variants.length, horizon, halfLife);
    this.#forecasts = new Float64Array(variants.length * horizon).fill(NaN);
  }

  learn(loads: Loads): void {
    const load = loads.newest;
    if (!this.#begun) {
      if (loads.length >= this.period && !Number.isNaN(load)) this.#begin(loads);
    } else if (!Number.isNaN(load)) {
      const place = this.#place(loads, 0);
      variants.forEach((variant, which) => {
        const season = this.#season[place + which] ?? NaN;
        const { level, error } = this.#after(which, season, load);
        this.#level[which] = level;
        this.#season[place + which] = season + variant.season * (1 - variant.level) * error;
      });
    }
    if (this.#begun) this.#keep(loads);
  }

  predict(loads: Loads, into: Float64Array): void {
    if (!this.#begun) return void into.fill(NaN);
    for (let step = 1; step <= into.length; step++) {
      const which = this.#errors.best(step);
      const level = loads.running
        ? this.#after(which, this.#seasonal(loads, which, 0), loads.newest).level
        : (this.#level[which] ?? NaN);
      into[step - 1] = level + this.#seasonal(loads, which, step);
    }
  }

  /** Starts with the first season: its mean is the level, and its deviations are the seasonal terms; 0 in gaps. */
  #begin(loads: Loads): void {
    const season = Array.from({ length: this.period }, (_, slots) => loads.ago(slots));
    const known = season.filter(load => !Number.isNaN(load));
    const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
    this.#level.fill(mean);
    season.forEach((load, slots) => {
      const place = this.#place(loads, -slots);
      this.#season.fill(Number.isNaN(load) ? 0 : load - mean, place, place + variants.length);
    });
    this.#begun = true;
  }

  /** Scores the last forecasts of all variants and makes new ones. */
  #keep(loads: Loads): void {
    const { horizon } = this.#errors;
    for (let which = 0; which < variants.length; which++) {
      for (let step = 1; step <= horizon; step++) {
        const forecast = (this.#level[which] ?? NaN) + this.#seasonal(loads, which, step);
        this.#forecasts[which * horizon + step - 1] = forecast;
      }
    }
    this.#errors.add(loads.newest, this.#forecasts);
  }

  /** Level and error of a variant after a slot with this `load` and this seasonal term. */
  #after(which: number, season: number, load: number): { level: number; error: number } {
    const before = this.#level[which] ?? 0;
    const error = load - before - season;
    return { level: before + (variants[which]?.level ?? NaN) * error, error };
  }

  /** The seasonal term of a variant in the slot `steps` after the newest. */
  #seasonal(loads: Loads, which: number, steps: number): number {
    return this.#season[this.#place(loads, steps) + which] ?? NaN;
  }

  /** Index of the first seasonal term of the slot `steps` after the newest. */
  #place(loads: Loads, steps: number): number {
    return this.time.place(loads.count - 1 + steps, this.period) * variants.length;
  }
}
