import { simulate, type Comparison } from "../../capabilities/mlscaler/backtest/simulation";
import { mean, type Forecasts, type Quantile } from "./forecast-accuracy";

/** What a policy costs, and what it loses. */
interface Result {
  /** Replica-hours over those of an oracle. */
  cost: number;
  /** Percent of the load. */
  unserved: number;
}

/** Forecasts inside max(HPA, forecast) against HPA alone, at the utilisation that HPA is set to. */
export interface Gain {
  /** Unserved load over HPA's, at HPA's replica-hours. */
  unserved: number;
  /** Replica-hours over HPA's, at HPA's unserved load. */
  replicaHours: number;
}

const range = (from: number, to: number, by: number): number[] =>
  Array.from({ length: Math.round((to - from) / by) + 1 }, (_, index) => Number((from + index * by).toFixed(3)));

/** Utilisations that the policies are swept over: HPA finely, for what it costs to lose as little. */
const sweepOfHpa = range(0.1, 1.3, 0.025);
const sweep = [...range(0.15, 1.45, 0.05), 1.5, 1.6, 1.7, 1.8, 2, 2.25, 2.5, 3];

/** Percent unserved; what is below counts as this. */
const least = 0.01;
/** A loss that many times HPA's counts as this. */
const worst = 50;

/** Replays a trace with HPA and with max(HPA, quantile), and compares at each of HPA's `utilizations`. */
export function gains(forecasts: Forecasts, quantile: Quantile, utilizations: readonly number[]): Gain[] {
  const { trace, from } = forecasts;
  const stepSeconds = trace.stepMilliseconds / 1000;
  const startUpSteps = stepSeconds === 60 ? 3 : 1;
  const workload = {
    loads: trace.values,
    capacity: mean(trace.values.slice(0, from)) / 10,
    startUpSteps,
    // Coarser traces are replayed as if a slot were five minutes: replicas start in minutes, whatever the step.
    stepSeconds: Math.min(300, stepSeconds),
    from,
  };
  const quantiles = [
    ...Array<number[]>(from),
    ...forecasts.uppers[quantile].map(uppers => uppers.slice(0, startUpSteps + 1)),
  ];
  const result = (policy: Comparison["policy"], utilization: number): Result => {
    const outcome = simulate({ ...workload, policy, utilization, quantiles });
    return { cost: outcome.replicaHoursRatio, unserved: outcome.unservedPercent };
  };
  const hpa = frontier(sweepOfHpa.map(utilization => result("reactive", utilization)));
  const ours = frontier(sweep.map(utilization => result("hybrid", utilization)));
  return utilizations.map(utilization => {
    const { cost, unserved } = result("reactive", utilization);
    const floored = Math.max(unserved, least);
    return {
      unserved: Math.min(worst, Math.max(least, unservedAt(ours, cost)) / floored),
      replicaHours: costAt(ours, floored) / costAt(hpa, floored),
    };
  });
}

/** Those of the results that lose less than all cheaper ones, the cheapest first. */
function frontier(results: Result[]): Result[] {
  const sorted = [...results].sort((one, other) => one.cost - other.cost || one.unserved - other.unserved);
  let lowest = Infinity;
  return sorted.filter(({ unserved }) => {
    const better = unserved < lowest - 1e-12;
    if (better) lowest = unserved;
    return better;
  });
}

const logarithm = ({ unserved }: Result): number => Math.log(Math.max(unserved, least));

/** Unserved load at a cost, between the two results beside it on a logarithmic scale; Infinity when all cost more. */
function unservedAt(results: Result[], cost: number): number {
  const next = results.findIndex(result => result.cost >= cost);
  const [before, after] = next < 0 ? [results.at(-1), results.at(-1)] : [results[next - 1], results[next]];
  if (!after) return Infinity;
  if (!before) return after.cost > cost ? Infinity : Math.exp(logarithm(after));
  const share = after.cost > before.cost ? (cost - before.cost) / (after.cost - before.cost) : 0;
  return Math.exp(logarithm(before) + share * (logarithm(after) - logarithm(before)));
}

/** Cost of losing no more than `unserved`; NaN when all lose more. */
function costAt(results: Result[], unserved: number): number {
  const wanted = Math.log(unserved);
  const next = results.findIndex(result => logarithm(result) <= wanted);
  const [before, after] = [results[next - 1], results[next]];
  if (!after) return NaN;
  if (!before) return after.cost;
  const share = (logarithm(before) - wanted) / (logarithm(before) - logarithm(after));
  return before.cost + share * (after.cost - before.cost);
}
