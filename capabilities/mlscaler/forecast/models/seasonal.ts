import { Autoregression } from "./autoregression";
import type { Expert } from "./expert";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";

/**
 * The seasonal naive method with autoregressive errors (Hyndman and Athanasopoulos, Forecasting: Principles and
 * Practice, 5.2 and 10.1): the load one season ago, plus the share of the newest difference from it that usually lasts.
 * At slot k, h slots ahead, with a season of m slots: y[k+h-m] + ρ (y[k] - y[k-m]). ρ is the decayed regression of the
 * difference on itself h slots before, limited to 0 … 1.
 */
export class Seasonal implements Expert {
  readonly #autoregression: Autoregression;

  constructor(
    readonly name: string,
    readonly period: number,
    horizon: number,
    halfLife: number,
    readonly time: LocalTime = utc,
  ) {
    this.#autoregression = new Autoregression(horizon, halfLife);
  }

  learn(loads: Loads): void {
    const newest = loads.count - 1;
    this.#autoregression.learn(this.#difference(loads, newest), slots => this.#difference(loads, newest - slots));
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const difference = this.#difference(loads, newest);
    for (let step = 1; step <= into.length; step++) {
      // More than one season ahead: the same slot of the newest known season.
      const before = this.time.latest(newest + step, this.period, newest);
      into[step - 1] = loads.at(before) + this.#autoregression.share(step) * difference;
    }
  }

  /** The difference of a load from the load one season before. */
  #difference(loads: Loads, slot: number): number {
    return loads.at(slot) - loads.at(this.time.ago(slot, this.period));
  }
}
