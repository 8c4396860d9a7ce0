import type { Trace } from "./trace";
import { accuracyOf, forecastAll } from "./forecast-accuracy";
import { measureCost, type Cost } from "./forecast-cost";
import { partsOf, type Figures, type Measured, type Part } from "./forecast-figures";
import { gains } from "./forecast-loop";
import { fromEachStart } from "./processes";
import { ownTraces, tracesIn } from "./forecast-traces";

/** Which loads are measured. */
export interface ForecastSettings {
  /** A folder of traces; absent for those of the project. */
  traces?: string;
  /** Whether to measure parts: the even and the odd traces, and a third set. A folder adds its traces to the third. */
  select?: string | true;
  /** From how many starts each trace is measured. */
  starts: number;
}

/**
 * Forecasts every trace of a folder, or of the project, and scales by the forecasts.
 * @param say receives messages about the progress
 */
export async function measureForecast(
  { traces: folder, select, starts }: ForecastSettings,
  say: (text: string) => void,
): Promise<{ measured: Measured[]; parts: Part[]; cost: Cost }> {
  const cost = measureCost();
  const all = (traces: Trace[]): Promise<Measured[]> => fromEachStart(__filename, "figuresOf", traces, starts, say);
  const measured = await all(folder ? tracesIn(folder) : await ownTraces());
  if (!select) return { measured, parts: [], cost };
  const third = [...(folder ? await ownTraces() : []), ...(select === true ? [] : tracesIn(select))];
  return { measured, parts: partsOf(measured, await all(third)), cost };
}

export function figuresOf(trace: Trace): Figures {
  const accuracy = accuracyOf(forecastAll(trace));
  const [u90, u80] = gains(trace, [0.9, 0.8]);
  if (!u90 || !u80) throw new Error(`${trace.name}: nothing was compared`);
  const last = accuracyOf(forecastAll(trace, "last"));
  return { accuracy, last, gains: { u90, u80 } };
}
