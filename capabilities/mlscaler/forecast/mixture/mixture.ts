import { longestBridge } from "../../history/series";
import type { Effort, Expert } from "../models/expert";
import type { Loads } from "../loads";
import { RecentErrors } from "./recent-errors";
import type { Sliced } from "../sliced";
import { weightOf } from "./weight";

/** The share of the largest weight with which a leader stays the leader. Models that are equally good take no turns. */
const staying = 0.5;

/** The half-lives of the errors that weigh the experts, and of those that weigh these mixtures, in half-lives. */
const clocks = [1 / 8, 1, 8];
const clockOfClocks = 4;

/**
 * A mixture of experts at each step ahead, in the manner of the aggregating forecasters of Vovk and of Littlestone and
 * Warmuth. Errors with short and with long half-lives give three mixtures, and their own errors give the mixture of
 * these. An expert without a forecast has no weight.
 */
export class Mixture {
  readonly loads: Float64Array;
  /** The expert with the largest weight at the last step, or one that led before and has at least half of it. */
  leader: string;
  /** The errors of the experts, by clock. */
  readonly #errors: readonly RecentErrors[];
  /** The errors of the mixtures by clock. */
  readonly #errorsOfMixes: RecentErrors;
  /** By expert and step. */
  readonly #forecasts: Float64Array;
  /** By clock and step. */
  readonly #mixes: Float64Array;
  /** The shares of the experts in the mixtures, by clock, step and expert. */
  readonly #shares: Float64Array;

  constructor(
    readonly experts: readonly Expert[],
    readonly horizon: number,
    halfLife: number,
  ) {
    this.loads = new Float64Array(horizon).fill(NaN);
    this.leader = experts[0]?.name ?? "";
    this.#errors = clocks.map(clock => new RecentErrors(experts.length, horizon, clock * halfLife));
    this.#errorsOfMixes = new RecentErrors(clocks.length, horizon, clockOfClocks * halfLife);
    this.#forecasts = new Float64Array(experts.length * horizon);
    this.#mixes = new Float64Array(clocks.length * horizon);
    this.#shares = new Float64Array(this.#mixes.length * experts.length);
  }

  /** Learns from the newest slot and forecasts from it; with the effort "state", only learns. */
  learn(loads: Loads, effort: Effort): void {
    for (const expert of this.experts) expert.learn?.(loads, effort);
    if (effort === "state") this.#forecasts.fill(NaN);
    else this.#predictAll(loads);
    for (const errors of this.#errors) errors.add(loads.newest, this.#forecasts);
    this.#mixByClock(loads.ceiling);
    this.#errorsOfMixes.add(loads.newest, this.#mixes);
    this.#mix();
  }

  /** The refits that the newest slot makes due, one after another; undefined without any. */
  refit(loads: Loads, effort: Effort): Sliced | undefined {
    const due = this.experts.flatMap(expert => expert.refit?.(loads, effort) ?? []);
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
    this.#mixByClock(loads.ceiling);
    this.#mix();
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

  /** Mixes the forecasts, each limited to 0 … `ceiling`: a divergent expert cannot dominate. */
  #mixByClock(ceiling: number): void {
    for (const [place, forecast] of this.#forecasts.entries()) {
      this.#forecasts[place] = Number.isFinite(forecast) ? Math.min(ceiling, Math.max(0, forecast)) : NaN;
    }
    this.#errors.forEach((errors, clock) => {
      for (let step = 1; step <= this.horizon; step++) {
        const place = clock * this.horizon + step - 1;
        const shares = this.#shares.subarray(place * this.experts.length, (place + 1) * this.experts.length);
        this.#mixes[place] = mixed(this.#forecasts, errors, step, shares);
      }
    });
  }

  /** Mixes the mixtures of all clocks. */
  #mix(): void {
    const { horizon, experts } = this;
    const ofClocks = new Float64Array(clocks.length);
    for (let step = 1; step <= horizon; step++) {
      this.loads[step - 1] = mixed(this.#mixes, this.#errorsOfMixes, step, ofClocks);
    }
    // The shares of the experts at the last step.
    const shareOf = (which: number): number =>
      ofClocks.reduce((sum, ofClock, clock) => {
        const place = (clock + 1) * horizon - 1;
        return sum + ofClock * (this.#shares[place * experts.length + which] ?? 0);
      }, 0);
    const shares = experts.map((_, which) => shareOf(which));
    const most = Math.max(...shares);
    const leads = experts.findIndex(({ name }) => name === this.leader);
    if ((shares[leads] ?? 0) < staying * most) this.leader = experts[shares.indexOf(most)]?.name ?? this.leader;
  }
}

/**
 * The mean of the forecasts at one step, weighted by their recent errors; before the first error the first forecast.
 * NaN without a forecast.
 * @param forecasts by forecaster and step; NaN is none
 * @param shares receives the share of each forecaster in the mean
 */
function mixed(forecasts: Float64Array, errors: RecentErrors, step: number, shares: Float64Array): number {
  const { horizon } = errors;
  let [least, first] = [Infinity, -1];
  for (let which = 0; which < shares.length; which++) {
    const known = !Number.isNaN(forecasts[which * horizon + step - 1]);
    const error = known ? errors.of(which, step) : NaN;
    if (known && first < 0) first = which;
    if (error < least) least = error;
    shares[which] = error;
  }
  let [sum, weights] = [0, 0];
  for (let which = 0; which < shares.length; which++) {
    const error = shares[which] ?? NaN;
    const weight = least < Infinity ? (error >= 0 ? weightOf(error, least) : 0) : which === first ? 1 : 0;
    shares[which] = weight;
    weights += weight;
    if (weight > 0) sum += weight * (forecasts[which * horizon + step - 1] ?? NaN);
  }
  for (let which = 0; which < shares.length; which++) shares[which] = (shares[which] ?? 0) / weights;
  return weights > 0 ? sum / weights : NaN;
}

function* inTurn(works: Sliced[]): Sliced {
  for (const work of works) yield* work;
}
