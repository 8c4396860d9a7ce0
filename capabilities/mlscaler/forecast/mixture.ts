import { longestBridge } from "../history/series";
import type { Effort, Expert } from "./expert";
import type { Loads } from "./loads";
import { RecentErrors } from "./recent-errors";
import type { Work } from "./work";

/** How much more a smaller error weighs: weights are proportional to error^-power. */
const power = 16;

/**
 * Forecasts of experts, weighted at each step ahead by their own recent errors there (exponential weighting in the manner
 * of Vovk's and Littlestone and Warmuth's aggregating forecasters). An expert without a forecast has no weight.
 */
export class Mixture {
  readonly loads: Float64Array;
  /** The expert that weighs most at the last step. */
  leader: string;
  readonly #errors: RecentErrors;
  readonly #forecasts: Float64Array;

  constructor(
    readonly experts: readonly Expert[],
    readonly horizon: number,
    halfLife: number,
  ) {
    this.loads = new Float64Array(horizon).fill(NaN);
    this.leader = experts[0]?.name ?? "";
    this.#errors = new RecentErrors(experts.length, horizon, halfLife);
    this.#forecasts = new Float64Array(experts.length * horizon);
  }

  /** Learns from the newest slot and forecasts from it, unless it is only to keep state. */
  learn(loads: Loads, effort: Effort): void {
    for (const expert of this.experts) expert.learn?.(loads, effort);
    if (effort === "state") this.#forecasts.fill(NaN);
    else this.#ask(loads);
    this.#errors.add(loads.newest, this.#forecasts);
    this.#mix(loads);
  }

  /** What the newest slot gives to do, if anything: one expert at most has any. */
  refit(loads: Loads, effort: Effort): Work | undefined {
    for (const expert of this.experts) {
      const work = expert.refit?.(loads, effort);
      if (work) return work;
    }
    return undefined;
  }

  /** Forecasts from the newest slot to `loads`; NaN where no expert has one, and after a long gap. */
  predict(loads: Loads): void {
    this.#ask(loads);
    this.#mix(loads);
  }

  #ask(loads: Loads): void {
    this.experts.forEach((expert, which) => {
      expert.predict(loads, this.#forecasts.subarray(which * this.horizon, (which + 1) * this.horizon));
    });
    if (loads.gap > longestBridge) this.#forecasts.fill(NaN);
  }

  #mix(loads: Loads): void {
    for (let step = 1; step <= this.horizon; step++) this.#mixAt(step, 2 * loads.largest);
  }

  /** Forecasts are kept within 0 … `ceiling` each, so that none that runs away takes the others along. */
  #mixAt(step: number, ceiling: number): void {
    const error = (which: number): number => this.#errors.of(which, step);
    const forecast = (which: number): number => this.#forecasts[which * this.horizon + step - 1] ?? NaN;
    const able = this.experts.map((_, which) => which).filter(which => Number.isFinite(forecast(which)));
    const scored = able.filter(which => error(which) >= 0);
    const least = Math.min(...scored.map(error));
    let [sum, weights, most] = [0, 0, 0];
    for (const which of scored.length > 0 ? scored : able.slice(0, 1)) {
      const weight = error(which) > 0 ? (least / error(which)) ** power : 1;
      sum += weight * Math.min(ceiling, Math.max(0, forecast(which)));
      weights += weight;
      if (weight <= most) continue;
      most = weight;
      if (step === this.horizon) this.leader = this.experts[which]?.name ?? "";
    }
    this.loads[step - 1] = weights > 0 ? sum / weights : NaN;
  }
}
