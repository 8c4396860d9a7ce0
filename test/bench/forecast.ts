import { accuracyOf, forecastAll } from "./forecast-accuracy";
import { measureCost, type Cost } from "./forecast-cost";
import type { Measured } from "./forecast-figures";
import { gains } from "./forecast-loop";
import { ownTraces, tracesIn } from "./forecast-traces";

/** The default of spec.forecast.quantile_percent. */
const loopQuantile = 0.9;

/**
 * Forecasts every trace of a folder, or of the project, and scales by the forecasts.
 * @param say receives messages about the progress
 */
export async function measureForecast(
  folder: string | undefined,
  say: (text: string) => void,
): Promise<{ measured: Measured[]; cost: Cost }> {
  const cost = measureCost();
  const traces = folder ? tracesIn(folder) : await ownTraces();
  const measured = traces.map((trace): Measured => {
    say(`${trace.name}: ${trace.values.length} slots of ${trace.stepMilliseconds / 1000} s`);
    const forecasts = forecastAll(trace);
    const [u90, u80] = gains(forecasts, loopQuantile, [0.9, 0.8]);
    if (!u90 || !u80) throw new Error(`${trace.name}: nothing was compared`);
    const last = accuracyOf(forecastAll(trace, "last"));
    return { name: trace.name, accuracy: accuracyOf(forecasts), last, gains: { u90, u80 } };
  });
  return { measured, cost };
}
