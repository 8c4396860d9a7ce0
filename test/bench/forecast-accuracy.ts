import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { finished } from "../../capabilities/mlscaler/forecast/work";
import type { Trace } from "../../sandbox/trace";

/** Steps ahead at which forecasts are judged; quantiles are at `quantileStep`. */
export const judgedSteps = [1, 3, 6, 12] as const;
export const horizon = 12;
const quantileStep = 3;

/** The quantiles that are forecast: of the closed loop, and those that are judged. */
export const quantiles = [0.8, 0.9, 0.95] as const;
export type Quantile = (typeof quantiles)[number];

/** Forecasts from every slot of the last part of a trace. */
export interface Forecasts {
  trace: Trace;
  /** The first slot that is forecast from: what is before is history. */
  from: number;
  /** By slot less `from`: loads 1 … `horizon` steps ahead, and their upper quantiles. */
  loads: number[][];
  uppers: Record<Quantile, number[][]>;
}

/** How they did, all but coverage in units of the mean change from one slot of the history to the next. */
export interface Accuracy {
  /** MASE by step of `judgedSteps`. */
  errors: number[];
  /** Pinball losses of 90 % and 95 %, and the share of loads under 90 %. */
  pinball: { q90: number; q95: number };
  coverage: number;
}

/** Forecasts a trace as the controller would: 70 % of it as stored history, then slot by slot. */
export function forecastAll(trace: Trace, model: Settings["model"] = "auto"): Forecasts {
  const { values, stepMilliseconds: step } = trace;
  const from = Math.floor(values.length * 0.7);
  const forecaster = finished(Forecaster.replay({ model, step, horizon, quantile: 0.9 }, values.slice(0, from)));
  const forecasts: Forecasts = { trace, from, loads: [], uppers: { 0.8: [], 0.9: [], 0.95: [] } };
  for (const value of values.slice(from)) {
    finished(forecaster.observeAll([value]));
    for (const quantile of quantiles) {
      const outlook = forecaster.forecast(undefined, quantile);
      if (!outlook) throw new Error(`${trace.name}: there is no forecast`);
      if (quantile === 0.9) forecasts.loads.push(outlook.loads);
      forecasts.uppers[quantile].push(outlook.uppers);
    }
  }
  return forecasts;
}

export function accuracyOf({ trace, from, loads, uppers }: Forecasts): Accuracy {
  const { values } = trace;
  const scale = mean(values.slice(1, from).map((value, index) => Math.abs(value - (values[index] ?? NaN))));
  /** The mean over all origins whose 12th next load is known. */
  const overOrigins = (loss: (origin: number, actual: (step: number) => number) => number): number =>
    mean(
      Array.from({ length: values.length - horizon - from }, (_, origin) =>
        loss(origin, step => values[from + origin + step] ?? NaN),
      ),
    );
  const upper = (quantile: Quantile, origin: number): number => uppers[quantile][origin]?.[quantileStep - 1] ?? NaN;
  const pinball = (quantile: Quantile): number =>
    overOrigins((origin, actual) => {
      const above = actual(quantileStep) - upper(quantile, origin);
      return Math.max(quantile * above, (quantile - 1) * above);
    });
  return {
    errors: judgedSteps.map(
      step => overOrigins((origin, actual) => Math.abs(actual(step) - (loads[origin]?.[step - 1] ?? NaN))) / scale,
    ),
    pinball: { q90: pinball(0.9) / scale, q95: pinball(0.95) / scale },
    coverage: overOrigins((origin, actual) => (actual(quantileStep) <= upper(0.9, origin) ? 1 : 0)),
  };
}

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
