import { mean, type Forecasts, type Quantile } from "./forecast-accuracy";
import { simulate, type Simulation } from "./simulation";

/** The cost and the loss of a policy. */
export interface Result {
  /** Replica-hours relative to those of an oracle. */
  cost: number;
  /** Unserved load in percent of the load. */
  unserved: number;
}

/** Compares max(HPA, forecast) with HPA alone, at the utilization of the HPA. */
export interface Gain {
  /** Unserved load relative to HPA's, at HPA's replica-hours. */
  unserved: number;
  /** Unserved load above HPA's, at HPA's replica-hours, in percentage points of the load. */
  points: number;
  /** Replica-hours relative to HPA's, at HPA's unserved load. */
  replicaHours: number;
}

const range = (from: number, to: number, by: number): number[] =>
  Array.from({ length: Math.round((to - from) / by) + 1 }, (_, index) => Number((from + index * by).toFixed(3)));

/** The utilizations of the sweep. HPA's are dense, to find its cost at a low loss. */
const sweepOfHpa = range(0.1, 1.3, 0.025);
const sweep = [...range(0.15, 1.45, 0.05), 1.5, 1.6, 1.7, 1.8, 2, 2.25, 2.5, 3];

/** Percent unserved. Smaller values count as this one. */
const least = 0.01;
/** The maximum ratio of a loss to HPA's. Larger ratios count as this one. */
const worst = 50;

/** Replays a trace with HPA and with max(HPA, quantile), and compares them at each of HPA's `utilizations`. */
export function gains(forecasts: Forecasts, quantile: Quantile, utilizations: readonly number[]): Gain[] {
  const { trace, from } = forecasts;
  const stepSeconds = trace.stepMilliseconds / 1000;
  const startUpSteps = stepSeconds === 60 ? 3 : 1;
  const workload = {
    loads: trace.values,
    capacity: mean(trace.values.slice(0, from)) / 10,
    startUpSteps,
    // Replays coarser traces with slots of five minutes, because replicas start within minutes at any step.
    stepSeconds: Math.min(300, stepSeconds),
    from,
  };
  const quantiles = [
    ...Array<number[]>(from),
    ...forecasts.uppers[quantile].map(uppers => uppers.slice(0, startUpSteps + 1)),
  ];
  const result = (policy: Simulation["policy"], utilization: number): Result => {
    const outcome = simulate({ ...workload, policy, utilization, quantiles });
    return { cost: outcome.replicaHoursRatio, unserved: outcome.unservedPercent };
  };
  const hpa = frontier(sweepOfHpa.map(utilization => result("reactive", utilization)));
  const ours = frontier(sweep.map(utilization => result("hybrid", utilization)));
  return utilizations.map(utilization => {
    const { cost, unserved } = result("reactive", utilization);
    const floored = Math.max(unserved, least);
    const ofOurs = Math.max(unservedAt(ours, cost), least);
    return {
      unserved: Math.min(worst, ofOurs / floored),
      points: ofOurs - floored,
      replicaHours: costAt(ours, floored) / costAt(hpa, floored),
    };
  });
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

/** The lowest cost with at most `unserved` percent lost; NaN when all results lose more. */
function costAt(results: Result[], unserved: number): number {
  const wanted = Math.log(unserved);
  const next = results.findIndex(result => logarithm(result) <= wanted);
  const [before, after] = [results[next - 1], results[next]];
  if (!after) return NaN;
  if (!before) return after.cost;
  const share = (logarithm(before) - wanted) / (logarithm(before) - logarithm(after));
  return before.cost + share * (after.cost - before.cost);
}
