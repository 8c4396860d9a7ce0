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

/**
 * Whether a metric has a total that can be forecast: a Value (a latency, the age of a queue) has none, nor has an Object
 * with a target that is no AverageValue, by which nothing is scaled.
 */
export const hasTotal = (metric: Metric): boolean =>
  metric.object ? metric.object.target.type === "AverageValue" : blockOf(metric)?.target.type !== "Value";

/** What the total of a metric is counted in: "cores", "GiB", or the metric's own name. */
export function unitOfTotal(metric: Metric): string {
  const name = nameOf(metric);
  return metric.resource || metric.containerResource ? (resourceUnits.get(name)?.unit ?? name) : name;
}

const resourceUnits = new Map([
  ["cpu", { unit: "cores", milli: 1000 }],
  ["memory", { unit: "GiB", milli: 1000 * 2 ** 30 }],
]);

/**
 * The total of a metric that has one, from what its source says and the target's pods at `now` (epoch milliseconds).
 * Throws MetricsError when the value is no load or too few pods have a sample, NoCount when a pod requests nothing of what
 * its utilisation is of.
 */
export function totalOf(metric: Metric, reading: Reading, pods: Pod[], now: number): Total {
  const { milli } = measureOf(metric);
  const wanted = { reason: `FailedGet${metric.type}Metric`, metric: `${metric.type} metric ${unitOfTotal(metric)}` };
  if ("milli" in reading) {
    if (!(reading.milli >= 0 && reading.milli < Infinity))
      throw failed(wanted, `the value ${reading.milli} is no load`);
    return { load: reading.milli / milli, capacity: capacityOf(metric, []) };
  }
  const samples = new Map([...reading.samples].map(([pod, sample]) => [pod, sample.milli / milli]));
  const { recorded: load } = loadOf(pods, samples, now, wanted);
  return { load, capacity: capacityOf(metric, readyOf(pods, wanted)) };
}

/**
 * What one replica is to carry of a metric that has a total, in its unit: averageValue, or its share of what `pods`
 * request on average; NaN where that is of no pods. Throws NoCount when a pod requests nothing of what the utilisation is of.
 */
export function capacityOf(metric: Metric, pods: Pod[]): number {
  const target = blockOf(metric)?.target;
  const { name, container, milli } = measureOf(metric);
  if (target?.averageUtilization === undefined)
    return ((parseQuantity(target?.averageValue ?? "") ?? NaN) * 1000) / milli;
  const requests = [...requestsOf(pods, name, container).values()];
  const mean = requests.reduce((sum, request) => sum + request, 0) / requests.length / milli;
  return (mean * target.averageUtilization) / 100;
}

/** What a metric is of where it is a resource, and how many milli-units its unit has. */
function measureOf({ resource, containerResource }: Metric): { name: string; container?: string; milli: number } {
  const of = { container: undefined, name: "", ...resource, ...containerResource };
  const { milli } = (resource || containerResource ? resourceUnits.get(of.name) : undefined) ?? { milli: 1000 };
  return { name: of.name, container: of.container, milli };
}
