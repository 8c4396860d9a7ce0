import { longestBridge } from "../../history/series";
import type { Expert, Refits } from "../models/expert";
import type { Loads } from "../loads";
import { RecentErrors } from "./recent-errors";
import type { Sliced } from "../sliced";
import { weightOf } from "./weight";

/** The share of the largest weight with which a leader stays the leader. Models that are equally good take no turns. */
const staying = 0.5;

/**
 * A mixture of experts, weighted at each step ahead by their recent errors at that step, in the manner of the
 * aggregating forecasters of Vovk and of Littlestone and Warmuth. An expert without a forecast has no weight.
 */
export class Mixture {
  readonly loads: Float64Array;
  /** The expert with the largest weight at the last step, or one that led before and has at least half of it. */
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

  /** Updates the running states of the experts by the newest slot. */
  learn(loads: Loads): void {
    for (const expert of this.experts) expert.learn?.(loads);
  }

  /** Scores the experts by the newest slot, and forecasts from it. */
  forecast(loads: Loads): void {
    this.#predictAll(loads);
    this.#errors.add(loads.newest, this.#forecasts);
    this.#mix(loads.ceiling);
  }

  /** The refits that the newest slot makes due, one after another; undefined without any. */
  refit(loads: Loads, refits: Refits): Sliced | undefined {
    const due = this.experts.flatMap(expert => expert.refit?.(loads, refits) ?? []);
    return due.length > 1 ? inTurn(due) : due[0];
  }

  /**
   * The result of `look` with the forecast from the newest slot in `loads`; NaN where no expert has a forecast, and
   * after a long gap. Restores the last forecast afterwards.
   */
  while<Found>(loads: Loads, look: () => Found): Found {
    const before = this.loads.slice();
    const { leader } = this;
    this.#predictAll(loads);
    this.#mix(loads.ceiling);
    try {
      return look();
    } finally {
      this.loads.set(before);
      this.leader = leader;
    }
  }

  #predictAll(loads: Loads): void {
    this.experts.forEach((expert, which) => {
      expert.predict(loads, this.#forecasts.subarray(which * this.horizon, (which + 1) * this.horizon));
    });
    if (loads.gap > longestBridge) this.#forecasts.fill(NaN);
  }

  #mix(ceiling: number): void {
    for (let step = 1; step <= this.horizon; step++) this.#mixAt(step, ceiling);
  }

  /** Mixes the forecasts of one step, each limited to 0 … `ceiling`: a divergent expert cannot dominate. */
  #mixAt(step: number, ceiling: number): void {
    const { horizon, experts } = this;
    let [least, first] = [Infinity, -1];
    for (let which = 0; which < experts.length; which++) {
      if (!Number.isFinite(this.#forecasts[which * horizon + step - 1])) continue;
      if (first < 0) first = which;
      const error = this.#errors.of(which, step);
      if (error < least) least = error;
    }
    let [sum, weights, most, ofLeader] = [0, 0, 0, 0];
    let { leader } = this;
    for (let which = 0; which < experts.length; which++) {
      const forecast = this.#forecasts[which * horizon + step - 1] ?? NaN;
      const error = this.#errors.of(which, step);
      // Before the first error, the first forecast counts.
      if (!Number.isFinite(forecast) || !(least < Infinity ? error >= 0 : which === first)) continue;
      const weight = weightOf(error, least);
      sum += weight * Math.min(ceiling, Math.max(0, forecast));
      weights += weight;
      const { name = "" } = experts[which] ?? {};
      if (name === this.leader) ofLeader = weight;
      if (weight > most) [most, leader] = [weight, name];
    }
    if (step === this.horizon && ofLeader < staying * most) this.leader = leader;
    this.loads[step - 1] = weights > 0 ? sum / weights : NaN;
  }
}

function* inTurn(works: Sliced[]): Sliced {
  for (const work of works) yield* work;
}
