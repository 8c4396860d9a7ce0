import { Forecaster, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { codeOf, loadOfCode } from "../../capabilities/mlscaler/history/compact-loads";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import type { Trace } from "./trace";

/** The steps ahead at which forecasts are judged. Quantiles are judged at `quantileStep`. */
export const judgedSteps = [1, 3, 6, 12] as const;
const horizon = 12;
export const quantileStep = 3;

/** The judged upper quantiles. */
const quantiles = [0.9, 0.95] as const;
type Quantile = (typeof quantiles)[number];

/** Forecasts from every slot of the last part of a trace. */
export interface Forecasts {
  trace: Trace;
  /** The first slot from which the engine forecasts. Earlier slots are history. */
  from: number;
  /** By slot minus `from`: the loads 1 to `horizon` steps ahead and their upper quantiles. */
  loads: number[][];
  uppers: Record<Quantile, number[][]>;
  /** By slot minus `from`: the forecasts of the models, by model and step. */
  ofModels: Float64Array[];
}

/**
 * The accuracy of forecasts. All figures except coverage are in units of the mean change between two slots of the
 * history.
 */
export interface Accuracy {
  /** MASE by the steps in `judgedSteps`. */
  errors: number[];
  /** Pinball losses at 90 % and 95 %, and the share of loads below the 90 % quantile. */
  pinball: { q90: number; q95: number };
  coverage: number;
  /** The hours of the day whose coverage is more than three standard errors from 0.90. */
  hoursOff: number;
  /** The error over that of the best single model, by the steps in `judgedSteps`. */
  ofBestModel: number[];
}

/** The slots of a trace that are stored history. */
export const historyOf = ({ values }: Trace): number => Math.floor(values.length * 0.7);

/** Forecasts a trace like the controller: the slots after the history follow one by one. */
export function forecastAll(trace: Trace, model: Settings["model"] = "auto"): Forecasts {
  const { values, stepMilliseconds: step } = trace;
  const from = historyOf(trace);
  // The controller's forecasters read the loads as a grid keeps them.
  const kept = values.map(value => loadOfCode(codeOf(value)));
  const forecaster = runSlices(Forecaster.replay({ model, step, horizon, quantile: 0.9 }, kept.slice(0, from)));
  const forecasts: Forecasts = { trace, from, loads: [], uppers: { 0.9: [], 0.95: [] }, ofModels: [] };
  for (const value of kept.slice(from)) {
    runSlices(forecaster.observeAll([value]));
    forecasts.ofModels.push(forecaster.mixture.forecasts.slice());
    for (const quantile of quantiles) {
      const outlook = forecaster.forecast(undefined, [quantile]);
      if (!outlook) throw new Error(`${trace.name}: there is no forecast`);
      if (quantile === 0.9) forecasts.loads.push(outlook.loads);
      forecasts.uppers[quantile].push(outlook.uppers);
    }
  }
  return forecasts;
}

export function accuracyOf({ trace, from, loads, uppers, ofModels }: Forecasts): Accuracy {
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
  const forecastOf = (step: number, origin: number): number => loads[origin]?.[step - 1] ?? NaN;
  /** The error over that of a model, from the origins from which the model has a forecast. */
  const overModel = (which: number, step: number): number => {
    const ofModel = (origin: number): number => ofModels[origin]?.[which * horizon + step - 1] ?? NaN;
    const error = (forecast: (origin: number) => number): number =>
      overOrigins((origin, actual) => (ofModel(origin) >= 0 ? Math.abs(actual(step) - forecast(origin)) : 0));
    return error(origin => forecastOf(step, origin)) / error(ofModel);
  };
  const models = Array.from({ length: (ofModels[0]?.length ?? 0) / horizon }, (_, which) => which);
  return {
    errors: judgedSteps.map(
      step => overOrigins((origin, actual) => Math.abs(actual(step) - forecastOf(step, origin))) / scale,
    ),
    ofBestModel: judgedSteps.map(step =>
      Math.max(...models.map(which => overModel(which, step)).filter(Number.isFinite)),
    ),
    pinball: { q90: pinball(0.9) / scale, q95: pinball(0.95) / scale },
    coverage: overOrigins((origin, actual) => (actual(quantileStep) <= upper(0.9, origin) ? 1 : 0)),
    hoursOff: hoursOff(
      uppers[0.9].flatMap((_, origin) => {
        const slot = from + origin + quantileStep;
        const load = values[slot] ?? NaN;
        const at = trace.startedAt + slot * trace.stepMilliseconds;
        return Number.isNaN(load) ? [] : { at, covered: load <= upper(0.9, origin) };
      }),
    ),
  };
}

/** The hours of the day in which the share of covered loads is more than three standard errors from 0.90. */
export function hoursOff(loads: { at: number; covered: boolean }[]): number {
  const hours = Array.from({ length: 24 }, () => ({ all: 0, covered: 0 }));
  for (const { at, covered } of loads) {
    const hour = hours[Math.floor(at / 3_600_000) % 24];
    if (!hour) continue;
    hour.all++;
    if (covered) hour.covered++;
  }
  return hours.filter(({ all, covered }) => Math.abs(covered / all - 0.9) > 3 * Math.sqrt((0.9 * 0.1) / all)).length;
}

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
