import type { Effort, Expert } from "./expert";
import { Holt } from "./holt";
import { HoltWinters } from "./holt-winters";
import { Interval, Movement } from "./interval";
import { Lags } from "./lags";
import { last } from "./last";
import { line } from "./linear";
import { Loads, type Slots } from "./loads";
import { Mixture } from "./mixture";
import { polynomial } from "./polynomial";
import { Profile } from "./profile";
import { Scores } from "./scores";
import { Seasonal } from "./seasonal";
import { dayMilliseconds, seasonsOf, type Seasonality, type Seasons } from "./seasons";
import { theilSen } from "./theil-sen";
import { finished, type Work } from "./work";

export type { Seasonality } from "./seasons";

/** The models by name, as spec.forecast.model has them (without "off"). */
export const models = ["auto", "last", "linear", "polynomial", "theil_sen", "holt", "holt_winters", "lags"] as const;
export type Model = (typeof models)[number];

export interface Settings {
  model: Model;
  /** Milliseconds from one slot to the next. */
  step: number;
  /** How many steps ahead are looked at, from 1: the last one is where new replicas start to matter. */
  horizon: number;
  /** Which upper quantile is given, 0.5 < q < 1. */
  quantile: number;
  /** Seasons to use; absent: as far as history holds them. */
  seasonality?: Seasonality[];
  /** By how many slots its refits come later: of many workloads whose slots end at once not all refit in the same. */
  phase?: number;
}

/** What is forecast from one origin. Arrays have `horizon` entries: steps 1 … horizon after the newest slot. */
export interface Outlook {
  loads: number[];
  uppers: number[];
  /** The model that weighs most at the last step. */
  model: string;
}

/** How the forecasts at the last step of the horizon did. */
export interface Score {
  /** Forecasts scored so far. */
  origins: number;
  /** 1 - MAE / MAE of `last`, over the last day (288 forecasts at least, where there are so many). */
  skill?: number;
  /** Share of loads under the upper quantile, over the same. */
  coverage?: number;
}

/** Four weeks of five minutes. */
const kept = 8064;
const hour = 3_600_000;
/** What is scored of history when it is replayed, each slot a piece of work by itself, and how many slots before it are one. */
const scoredDays = 2;
const piece = 64;

/** The forecast of one workload's load, and what it remembers for it. Pure: no clock, no I/O; slots are what passes time. */
export class Forecaster {
  readonly #loads: Loads;
  readonly #mixture: Mixture;
  readonly #interval: Interval;
  readonly #movement = new Movement();
  readonly #scores: Scores;
  /** What the newest slot left to do. */
  #refit?: Work;

  /** @param slots where the loads are kept anyway, the first one that is observed as 0; absent: it keeps them itself */
  constructor(
    readonly settings: Settings,
    slots?: Slots,
  ) {
    const { step, horizon, quantile, seasonality } = settings;
    const daySlots = Math.max(1, Math.round(dayMilliseconds / step));
    const seasons = seasonsOf(step, kept, seasonality);
    this.#loads = new Loads(kept, slots);
    this.#mixture = new Mixture(expertsOf(settings, seasons), horizon, Math.max(48, daySlots / 2));
    this.#interval = new Interval(horizon, seasons.day, quantile);
    this.#scores = new Scores(horizon, Math.max(288, daySlots));
  }

  /**
   * The load of the next slot; NaN is a gap. Scores the forecasts made for it, updates the models. What takes long is left
   * to `refit`; what is left of the slot before is done first.
   */
  observe(load: number): void {
    this.#take(load, "live");
  }

  /** Whether the newest slot left anything to do. */
  get refits(): boolean {
    return this.#refit !== undefined;
  }

  /** Observes these loads, one after another, in pieces of work. */
  *observeAll(loads: Iterable<number>): Work<Forecaster> {
    for (const load of loads) {
      this.observe(load);
      do yield;
      while (this.refit());
    }
    return this;
  }

  /**
   * Does a piece, about a millisecond, of what the newest slot left to do, and says whether there is more. The models stay
   * as they are until one of them is done.
   */
  refit(): boolean {
    if (this.#refit?.next().done !== false) this.#refit = undefined;
    return this.#refit !== undefined;
  }

  /**
   * Forecast from the newest slot on; `running`: the load of the slot that is under way, counted as if it were complete
   * (nothing is learnt from it); `quantile`: another than that of the settings. Undefined while no model has samples
   * enough, and after a long gap.
   */
  forecast(running?: number, quantile = this.settings.quantile): Outlook | undefined {
    if (running === undefined) return this.#outlook(this.#movement.after(), quantile);
    const outlook = this.#loads.while(running, () => {
      this.#mixture.predict(this.#loads);
      return this.#outlook(this.#movement.after(this.#loads.newest), quantile, 1);
    });
    this.#mixture.predict(this.#loads);
    return outlook;
  }

  get score(): Score {
    return this.#scores.score;
  }

  /**
   * A forecaster that has seen `loads`, one a slot, oldest first. Yields between pieces of the work, so that the caller can
   * let others run. Only the newest days are forecast and scored.
   * @param slots where these loads and those that follow are kept anyway, the first of them as 0
   */
  static *replay(settings: Settings, loads: ArrayLike<number>, slots?: Slots): Work<Forecaster> {
    const first = Math.max(0, loads.length - kept);
    const forecaster = new Forecaster(settings, slots && { at: slot => slots.at(first + slot) });
    const scoredFrom = loads.length - (scoredDays * dayMilliseconds) / settings.step;
    for (let slot = first; slot < loads.length; slot++) {
      const scored = slot >= scoredFrom;
      forecaster.#take(loads[slot] ?? NaN, scored ? "seldom" : "state");
      if (scored || slot % piece === 0) yield;
      while (forecaster.refit()) yield;
    }
    return forecaster;
  }

  #take(load: number, effort: Effort): void {
    if (this.#refit) finished(this.#refit);
    this.#loads.append(load);
    const { newest } = this.#loads;
    this.#mixture.learn(this.#loads, effort);
    this.#refit = this.#mixture.refit(this.#loads, effort);
    this.#movement.add(newest);
    const movement = this.#movement.after();
    const { loads } = this.#mixture;
    this.#interval.add(newest, loads, movement);
    const { horizon, quantile } = this.settings;
    const forecast = loads[horizon - 1] ?? NaN;
    this.#scores.add(newest, forecast, forecast + this.#interval.above(horizon, quantile, movement));
  }

  #outlook(movement: number, quantile: number, running = 0): Outlook | undefined {
    const loads = Array.from(this.#mixture.loads);
    if (!loads.every(Number.isFinite)) return undefined;
    const uppers = loads.map((load, index) => load + this.#interval.above(index + 1, quantile, movement, running));
    return { loads: loads.map(significant), uppers: uppers.map(significant), model: this.#mixture.leader };
  }
}

/** Without the digits that single precision does not hold: 0.6, not 0.6000000238, which would ask for one replica more. */
const significant = (load: number): number => Number(load.toPrecision(7));

function expertsOf({ model, step, horizon, phase }: Settings, seasons: Seasons): Expert[] {
  const day = Math.max(1, Math.round(dayMilliseconds / step));
  const { day: daily, week: weekly } = seasons;
  const smoothed = Math.max(60, day / 4);
  const every = Math.max(12, Math.round(hour / step));
  const lags = new Lags(seasons, horizon, every, model === "auto", phase);
  const make = {
    last: () => [last],
    linear: () => [line()],
    polynomial: () => [polynomial()],
    theil_sen: () => [theilSen()],
    holt: () => [new Holt(horizon, smoothed)],
    holt_winters: () => (daily ? [new HoltWinters(daily, horizon, smoothed)] : [new Holt(horizon, smoothed)]),
    lags: () => [lags],
    auto: () => [
      last,
      line(0.5),
      theilSen(),
      new Holt(horizon, smoothed),
      ...(daily ? [new HoltWinters(daily, horizon, smoothed), new Profile(daily, horizon, 2 * day)] : []),
      ...(daily ? [new Seasonal("day", daily, horizon, 2 * day)] : []),
      ...(weekly ? [new Seasonal("week", weekly, horizon, 2 * day)] : []),
      lags,
      lags.boosted,
    ],
  } satisfies { [name in Model]: () => Expert[] };
  return make[model]();
}
