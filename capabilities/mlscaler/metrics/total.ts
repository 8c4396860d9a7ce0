import { parseQuantity } from "../../common/quantity";
import { requestsOf } from "../scaling/pods";
import { Pod, Reading } from "../scaling/reading";
import { failed } from "./api";
import { readyOf, loadOf } from "./load";
import { queryText } from "./prometheus/query-text";
import { Metric, MetricTarget } from "./schema";

/** The load of a metric over all of a target, and what one replica is to carry of it, in the metric's unit. */
export interface Total {
  /** Cores, GiB, or as the metric is. */
  load: number;
  capacity: number;
}

/** The block of a metric that its type names. */
export const blockOf = (metric: Metric): { target: MetricTarget } | undefined => {
  const { resource, containerResource, pods, object, external, prometheus } = metric;
  return resource ?? containerResource ?? pods ?? object ?? external ?? prometheus;
};

/** The name of a metric; of a query for Prometheus as much of its text as tells it from others. */
export function nameOf({ resource, containerResource, pods, object, external, prometheus }: Metric): string {
  const { name } = resource ?? containerResource ?? (pods ?? object ?? external)?.metric ?? {};
  return name ?? queryText(prometheus?.query ?? "");
}

/** Whether a metric has a total that can be forecast: a Value (a latency, the age of a queue) has none. */
export const hasTotal = (metric: Metric): boolean => blockOf(metric)?.target.type !== "Value";

/** What the total of a metric is counted in: "cores", "GiB", or the metric's own name. */
export function unitOfTotal(metric: Metric): string {
  const name = nameOf(metric);
  return metric.resource || metric.containerResource ? (resourceUnits[name]?.unit ?? name) : name;
}

const resourceUnits: Record<string, { unit: string; milli: number }> = {
  cpu: { unit: "cores", milli: 1000 },
  memory: { unit: "GiB", milli: 1000 * 2 ** 30 },
};

/**
 * The total of a metric that has one, from what its source says and the target's pods at `now` (epoch milliseconds).
 * Throws MetricsError when the value is no load or too few pods have a sample, NoCount when a pod requests nothing of what
 * its utilisation is of.
 */
export function totalOf(metric: Metric, reading: Reading, pods: Pod[], now: number): Total {
  const { type, resource, containerResource } = metric;
  const target = blockOf(metric)?.target;
  const { name, container } = { container: undefined, name: "", ...resource, ...containerResource };
  const { milli } = (resource || containerResource ? resourceUnits[name] : undefined) ?? { milli: 1000 };
  const average = ((parseQuantity(target?.averageValue ?? "") ?? NaN) * 1000) / milli;
  const wanted = { reason: `FailedGet${type}Metric`, metric: `${type} metric ${unitOfTotal(metric)}` };
  if ("milli" in reading) {
    if (!(reading.milli >= 0 && reading.milli < Infinity))
      throw failed(wanted, `the value ${reading.milli} is no load`);
    return { load: reading.milli / milli, capacity: average };
  }
  const samples = new Map([...reading.samples].map(([pod, sample]) => [pod, sample.milli / milli]));
  const { recorded: load } = loadOf(pods, samples, now, wanted);
  if (target?.averageUtilization === undefined) return { load, capacity: average };
  const requests = [...requestsOf(readyOf(pods, wanted), name, container).values()];
  const mean = requests.reduce((sum, request) => sum + request, 0) / requests.length / milli;
  return { load, capacity: (mean * target.averageUtilization) / 100 };
}
