import { milliValue, parseQuantity } from "../../kubernetes/quantity";
import { type Load, loadOf, servingPods } from "./load";
import { ageOf, isLive, metricFailed, Pod, Reading, Sample } from "./reading";
import { failureReason, Metric, sourceOf } from "./registry";
import { requestsOf } from "./pods/requests";
import { PastValues, PodResource } from "./sources/source";

/** The load of a metric over a target, and the capacity of one replica, in cores, GiB, or the metric's own unit. */
export interface Total {
  /** Absent when too much of it is unknown. */
  load?: number;
  capacity: number;
  ofPods?: Load;
}

/** The name of a metric. For Prometheus, the query in one line. */
export function nameOf(metric: Metric): string {
  const { source, block } = sourceOf(metric);
  return source.name(block);
}

/** Whether a metric has a total over all pods, which can be forecast. A latency or a queue's age has none. */
export const hasTotal = (metric: Metric): boolean => sourceOf(metric).block.target.type !== "Value";

/** The source of a metric's past values; undefined if no server keeps them. */
export function pastOf(metric: Metric): PastValues | undefined {
  const { source, block } = sourceOf(metric);
  return source.past?.(block);
}

/** What identifies metrics. A selector may be long, and a sync asks for it many times. */
const texts = new WeakMap<Metric, string>();

/** Identifies the load of a metric, whatever its target. */
export function loadText(metric: Metric): string {
  const text =
    texts.get(metric) ?? `${metric.type} ${JSON.stringify({ ...sourceOf(metric).block, target: undefined })}`;
  texts.set(metric, text);
  return text;
}

/** The resource of pods that a metric measures; undefined for any other metric. */
export function resourceOf(metric: Metric): PodResource | undefined {
  const { source, block } = sourceOf(metric);
  return source.resource?.(block);
}

/** The unit of a metric's total: "cores", "GiB", or the metric's own name. */
export const unitOfTotal = (metric: Metric): string => unitOf(metric)?.unit ?? nameOf(metric);

const resourceUnits = new Map([
  ["cpu", { unit: "cores", milli: 1000 }],
  ["memory", { unit: "GiB", milli: 1000 * 2 ** 30 }],
]);

const unitOf = (metric: Metric): { unit: string; milli: number } | undefined =>
  resourceUnits.get(resourceOf(metric)?.name ?? "");

const milliPerUnit = (metric: Metric): number => unitOf(metric)?.milli ?? 1000;

/**
 * The total of a metric for which `hasTotal` holds, at `now` (epoch ms); `started` as in `loadOf`. Throws MetricsError
 * when the value is not a load, and NoCount when a utilization target lacks the request of a pod.
 */
export function totalOf(metric: Metric, reading: Reading, pods: Pod[], started: Set<string>, now: number): Total {
  const milli = milliPerUnit(metric);
  if ("milli" in reading) {
    const reference = { reason: failureReason(metric.type), metric: `${metric.type} metric ${unitOfTotal(metric)}` };
    if (!(reading.milli >= 0 && reading.milli < Infinity))
      throw metricFailed(reference, `the value ${reading.milli} is not a load`);
    return { load: reading.milli / milli, capacity: capacityOf(metric, []) };
  }
  const inUnits = (samples: [string, Sample][]): Map<string, number> =>
    new Map(samples.map(([pod, sample]) => [pod, sample.milli / milli]));
  const fresh = [...reading.samples];
  const doubtful = [...(reading.stale ?? []), ...fresh.filter(([, { at }]) => ageOf(at, now) === "unknown")];
  const capacity = capacityOf(metric, pods);
  const ofPods = loadOf(pods, { fresh: inUnits(fresh), doubtful: inUnits(doubtful) }, capacity, started, now);
  return { load: ofPods.recorded, capacity, ofPods };
}

/**
 * The capacity of one replica, in the unit of the total. For averageUtilization by the mean request of the Ready pods,
 * or of all live ones. NaN without pods. Throws NoCount when a pod has no request.
 */
export function capacityOf(metric: Metric, pods: Pod[]): number {
  const { target } = sourceOf(metric).block;
  if (target.replicasPerUnit !== undefined) return 1 / (parseQuantity(target.replicasPerUnit) ?? NaN);
  const milli = milliPerUnit(metric);
  if (target.averageUtilization === undefined) return (milliValue(target.averageValue ?? "") ?? NaN) / milli;
  const { name = "", container } = resourceOf(metric) ?? {};
  const serving = servingPods(pods);
  const counted = serving.length > 0 ? serving : pods.filter(isLive);
  const requests = [...requestsOf(counted, name, container).values()];
  const mean = requests.reduce((sum, request) => sum + request, 0) / requests.length / milli;
  return (mean * target.averageUtilization) / 100;
}
