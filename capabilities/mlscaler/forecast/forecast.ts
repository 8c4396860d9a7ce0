/** The forecast of one load at one horizon. */
export interface Forecast {
  model: string;
  horizonSeconds: number;
  /** The load at the horizon. Absent while the model learns, and when it fails. */
  load?: number;
  /** The highest upper quantile of the load until the horizon. Absent for a model without quantiles. */
  upper?: number;
  /** The probability of `upper`, in percent. Absent for a line. */
  percent?: number;
  /** Other upper quantiles. The outcome may choose one instead of `upper`. Absent where the spec names one. */
  others?: { percent: number; upper: number; nodesUpper?: number }[];
  /** The forecast until the horizon of new nodes, which is longer. Absent unless asked for. */
  nodes?: NodesForecast;
  /** The highest upper quantile within the time that a target stays idle, which is longer. Absent unless asked for. */
  idleUpper?: number;
  /**
   * An upper quantile up to this value may belong to no load at all, because a quantile is seldom exactly 0. Absent
   * unless asked for.
   */
  noise?: number;
  /** The chance that there is load at all, with a trial of waking by it. Absent unless asked for, and while untried. */
  occurrence?: OccurrenceForecast;
  /** The load when pods without a sample count as 0. Only a line has it. */
  lowest?: number;
  /** The known loads, up to `wanted`, or the samples of a fit. */
  samples: number;
  /** How many `samples` the forecast needs before it counts. */
  wanted: number;
  /** 1 - MAE / MAE of the last load, over the last day. Absent until forecasts are scored. */
  skill?: number;
  /** Share of the loads at or under `upper`, over the last day. */
  coverage?: number;
  /** Whether the forecast may raise the replica count. */
  trusted: boolean;
  /** What the trial says of a forecast that is worth its replicas, and of one that is not. Absent before a verdict. */
  worth?: Tried;
  worthless?: Tried;
  /** Present while a forecast that was trusted before is not there yet. */
  replaying?: Replaying;
  /** Why `load` is absent although there are enough samples. */
  failure?: string;
}

/** The quantile in percent that acts before a verdict where the spec names none, and those that may act after it. */
export const firstQuantile = 90;
export const otherQuantiles = [60, 95] as const;
export const quantiles = [firstQuantile, ...otherQuantiles] as const;

/** HPA alone, and raised by the forecast, in the days of a trial. */
export type Tried = Record<"hpa" | "raised", LoopSums>;

export interface LoopSums {
  /** Replicas, times ms. */
  replicas: number;
  /** Replicas that a load needed beyond the ready ones, times ms. */
  missing: number;
}

/** What a forecast says until the horizon of new nodes. */
export interface NodesForecast {
  horizonSeconds: number;
  /** The highest upper quantile of the load. */
  upper: number;
  /** The highest chance of load, from 0 to 1. Absent where `occurrence` is. */
  wake?: number;
}

/** The highest chances of load, from 0 to 1. */
export interface OccurrenceForecast {
  /** Within the horizon. */
  wake: number;
  idle: number;
  chance: number;
  /** The next time of the day, or of the week, that usually has load, in epoch milliseconds; for people. */
  next?: { at: number; chance: number };
  /** Whether waking by it has missed less load than a longer cool-down. */
  trusted: boolean;
}

/**
 * The state of a forecast that was trusted before and is not there: its history is replayed, read or backfilled.
 * - Begun: as Held, in the first minute. Most replays end in it, so that the status need not tell of them.
 * - Held: it may still ask for more than the current load, so the count is not lowered.
 * - Overdue: it was absent for longer than `replayDeadlineSeconds`. The current load decides alone.
 */
export type Replaying = (typeof replayStates)[number];

const replayStates = ["Held", "Begun", "Overdue"] as const;

/** The time in which the status does not tell of an absent forecast, and the longest in which it holds the count. */
export const replayBegunSeconds = 60;
export const replayDeadlineSeconds = 600;

/** Whether a forecast that is not there holds the count. */
export const isAwaited = (replaying: Replaying | undefined): boolean => replaying === "Begun" || replaying === "Held";

/** The state of several forecasts: one that holds the count comes before one that is overdue. */
export const replayingOf = (forecasts: (Forecast | undefined)[]): Replaying | undefined =>
  replayStates.find(state => forecasts.some(forecast => forecast?.replaying === state));
