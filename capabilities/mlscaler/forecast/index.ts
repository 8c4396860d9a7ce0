import { linear } from "./linear";

/** What is forecast of one load at one horizon. */
export interface Forecast {
  model: string;
  /** How far ahead it looks. */
  horizonSeconds: number;
  /** Load forecast; absent while the model learns, or when it failed. */
  load?: number;
  /** What the load stays below as often as is wanted, at its highest until the horizon; absent without a quantile. */
  upper?: number;
  /** Samples that it is fitted on, or forecasts that are scored, and how many it wants before it counts. */
  samples: number;
  wanted: number;
  /** 1 - MAE / MAE of the last load, over the last day; absent until scored. */
  skill?: number;
  /** Share of loads under `upper`, over the last day. */
  coverage?: number;
  /** Whether it may raise the count. */
  trusted: boolean;
  /** Why there is no load although there are samples enough. */
  failure?: string;
}

/**
 * The forecast of the short form: a line through the last `historySize` loads (oldest first, one a step), one step
 * ahead. Nothing that a model does, a throw included, gets out of here.
 */
export function forecast(loads: number[], historySize: number): Omit<Forecast, "horizonSeconds" | "trusted"> {
  const recent = loads.slice(-historySize);
  const result = { model: "linear", samples: recent.length, wanted: historySize };
  if (recent.length < historySize) return result;
  try {
    return { ...result, load: linear(recent, 1) };
  } catch (error) {
    return { ...result, failure: error instanceof Error ? error.message : String(error) };
  }
}
