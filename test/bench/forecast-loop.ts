import { foreseen } from "../../cli/simulate/foresight";
import { autoscalerOf, type Policy } from "../../capabilities/mlscaler/backtest/autoscalers";
import { assistedOf } from "../../cli/simulate/beside-hpa";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { firstQuantile, otherQuantiles } from "../../capabilities/mlscaler/forecast/forecast";
import { forecastSchema } from "../../capabilities/mlscaler/forecast/schema";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { policyAsShipped, scaled } from "../../cli/simulate/comparison";
import { historyOf, mean } from "./forecast-accuracy";
import type { Trace } from "./trace";

/** The cost and the loss of a policy. */
export interface Result {
  /** Replica-hours, in any one unit. */
  cost: number;
  /** Unserved load in percent of the load. */
  unserved: number;
}

/** Unserved load over that of an HPA, with `negligible` added to both, and above it in percentage points. */
export interface Ratio {
  ratio: number;
  points: number;
}

/** Compares an MLScaler with its defaults with an HPA, at the utilization of the HPA. */
export interface Gain {
  /** At the HPA's replica-hours. */
  unserved: Ratio;
  /** The same of an HPA whose minimum an MLScaler raises: mode Assist. */
  assisted: Ratio;
  /** At the MLScaler's utilization, of an HPA whose target is lowered until it has as many replica-hours. */
  sameMoney: Ratio;
  /** Replica-hours over those of the HPA with the same target. */
  replicaHours: number;
}

const range = (from: number, to: number, by: number): number[] =>
  Array.from({ length: Math.round((to - from) / by) + 1 }, (_, index) => Number((from + index * by).toFixed(3)));

/** The utilizations of the sweep. HPA's are dense, to find its cost at a low loss. */
const sweepOfHpa = range(0.1, 1.3, 0.025);
const sweep = [...range(0.6, 1.45, 0.05), 1.5, 1.6, 1.7, 1.8, 2, 2.25, 2.5, 3];

/** Percent unserved. Smaller values count as this one. */
export const least = 0.01;
/** Percentage points of the load that are added to both sides of a ratio: less is no difference. */
const negligible = 0.02;

/** A sync a minute, and at most `mostSyncs` in a slot: finer ones decide the same. */
const syncSeconds = 60;
const mostSyncs = 6;

/** A target with the defaults of the forecast block, at a target utilization of 80 %. */
export function scenarioOf(step: number, capacity: number, from: number, startUpSeconds = 300): Scenario {
  const { max_extra_percent } = forecastSchema.parse({});
  const horizon = Math.ceil((startUpSeconds * 1000) / step) + 1;
  return {
    ...{ capacity, utilization: 0.8, startUpSeconds, from, historySize: 5, bounds: { min: 1, max: 1000 } },
    syncsPerStep: Math.min(Math.round(step / 1000 / syncSeconds), mostSyncs),
    forecast: { model: "auto", step, horizon, quantile: firstQuantile / 100 },
    others: otherQuantiles,
    maxExtraPercent: max_extra_percent,
  };
}

/** The engine as it ships, on these loads. */
export const shippedOn = (loads: number[], scenario: Scenario): Policy =>
  policyAsShipped(runSlices(foreseen(loads, scenario)), scenario);

/**
 * Replays a trace, after its history, with HPAs and with MLScalers, and compares them at each of HPA's `utilizations`.
 */
export function gains(trace: Trace, utilizations: readonly number[]): Gain[] {
  const { values: loads, stepMilliseconds: step } = trace;
  const from = historyOf(trace);
  const scenario = scenarioOf(step, mean(loads.slice(0, from)) / 10, from, step === 60_000 ? 180 : 300);
  const asShipped = shippedOn(loads, scenario);
  const result = (policy: Policy, utilization: number, loop = autoscalerOf): Result => {
    const done = scaled(loads, policy, { ...scenario, utilization }, loop);
    return { cost: done.replicaHoursRatio, unserved: done.unservedPercent };
  };
  const curves = {
    hpa: frontier(sweepOfHpa.map(utilization => result({}, utilization))),
    ours: frontier(sweep.map(utilization => result(asShipped, utilization))),
    assisted: frontier(sweep.map(utilization => result(asShipped, utilization, assistedOf))),
  };
  return utilizations.map(utilization => gainAt(result({}, utilization), result(asShipped, utilization), curves));
}

/**
 * The gain where the HPA and the MLScaler with its target have these results.
 * @param curves the frontiers of all targets
 */
export function gainAt(hpa: Result, ours: Result, curves: Record<"hpa" | "ours" | "assisted", Result[]>): Gain {
  return {
    unserved: ratioOf(unservedAt(curves.ours, hpa.cost), hpa.unserved),
    assisted: ratioOf(unservedAt(curves.assisted, hpa.cost), hpa.unserved),
    sameMoney: ratioOf(ours.unserved, unservedAt(curves.hpa, ours.cost)),
    replicaHours: ours.cost / hpa.cost,
  };
}

/** Compares two losses in percent, each `least` at least and all of the load at most. */
export function ratioOf(ours: number, other: number): Ratio {
  const counted = (loss: number): number => Math.min(100, Math.max(least, loss));
  const points = counted(ours) - counted(other);
  return { ratio: (counted(ours) + negligible) / (counted(other) + negligible), points };
}

/** The results that lose less than all cheaper ones, in ascending order of cost. */
export function frontier(results: Result[]): Result[] {
  const sorted = [...results].sort((one, other) => one.cost - other.cost || one.unserved - other.unserved);
  let lowest = Infinity;
  return sorted.filter(({ unserved }) => {
    const better = unserved < lowest - 1e-12;
    if (better) lowest = unserved;
    return better;
  });
}

const logarithm = ({ unserved }: Result): number => Math.log(Math.max(unserved, least));

/** The unserved load at a cost, interpolated on a logarithmic scale; Infinity when all results cost more. */
export function unservedAt(results: Result[], cost: number): number {
  const next = results.findIndex(result => result.cost >= cost);
  const [before, after] = next < 0 ? [results.at(-1), results.at(-1)] : [results[next - 1], results[next]];
  if (!after) return Infinity;
  if (!before) return after.cost > cost ? Infinity : Math.exp(logarithm(after));
  const share = after.cost > before.cost ? (cost - before.cost) / (after.cost - before.cost) : 0;
  return Math.exp(logarithm(before) + share * (logarithm(after) - logarithm(before)));
}
