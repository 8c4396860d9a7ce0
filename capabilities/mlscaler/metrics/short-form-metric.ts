import { PodSamples } from "./load";
import { MetricType } from "./registry";
import { MetricReference } from "./reading";
import { MetricsApis, Subject } from "./source";
import { valuesByPod } from "./sources/pods";
import { usageByPod } from "./sources/resource";

/** The units of the resources in the short form. Any other metric is a Pods metric in its own unit. */
const units = new Map([
  ["cpu", "cores"],
  ["memory", "GiB"],
]);

/** The unit of a short form's load: "cores", "GiB", or the metric's own name. */
export const shortFormUnit = (metric: string): string => units.get(metric) ?? metric;

/** The source type of a short form's metric. */
export const shortFormType = (metric: string): MetricType => (units.has(metric) ? "Resource" : "Pods");

/** A short form's metric as errors name it. */
export function shortFormReference(metric: string): MetricReference {
  const type = shortFormType(metric);
  return { reason: `FailedGet${type}Metric`, metric: `${type} metric ${metric}` };
}

/**
 * The samples of a short form's metric by pod name, in its unit and at the precision of the API. Throws MetricsError
 * when the metric cannot be read.
 */
export async function readShortForm(metric: string, subject: Subject, apis: MetricsApis): Promise<PodSamples> {
  const reference = shortFormReference(metric);
  if (metric !== "cpu" && metric !== "memory") return valuesByPod(metric, subject, reference, apis);
  const used = await usageByPod(metric, subject, reference, apis);
  if (metric === "cpu") return used;
  const inGiB = (samples: Map<string, number>): Map<string, number> =>
    new Map([...samples].map(([pod, bytes]) => [pod, bytes / 2 ** 30]));
  return { fresh: inGiB(used.fresh), doubtful: inGiB(used.doubtful) };
}
