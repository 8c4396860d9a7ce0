import type { ConditionUpdate } from "../../kubernetes/conditions";
import { type Load, readyPods, servingPods, unknownAge, unsampledCondition } from "../metrics/load";
import type { MetricReading, Observation } from "../metrics/observation";
import { ageOf, isLive, metricFailed, MetricsError, NoCount, type Pod, type Reading } from "../metrics/reading";
import { failureReason, isCountedPerUnit, type Metric, referenceTo } from "../metrics/registry";
import { capacityOf, hasTotal, totalOf } from "../metrics/total";
import type { MetricResult } from "./rule/combine";
import type { SharedLoad } from "./rule/hpa-total";
import type { MetricFailure } from "./metric-failure";
import { readingWithoutStartUp } from "./rule/rollout";

/** A metric as the rules count it: by its reading, or by a total. At 0 replicas a metric of pods has neither. */
export type Measured = MetricReading | { metric: Metric; total: SharedLoad };

/** The loads of a target. `totals` are remembered and forecast. */
export interface Loads {
  /** One for each metric of the spec; empty when the pods are unknown, or scaling is off. */
  measured: Measured[];
  totals: MetricLoad[];
  pods: Pod[];
  /** Names of the pods that a rollout starts; empty without rollout_freeze. */
  starting: Set<string>;
  /** Epoch milliseconds. */
  now: number;
  error?: MetricsError;
}

export interface TargetLoad {
  metric: Metric;
  /** In the metric's unit; absent while unknown, which leaves a gap in the history. */
  load?: number;
  /** The load when pods without a sample count as 0; absent unless that is lower. */
  cautious?: number;
  /** The load that one replica serves. NaN if no pod shows it. */
  capacity: number;
}

export interface MetricLoad extends TargetLoad {
  index: number;
  /** Absent while the total is unknown. */
  total?: SharedLoad;
  settled: boolean;
  /** Present for the metric of `spec.metric`, which is counted from it. */
  demand?: Demand;
}

/** The load of the metric of `spec.metric`, by what pods without a sample count as. */
export interface Demand extends Load {
  /** Whether a rollout starts pods. `lowest` is without their start-up load. */
  rollout: boolean;
  /** Whether fewer than half of the Ready pods have a sample whose age is known: such samples lower nothing. */
  ageUnknown: boolean;
}

export interface LoadFields {
  rollout_freeze: boolean;
  on_metric_failure?: MetricFailure;
}

/** The loads of an observation; the start-up load of `started` pods does not count with rollout_freeze. Pure. */
export function loadsOf(spec: LoadFields, observation: Observation, started: Set<string>, now: number): Loads {
  const { pods, readings, error } = observation;
  const starting = spec.rollout_freeze ? started : new Set<string>();
  const measured: Measured[] = [];
  const known: MetricLoad[] = [];
  for (const [index, read] of readings.entries()) {
    const found = knownLoad(read, index, pods, { starting, started }, now);
    measured.push(found instanceof MetricsError ? { metric: read.metric, error: found } : read);
    if (found && !(found instanceof MetricsError)) known.push(found);
  }
  const unknown = known.every(({ total }) => total === undefined) && spec.on_metric_failure?.behavior === "Forecast";
  const totals = unknown ? readings.flatMap(({ metric }, index) => unknownLoad(metric, index, pods)) : known;
  return { measured, totals, pods, starting, now, error };
}

/** The same loads as totals without the start-up load of a rollout, so that they count for any replicas. */
export function settledLoads(loads: Loads): Loads {
  const { measured, totals, pods, starting, now, error } = loads;
  if (starting.size === 0 && measured.every(one => !isReadTotal(one))) return loads;
  return {
    ...{ totals, pods, now, error },
    starting: new Set(),
    measured: measured.map((one, index) => {
      if (!isReadTotal(one)) return one;
      const { metric } = one;
      const load = totals.find(total => total.index === index);
      if (load?.settled && load.total) return { metric, total: load.total };
      return { metric, error: new MetricsError("Unknown", "the load is not known") };
    }),
  };
}

const isReadTotal = (one: Measured): boolean => "reading" in one && hasTotal(one.metric);

// Without start-up load, or a gap where that cannot be told. Returns the error of a `spec.metric` without a count.
function knownLoad(
  read: MetricReading,
  index: number,
  pods: Pod[],
  rollout: { starting: Set<string>; started: Set<string> },
  now: number,
): MetricLoad | MetricsError | undefined {
  const { metric } = read;
  if (!("reading" in read) || !hasTotal(metric)) return undefined;
  const { starting, started } = rollout;
  const settled = starting.size > 0 ? readingWithoutStartUp(read.reading, servingPods(pods), starting) : read.reading;
  try {
    const { load, capacity, ofPods } = totalOf(metric, settled ?? read.reading, pods, started, now);
    const isSettled = settled !== undefined && load !== undefined;
    const total = load === undefined ? undefined : { load, capacity };
    const found = { metric, index, load: isSettled ? load : undefined, total, capacity, settled: isSettled };
    if (!ofPods || !isCountedPerUnit(metric)) return found;
    const demand = demandOf(metric, read.reading, { ...rollout, settled: settled && ofPods }, pods, now);
    const cautious = demand.lowest < (demand.recorded ?? Infinity) ? demand.lowest : undefined;
    return { ...found, demand, cautious };
  } catch (error) {
    if (isCountedPerUnit(metric) && error instanceof MetricsError) return error;
    if (!(error instanceof MetricsError || error instanceof NoCount)) throw error;
    return { metric, index, capacity: NaN, settled: false };
  }
}

// Throws MetricsError when fewer than half of the Ready pods have a sample.
function demandOf(
  metric: Metric,
  reading: Reading,
  { starting, started, settled }: { starting: Set<string>; started: Set<string>; settled?: Load },
  pods: Pod[],
  now: number,
): Demand {
  const rollout = starting.size > 0;
  const load = rollout ? totalOf(metric, reading, pods, started, now).ofPods : settled;
  const reference = referenceTo(metric);
  const ready = readyPods(pods, reference);
  if (!load || load.sampled * 2 < load.ready)
    throw metricFailed(
      reference,
      `only ${load?.sampled ?? 0} of ${ready.length} Ready pods have a fresh sample, half must`,
    );
  const lowest = rollout ? Math.min(load.lowest, settled?.lowest ?? 0) : load.lowest;
  const fresh = ready.filter(({ name }) => sampleOf(reading, name, now) === "fresh").length;
  return { ...load, lowest, rollout, ageUnknown: fresh * 2 < ready.length };
}

/** The gap of a failed metric, which its forecast bridges. The capacity is NaN if no pod shows it. */
function unknownLoad(metric: Metric, index: number, pods: Pod[]): MetricLoad[] {
  if (!hasTotal(metric)) return [];
  const load = (capacity: number): MetricLoad[] => [{ metric, index, capacity, settled: false }];
  try {
    return load(capacityOf(metric, pods));
  } catch (error) {
    if (error instanceof NoCount) return load(NaN);
    throw error;
  }
}

function sampleOf(reading: Reading, name: string, now: number): "fresh" | "unknown" | "none" {
  const at = "samples" in reading ? reading.samples.get(name)?.at : undefined;
  if (at === undefined) return "none";
  return ageOf(at, now) === "unknown" ? "unknown" : "fresh";
}

const withoutAge = "its values have no time, or one in the future";
const remedy = "see what its source sends, and the clocks";

/** Throws MetricsError when the age of a value is unknown: it may be old, so it must not scale down. */
export function requireKnownAge({ type }: Metric, reading: Reading, pods: Pod[], now: number): void {
  const hasUnknownAge = ({ name }: Pod): boolean => sampleOf(reading, name, now) === "unknown";
  if ("samples" in reading ? !pods.some(pod => isLive(pod) && hasUnknownAge(pod)) : !reading.ageUnknown) return;
  throw new MetricsError(failureReason(type), `${withoutAge}, so they may not lower the count; ${remedy}`);
}

/** The conditions of values that a count uses although they are in doubt: one for each metric that did not fail. */
export function doubtsOf({ measured, pods, now }: Loads, results: MetricResult[]): ConditionUpdate[] {
  return measured.flatMap((read, index) => {
    const result = results[index];
    if (!("reading" in read) || !result || "error" in result) return [];
    const { metric, reading } = read;
    if (!("samples" in reading)) return reading.ageUnknown ? unknownAgeCondition(metric) : [];
    return unsampledCondition(pods, name => sampleOf(reading, name, now), now, referenceTo(metric)) ?? [];
  });
}

const unknownAgeCondition = (metric: Metric): ConditionUpdate => ({
  type: "Ready",
  status: "False",
  reason: unknownAge,
  message: `${referenceTo(metric).metric}: ${withoutAge}, so they raise the count and do not lower it; ${remedy}`,
});
