import { DecayedRatios, halving } from "../decayed-ratios";
import { weightOf } from "./weight";

/** How errors weigh forecasts. */
interface Clock {
  /** The known slots after which an error counts half. */
  halfLife: number;
  /** The exponent of the weights. */
  power?: number;
}

/**
 * The recent mean errors of several forecasters of a quantile at each step ahead, by one clock or more. An error is the
 * pinball loss (Koenker and Bassett 1978), of the median half of the absolute error. It counts from the slot on whose
 * load it is measured against.
 */
export class RecentErrors {
  /** By clock: the mean errors by forecaster and step. */
  readonly #means: readonly DecayedRatios[];
  /** The forecasts from the newest `horizon` origins, by origin, forecaster and step. */
  readonly #pending: Float32Array;
  #slot = 0;

  constructor(
    readonly forecasters: number,
    readonly horizon: number,
    readonly clocks: readonly Clock[],
    readonly quantile = 0.5,
  ) {
    const all = forecasters * horizon;
    this.#means = clocks.map(({ halfLife }) => new DecayedRatios(halving(halfLife), new Float64Array(all)));
    this.#pending = new Float32Array(horizon * all).fill(NaN);
  }

  /**
   * Scores the load of the next slot, then keeps the forecasts from it as an origin. NaN is a gap or no forecast.
   * @param forecasts by forecaster and step
   */
  add(load: number, forecasts: Float64Array): void {
    const { horizon } = this;
    const all = this.forecasters * horizon;
    for (const means of this.#means) {
      for (let step = 1; step <= horizon; step++) {
        const row = ((this.#slot + horizon - step) % horizon) * all;
        for (let place = step - 1; place < all; place += horizon) {
          const above = load - (this.#pending[row + place] ?? NaN);
          const error = Math.max(this.quantile * above, (this.quantile - 1) * above);
          if (error < Infinity) means.add(place, error);
        }
      }
    }
    this.#pending.set(forecasts, (this.#slot % horizon) * all);
    this.#slot++;
  }

  /** The recent mean error of a forecaster `step` slots ahead; NaN before its first error. */
  of(which: number, step: number, clock = 0): number {
    return this.#means[clock]?.at(which * this.horizon + step - 1) ?? NaN;
  }

  /** The index of the forecaster with the smallest error `step` slots ahead; 0 before the first error. */
  best(step: number): number {
    let best = 0;
    for (let which = 1; which < this.forecasters; which++) {
      if (!(this.of(which, step) >= this.of(best, step))) best = which;
    }
    return best;
  }

  /**
   * Writes means of the forecasts, which their recent errors weigh, by clock and step; before the first error the first
   * forecast. NaN is no forecast.
   * @param forecasts by forecaster and step
   */
  mix(forecasts: Float64Array, into: Float64Array): void {
    const { horizon } = this;
    for (let place = 0; place < into.length; place++) {
      into[place] = this.#mean(forecasts, (place % horizon) + 1, Math.floor(place / horizon));
    }
  }

  #mean(forecasts: Float64Array, step: number, clock: number): number {
    const { horizon, forecasters } = this;
    let [least, first] = [Infinity, NaN];
    for (let which = forecasters - 1; which >= 0; which--) {
      const forecast = forecasts[which * horizon + step - 1] ?? NaN;
      if (Number.isNaN(forecast)) continue;
      first = forecast;
      const error = this.of(which, step, clock);
      if (error < least) least = error;
    }
    let [sum, weights] = [0, 0];
    for (let which = 0; which < forecasters; which++) {
      const forecast = forecasts[which * horizon + step - 1] ?? NaN;
      const error = this.of(which, step, clock);
      if (Number.isNaN(forecast + error)) continue;
      const weight = weightOf(error, least, this.clocks[clock]?.power);
      sum += weight * forecast;
      weights += weight;
    }
    return weights > 0 ? sum / weights : first;
  }
}
