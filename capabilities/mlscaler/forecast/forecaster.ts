import { dayMilliseconds, keptSlots } from "../history/retention";
import type { OccurrenceForecast } from "./forecast";
import type { Refits } from "./models/expert";
import { Interval, Movement } from "./mixture/interval";
import { asLoad, Loads, type SlotLoads } from "./loads";
import { LocalTime } from "./local-time";
import { Mixture } from "./mixture/mixture";
import { expertsOf, type ModelSettings } from "./models/models";
import { Occurrence } from "./occurrence/occurrence";
import { Precedents } from "./mixture/precedents";
import { type Score, Scores } from "./mixture/scores";
import { seasonsOf, type Seasonality } from "./seasons";
import { runSlices, type Sliced } from "./sliced";
import { type WakeSettings, WakeTrial, type WakeVerdict } from "./occurrence/wake-trial";

export interface Settings extends ModelSettings {
  /** The probability of the upper quantile, 0.5 < q < 1. */
  quantile: number;
  /** The seasons to use. Absent: all seasons that the history holds. */
  seasonality?: Seasonality[];
  /** The zone whose local time the seasons follow. Absent: UTC. */
  timezone?: string;
  /** For a target that goes to 0: when there is load, and how it is tried whether waking by its chance pays. */
  occurrence?: WakeSettings;
  /** The fewest loads from which on the forecast acts. Absent: those of its first upper quantile. */
  actAfter?: number;
}

/** The loads that a forecast needs to act: the first upper quantile is that of the first error at the horizon. */
export const wantedOf = ({ horizon, actAfter = 0 }: Settings): number => Math.max(horizon + 1, actAfter);

/** The forecast from one origin. Arrays have `horizon` entries: steps 1 … horizon after the newest slot. */
export interface Outlook {
  loads: number[];
  /** The upper quantiles of the first probability that was asked for, and those of the others. */
  uppers: number[];
  others: number[][];
  /** The model that leads the mixture at the last step. */
  model: string;
}

/** The chances of load 1, 2, … slots after the newest one, and what the trial says of waking by them. */
interface Chances extends WakeVerdict {
  chances: number[];
  /** The next slot that usually has load, as slots after the newest one. */
  next?: { ahead: number; chance: number };
}

/** The newest days of the history that models learn one by one. Their running states hardly remember older ones. */
const learnedDays = 14;
/** Days of the history that a replay scores. */
const scoredDays = 1;
/** Slots that a replay puts into one slice of less than a millisecond. */
const slotsPerSlice = { scored: 8, unscored: 128 };

/**
 * How much work is done for a slot. "none" is for loads that models only look back to. "state" updates their running
 * states. The others also forecast and refit.
 */
type Effort = "none" | "state" | Refits;

/** Forecasts one load, slot by slot. It has no clock and does no I/O: each observed slot is one step of time. */
export class Forecaster {
  readonly #loads: Loads;
  readonly #precedents: Precedents;
  /** Loads that lead this one, slot by slot with it. */
  readonly #leaders: readonly Loads[];
  readonly mixture: Mixture;
  readonly #interval: Interval;
  readonly #movement = new Movement();
  readonly #scores: Scores;
  readonly #occurrence?: Occurrence;
  readonly #trial?: WakeTrial;
  /** The unfinished refit of the newest slot. */
  #refit?: Sliced;

  /**
   * @param stored the loads, when the caller stores them; the first observed slot has number 0
   * @param leaders loads that lead this one, by the same slots; each slot is read when it is observed
   * @param begins epoch milliseconds of the first observed slot
   */
  constructor(
    readonly settings: Settings,
    stored?: SlotLoads,
    leaders: readonly SlotLoads[] = [],
    begins = 0,
  ) {
    const { step, horizon, quantile, seasonality, timezone } = settings;
    const time = new LocalTime(timezone, step, begins);
    const daySlots = Math.max(1, Math.round(dayMilliseconds / step));
    const seasons = seasonsOf(step, keptSlots, seasonality);
    this.#precedents = new Precedents(daySlots);
    this.#loads = new Loads(keptSlots, stored, this.#precedents);
    this.#leaders = leaders.map(leader => new Loads(keptSlots, leader, new Precedents(daySlots)));
    this.mixture = new Mixture(expertsOf(settings, seasons, this.#leaders, time), horizon, Math.max(24, daySlots / 4));
    this.#interval = new Interval(horizon, seasons.day, quantile, time);
    this.#scores = new Scores(horizon, Math.max(288, daySlots));
    const { occurrence } = settings;
    if (!occurrence) return;
    const steps = Math.max(occurrence.wake, occurrence.idle);
    this.#occurrence = new Occurrence(steps, step, occurrence.threshold, time);
    this.#trial = new WakeTrial(occurrence);
  }

  /**
   * Observes the load of the next slot; NaN is a gap. A load that jumps by more than any before is a gap, too, until it
   * lasts. Scores the forecasts of that slot and updates the models. First
   * finishes the refit of the slot before; leaves a refit of this slot to `refit`.
   */
  observe(load: number): void {
    this.#take(load, "live");
  }

  get refits(): boolean {
    return this.#refit !== undefined;
  }

  /** Observes loads, one a slot, and finishes their refits. */
  *observeAll(loads: Iterable<number>): Sliced<Forecaster> {
    for (const load of loads) {
      this.observe(load);
      do yield;
      while (this.refit());
    }
    return this;
  }

  /**
   * Runs one slice of the unfinished refit, about a millisecond. Forecasts do not change before a model is refitted.
   * @returns whether the refit is still unfinished
   */
  refit(): boolean {
    if (this.#refit?.next().done !== false) this.#refit = undefined;
    return this.#refit !== undefined;
  }

  /**
   * The forecast from the newest slot. Undefined while no model has enough samples, and after a long gap.
   * @param running load of the running slot, taken for a complete slot as the origin; the models do not learn from it.
   * A load that jumps by more than any before is ignored.
   * @param quantiles probabilities of the upper quantiles; by default that of the settings
   * @param leading loads of the running slot of each leader
   */
  forecast(
    running?: number,
    quantiles: readonly number[] = [this.settings.quantile],
    leading: readonly (number | undefined)[] = [],
  ): Outlook | undefined {
    if (running === undefined || this.#loads.doubts(running)) return this.#outlook(this.#movement.after(), quantiles);
    const look = (): Outlook | undefined =>
      this.mixture.while(this.#loads, () => this.#outlook(this.#movement.after(this.#loads.newest), quantiles, 1));
    return this.#loads.while(
      running,
      this.#leaders.reduce((look, leader, which) => () => leader.while(leading[which] ?? NaN, look), look),
    );
  }

  /** The chances of load from the newest slot. Undefined without a verdict on them, and in a gap. */
  get chances(): Chances | undefined {
    const verdict = this.#trial?.verdict;
    const chances = Array.from(this.#occurrence?.chances ?? []);
    return verdict && chances.every(Number.isFinite)
      ? { ...verdict, chances, next: this.#occurrence?.nextUsual }
      : undefined;
  }

  /** The known loads so far, up to those that the forecast needs to act. */
  get samples(): number {
    const wanted = wantedOf(this.settings);
    return Math.min(this.#precedents.loads, this.#scores.origins > 0 ? wanted : wanted - 1);
  }

  /** Whether the forecast acts: it has an upper quantile. */
  get acts(): boolean {
    return this.samples >= wantedOf(this.settings);
  }

  get score(): Score {
    return this.#scores.score;
  }

  /**
   * A forecaster that has observed `loads`, one a slot, oldest first. Forecasts and scores the newest day only.
   * @param stored these loads and all later ones, when the caller stores them; the first has number 0
   * @param leaders loads that lead this one, by the same slots
   * @param begins epoch milliseconds of the first of these loads
   */
  static *replay(
    settings: Settings,
    loads: ArrayLike<number>,
    stored?: SlotLoads,
    leaders: readonly SlotLoads[] = [],
    begins = 0,
  ): Sliced<Forecaster> {
    const first = Math.max(0, loads.length - keptSlots);
    const later = (of: SlotLoads): SlotLoads => ({ at: slot => of.at(first + slot) });
    const forecaster = new Forecaster(
      settings,
      stored && later(stored),
      leaders.map(later),
      begins + first * settings.step,
    );
    const from = (days: number): number => loads.length - (days * dayMilliseconds) / settings.step;
    const [learnedFrom, scoredFrom] = [from(learnedDays), from(scoredDays)];
    const { wake = 1, idle = 1 } = settings.occurrence ?? {};
    const steps = Math.max(wake, idle);
    for (let slot = first; slot < loads.length; slot++) {
      const scored = slot >= scoredFrom;
      forecaster.#take(loads[slot] ?? NaN, scored ? "seldom" : slot >= learnedFrom ? "state" : "none");
      if (slot % Math.ceil(slotsPerSlice[scored ? "scored" : "unscored"] / steps) === 0) yield;
      while (forecaster.refit()) yield;
    }
    return forecaster;
  }

  #take(load: number, effort: Effort): void {
    if (this.#refit) runSlices(this.#refit);
    this.#occur(load);
    this.#loads.append(load);
    for (const leader of this.#leaders) leader.append(leader.stored?.at(leader.count) ?? NaN);
    if (effort === "none") return;
    const { newest } = this.#loads;
    this.mixture.learn(this.#loads);
    this.#movement.add(newest);
    if (effort === "state") return;
    this.mixture.forecast(this.#loads);
    this.#refit = this.mixture.refit(this.#loads, effort);
    const movement = this.#movement.after();
    const { loads } = this.mixture;
    this.#interval.add(this.#loads.count - 1, newest, loads, movement);
    const { horizon, quantile } = this.settings;
    const forecast = loads[horizon - 1] ?? NaN;
    const above = this.#interval.above(horizon, quantile, movement);
    this.#scores.add(newest, forecast, Math.min(this.#loads.ceiling, forecast + above));
  }

  /** Learns when there is load, and tries to wake by it. */
  #occur(load: number): void {
    if (!this.#occurrence) return;
    const known = asLoad(load);
    this.#occurrence.observe(known);
    this.#trial?.observe(known, this.#occurrence.chances);
  }

  #outlook(movement: number, quantiles: readonly number[], running = 0): Outlook | undefined {
    const loads = Array.from(this.mixture.loads);
    if (!loads.every(Number.isFinite)) return undefined;
    const { ceiling } = this.#loads;
    const [uppers = [], ...others] = quantiles.map(quantile =>
      loads.map((load, index) => {
        const above = this.#interval.above(index + 1, quantile, movement, running);
        return significant(Math.min(ceiling, load + above));
      }),
    );
    return { loads: loads.map(significant), uppers, others, model: this.mixture.leader };
  }
}

/** Rounds to the digits of single precision: 0.6, not 0.6000000238, which would round up to one more replica. */
const significant = (load: number): number => Number(load.toPrecision(7));

/** The highest chances of load within `wake` and within `idle` slots; undefined without a verdict on them. */
export function occurrenceOf(
  { chances: found }: Forecaster,
  wake: number,
  idle: number,
): OccurrenceForecast | undefined {
  if (!found) return undefined;
  const { chances, chance, trusted } = found;
  return { wake: Math.max(...chances.slice(0, wake)), idle: Math.max(...chances.slice(0, idle)), chance, trusted };
}
