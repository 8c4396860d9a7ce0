import { lineAfter } from "../../capabilities/mlscaler/forecast/models/line";
import { occurrenceOf, type Settings } from "../../capabilities/mlscaler/forecast/forecaster";
import { noiseOf } from "../../capabilities/mlscaler/forecast/occurrence/noise";
import { dayMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { withoutNoise } from "../../capabilities/mlscaler/scaling/ahead/raise";
import type { AtZero } from "../../capabilities/mlscaler/backtest/autoscalers";
import { origins } from "../../capabilities/mlscaler/backtest/origins";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";

/** The forecasts from the end of each slot that decide. Arrays have an entry per slot; undefined is none. */
export interface Kept {
  /** The highest upper quantile until the horizon, forecast from this slot; undefined without a trusted forecast. */
  highest: (number | undefined)[];
  /** What decides between 0 replicas and 1, by slot; absent for a target that keeps a replica. */
  atZero?: (AtZero | undefined)[];
  /** Those at the other quantiles, in their order. */
  atOthers?: Kept[];
}

/** The forecasts from the end of each slot, and their accuracy. */
export interface Foresight extends Kept {
  /** Those until the horizon of replicas whose nodes come before them; absent in a scenario without nodes. */
  ofReplicas?: Kept;
  /** The load and its upper quantile in this slot, forecast one horizon before. */
  loads: (number | undefined)[];
  uppers: (number | undefined)[];
  /** 1 - mean error / mean error of the last value, at the last step of the horizon; absent without a scored slot. */
  skill?: number;
  /** The share of the loads that are at or below their upper quantile. */
  coverage?: number;
  /** The share of the slots in which the forecast may act. */
  trusted?: number;
  /** The model with the highest weight at the end. */
  model?: string;
}

/**
 * The forecasts of the engine, slot by slot from `from` on. The controller of these forecasts learned the loads before
 * from the store or a backfill. Yields the number of slots that are done.
 * @param others further upper quantiles in percent; accuracy is that of the scenario's quantile
 */
export function* foreseen(
  loads: number[],
  scenario: Scenario,
  others: readonly number[] = scenario.others ?? [],
): Generator<number, Foresight> {
  const { forecast, from, zero, begins, nodes } = scenario;
  const settings = settingsOf(scenario);
  const quantiles = [settings.quantile, ...others.map(percent => percent / 100)];
  const single = (): Kept => ({
    highest: none(loads.length),
    ...(zero && { atZero: none(loads.length) }),
  });
  const kept = (): Kept => ({ ...single(), atOthers: others.map(single) });
  const foresight: Foresight = { ...empty(loads.length), ...kept(), ...(nodes && { ofReplicas: kept() }) };
  const capacity = scenario.capacity * scenario.utilization;
  const daySlots = Math.round(dayMilliseconds / forecast.step);
  let trusted = 0;
  let done = 0;
  for (const origin of origins(settings, loads, from, begins)) {
    if (origin && origin.slot > from) {
      const newest = origin.slot - 1;
      const { acts } = origin.forecaster;
      const outlook = origin.forecaster.forecast(undefined, quantiles);
      if (acts && outlook) trusted++;
      if (outlook) {
        const keep = (uppers: number[], { highest, atZero }: Kept, horizon = forecast.horizon): void => {
          const upper = Math.max(...uppers.slice(0, horizon));
          const noise = zero ? noiseOf(loads.slice(Math.max(0, origin.slot - daySlots), origin.slot)) : 0;
          if (acts) highest[newest] = zero ? withoutNoise({ upper, noise }, capacity) : upper;
          if (!zero || !atZero) return;
          const idleUpper = Math.max(...uppers.slice(0, zero.idleSteps));
          const occurrence = occurrenceOf(origin.forecaster, horizon, zero.idleSteps);
          atZero[newest] = { trusted: acts, upper, idleUpper, noise, occurrence };
        };
        if (acts || zero) {
          const keepAll = (into: Kept, steps?: number): void => {
            keep(outlook.uppers, into, steps);
            for (const [index, other] of (into.atOthers ?? []).entries())
              keep(outlook.others[index] ?? [], other, steps);
          };
          keepAll(foresight);
          if (foresight.ofReplicas) keepAll(foresight.ofReplicas, nodes?.replicaHorizon);
        }
        foresight.model = outlook.model;
        const [load, upper] = [outlook.loads, outlook.uppers].map(steps => steps[forecast.horizon - 1]);
        set(foresight, newest + forecast.horizon, load, upper);
      }
      done = newest - from;
    }
    yield done;
  }
  return {
    ...scored(foresight, loads, forecast.horizon),
    trusted: trusted / (loads.length - from),
  };
}

/** The settings of the forecaster. That of a target that goes to 0 looks as far ahead as the target stays idle. */
function settingsOf({ forecast, zero }: Scenario): Settings {
  if (!zero) return forecast;
  const { block, threshold, idleSteps: idle } = zero;
  const horizon = Math.max(forecast.horizon, idle);
  if (!block) return { ...forecast, horizon };
  const coolDown = Math.ceil((1000 * block.cooldown_seconds) / forecast.step);
  const occurrence = { threshold, coolDown, wake: forecast.horizon, idle, least: 1 - forecast.quantile };
  return { ...forecast, horizon, occurrence };
}

/** The forecasts of a line, one step ahead. */
export function lineForeseen(loads: number[], { historySize, from }: Scenario): Foresight {
  const foresight = empty(loads.length);
  for (let slot = from; slot < loads.length; slot++) {
    const load = lineAfter(loads, slot, historySize);
    foresight.highest[slot] = load;
    set(foresight, slot + 1, load);
  }
  return scored(foresight, loads, 1);
}

/** The forecasts of an oracle that knows the trace. */
export function perfectlyForeseen(loads: number[], { forecast: { horizon }, from, zero }: Scenario): Foresight {
  const foresight = { ...empty(loads.length), ...(zero && { atZero: none<AtZero>(loads.length) }) };
  const highestIn = (slot: number, steps: number): number | undefined => {
    const coming = loads.slice(slot + 1, slot + 1 + steps).filter(load => !Number.isNaN(load));
    return coming.length > 0 ? Math.max(...coming) : undefined;
  };
  for (let slot = from; slot < loads.length; slot++) {
    const upper = highestIn(slot, horizon);
    foresight.highest[slot] = upper;
    if (zero && foresight.atZero && upper !== undefined)
      foresight.atZero[slot] = { trusted: true, upper, idleUpper: highestIn(slot, zero.idleSteps) ?? upper, noise: 0 };
    set(foresight, slot + horizon, loads[slot + horizon], loads[slot + horizon]);
  }
  return scored(foresight, loads, horizon);
}

const none = <Value>(length: number): (Value | undefined)[] => new Array<undefined>(length).fill(undefined);

const empty = (length: number): Foresight => ({ highest: none(length), loads: none(length), uppers: none(length) });

function set({ loads, uppers }: Foresight, slot: number, load?: number, upper?: number): void {
  if (slot >= loads.length) return;
  loads[slot] = load;
  uppers[slot] = upper;
}

/** Adds the accuracy of forecasts that are `steps` ahead. */
function scored(foresight: Foresight, loads: number[], steps: number): Foresight {
  let [error, errorOfLast, covered, quantiles] = [0, 0, 0, 0];
  for (const [slot, load] of loads.entries()) {
    const [before, expected, upper] = [loads[slot - steps] ?? NaN, foresight.loads[slot], foresight.uppers[slot]];
    if (expected === undefined || Number.isNaN(load) || Number.isNaN(before)) continue;
    error += Math.abs(load - expected);
    errorOfLast += Math.abs(load - before);
    if (upper === undefined) continue;
    quantiles++;
    if (load <= upper) covered++;
  }
  return {
    ...foresight,
    skill: errorOfLast > 0 ? 1 - error / errorOfLast : undefined,
    coverage: quantiles > 0 ? covered / quantiles : undefined,
  };
}
