import type { Trace } from "./trace";
import { accuracyOf, forecastAll } from "./forecast-accuracy";
import { measureCost, type Cost } from "./forecast-cost";
import { partsOf, type Measured, type Part } from "./forecast-figures";
import { gains } from "./forecast-loop";
import { ownTraces, tracesIn } from "./forecast-traces";

/** Which loads are measured. */
export interface ForecastSettings {
  /** A folder of traces; absent for those of the project. */
  traces?: string;
  /** Whether to measure parts: the even and the odd traces, and a third set. A folder adds its traces to the third. */
  select?: string | true;
}

/**
 * Forecasts every trace of a folder, or of the project, and scales by the forecasts.
 * @param say receives messages about the progress
 */
export async function measureForecast(
  { traces: folder, select }: ForecastSettings,
  say: (text: string) => void,
): Promise<{ measured: Measured[]; parts: Part[]; cost: Cost }> {
  const cost = measureCost();
  const measured = (folder ? tracesIn(folder) : await ownTraces()).map(trace => measure(trace, say));
  if (!select) return { measured, parts: [], cost };
  const third = [...(folder ? await ownTraces() : []), ...(select === true ? [] : tracesIn(select))];
  const parts = partsOf(
    measured,
    third.map(trace => measure(trace, say)),
  );
  return { measured, parts, cost };
}

function measure(trace: Trace, say: (text: string) => void): Measured {
  say(`${trace.name}: ${trace.values.length} slots of ${trace.stepMilliseconds / 1000} s`);
  const accuracy = accuracyOf(forecastAll(trace));
  const [u90, u80] = gains(trace, [0.9, 0.8]);
  if (!u90 || !u80) throw new Error(`${trace.name}: nothing was compared`);
  const last = accuracyOf(forecastAll(trace, "last"));
  return { name: trace.name, accuracy, last, gains: { u90, u80 } };
}
