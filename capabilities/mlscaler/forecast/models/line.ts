import { SLR } from "ml-regression";
import { continuous, longestBridge, type Series } from "../../history/series";
import type { Forecast } from "../forecast";

/**
 * The forecast of a line through the newest loads of a series, one step ahead. It may act as soon as it has its
 * samples.
 * @param samples the number of loads that the line is fitted to
 * @param now epoch milliseconds
 * @param cautious the newest load when pods without a sample count as 0, where that is less
 */
export function lineOf(series: Series, samples: number, now: number, cautious: number | undefined): Forecast {
  const loads = continuous(series, now);
  const line = lineForecast(loads, samples);
  const newest = loads.at(-1);
  const least =
    cautious === undefined
      ? line
      : lineForecast([...loads.slice(0, -1), Math.min(cautious, newest ?? cautious)], samples);
  return { ...line, lowest: least.load, trusted: true, horizonSeconds: series.step / 1000 };
}

/**
 * The forecast of the least-squares line through the newest `historySize` loads, one step ahead. Reports an error of
 * the model as `failure`; never throws.
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

/** The load that the short form's line forecasts for the step after `slot`; undefined when it has too few loads. */
export function lineAfter(loads: number[], slot: number, historySize: number): number | undefined {
  const capacity = historySize + longestBridge;
  const last = loads.findLastIndex((load, index) => index <= slot && !Number.isNaN(load));
  const values = loads.slice(Math.max(0, last + 1 - capacity), last + 1);
  const series = { step: 1, origin: 0, capacity, last, values };
  return lineForecast(continuous(series, slot), historySize).load;
}

/**
 * The load `steps` steps after the last one, on the least-squares line through `loads` (ml-regression's
 * SimpleLinearRegression, ordinary least squares); at least 0. x is the index in `loads`: epoch times would lose
 * precision. Throws Error when there are fewer than two loads or the line is not finite.
 * @param loads one load a step, oldest first
 */
export function linear(loads: number[], steps: number): number {
  if (loads.length < 2) throw new Error(`a line needs 2 samples, there are ${loads.length}`);
  const line = new SLR(
    loads.map((_, index) => index),
    loads,
  );
  const load = line.predict(loads.length - 1 + steps);
  if (!Number.isFinite(load)) throw new Error(`the line through ${loads.length} samples gives ${load}`);
  return Math.max(0, load);
}
