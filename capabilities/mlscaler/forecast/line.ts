import type { Forecast } from "./forecast";
import { linear } from "./linear";

/**
 * The forecast of the short form: the least-squares line through the newest `historySize` loads, one step ahead.
 * Reports an error of the model as `failure`; never throws.
 * @param loads one load a step, oldest first
 */
export function lineForecast(loads: number[], historySize: number): Omit<Forecast, "horizonSeconds" | "trusted"> {
  const recent = loads.slice(-historySize);
  const result = { model: "linear", samples: recent.length, wanted: historySize };
  if (recent.length < historySize) return result;
  try {
    return { ...result, load: linear(recent, 1) };
  } catch (error) {
    return { ...result, failure: error instanceof Error ? error.message : String(error) };
  }
}
