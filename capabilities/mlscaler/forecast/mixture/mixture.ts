import { longestBridge } from "../../history/series";
import type { Expert, Refits } from "../models/expert";
import type { Loads } from "../loads";
import { RecentErrors } from "./recent-errors";
import type { Sliced } from "../sliced";
import { weightOf } from "./weight";

/** The share of the largest weight with which a leader stays the leader. Models that are equally good take no turns. */
const staying = 0.5;

/** The clock of the second mixture: how much faster it is, and its exponent, which is low because few errors say little. */
const fast = { factor: 8, power: 4 };
/** How much slower the clock is that weighs the two mixtures. */
const slower = 16;

/**
 * A mixture of experts at each step ahead, in the manner of the aggregating forecasters of Vovk and of Littlestone and
 * Warmuth. Recent errors of the experts weigh them by two clocks, and the errors of these two mixtures weigh those. An
 * expert without a forecast has no weight.
 */
export class Mixture {
  readonly loads: Float64Array;
  /** The expert with the largest weight at the last step, or one that led before and has at least half of it. */
  leader: string;
  readonly #errors: RecentErrors;
  readonly #errorsOfMixes: RecentErrors;
  /** By expert and step, limited to 0 … the ceiling: a divergent expert cannot dominate. NaN is none. */
  readonly forecasts: Float64Array;
  /** By clock and step. */
  readonly #mixes: Float64Array;

  constructor(
    readonly experts: readonly Expert[],
    readonly horizon: number,
    halfLife: number,
  ) {
    this.loads = new Float64Array(horizon).fill(NaN);
    this.leader = experts[0]?.name ?? "";
    const clocks = [{ halfLife }, { halfLife: halfLife / fast.factor, power: fast.power }];
    this.#errors = new RecentErrors(experts.length, horizon, clocks);
    this.#errorsOfMixes = new RecentErrors(clocks.length, horizon, [{ halfLife: slower * halfLife }]);
    this.forecasts = new Float64Array(experts.length * horizon);
    this.#mixes = new Float64Array(clocks.length * horizon);
  }

  /** Updates the running states of the experts by the newest slot. */
  learn(loads: Loads): void {
    for (const expert of this.experts) expert.learn?.(loads);
  }

  /** Forecasts from the newest slot, and scores the experts by it unless it is the running one. */
  forecast(loads: Loads): void {
    this.#predictAll(loads);
    if (!loads.running) this.#errors.add(loads.newest, this.forecasts);
    this.#errors.mix(this.forecasts, this.#mixes);
    if (!loads.running) this.#errorsOfMixes.add(loads.newest, this.#mixes);
    this.#errorsOfMixes.mix(this.#mixes, this.loads);
    this.#lead();
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
    this.forecast(loads);
    try {
      return look();
    } finally {
      this.loads.set(before);
      this.leader = leader;
    }
  }

  #predictAll(loads: Loads): void {
    this.experts.forEach((expert, which) => {
      expert.predict(loads, this.forecasts.subarray(which * this.horizon, (which + 1) * this.horizon));
    });
    if (loads.gap > longestBridge) this.forecasts.fill(NaN);
    const { ceiling } = loads;
    for (let place = 0; place < this.forecasts.length; place++) {
      const forecast = this.forecasts[place] ?? NaN;
      this.forecasts[place] = Number.isFinite(forecast) ? Math.min(ceiling, Math.max(0, forecast)) : NaN;
    }
  }

  #lead(): void {
    const { experts, horizon } = this;
    const error = (which: number): number => {
      const known = !Number.isNaN(this.forecasts[(which + 1) * horizon - 1]);
      const found = known ? this.#errors.of(which, horizon) : NaN;
      return found >= 0 ? found : Infinity;
    };
    let [best, now] = [0, 0];
    experts.forEach(({ name }, which) => {
      if (error(which) < error(best)) best = which;
      if (name === this.leader) now = which;
    });
    if (weightOf(error(now), error(best)) < staying) this.leader = experts[best]?.name ?? "";
  }
}

function* inTurn(works: Sliced[]): Sliced {
  for (const work of works) yield* work;
}
