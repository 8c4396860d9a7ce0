import { linear } from "./linear";

/** A forecast of load at one horizon. */
export interface Forecast {
  model: string;
  /** Load forecast; absent while the model learns, or when it failed. */
  load?: number;
  /** Samples that it is fitted on. */
  samples: number;
  /** Samples that it wants. */
  wanted: number;
  /** Why there is no load although there are samples enough. */
  failure?: string;
}

/**
 * The forecast of the short form: a line through the last `historySize` loads (oldest first, one a step), one step
 * ahead. Nothing that a model does, a throw included, gets out of here.
 */
export function forecast(loads: number[], historySize: number): Forecast {
  const recent = loads.slice(-historySize);
  const result: Forecast = { model: "linear", samples: recent.length, wanted: historySize };
  if (recent.length < historySize) return result;
  try {
    return { ...result, load: linear(recent, 1) };
  } catch (error) {
    return { ...result, failure: error instanceof Error ? error.message : String(error) };
  }
}
