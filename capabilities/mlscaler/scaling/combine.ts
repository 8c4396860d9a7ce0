import { Metric } from "../metrics/schema";
import { Proposal } from "./hpa";
import { MetricsError } from "./reading";

/** What came of one metric. */
export type Result = { metric: Metric } & ({ proposal: Proposal } | { error: MetricsError });

/** What came of all metrics together. */
export interface Combined {
  /** The highest of the proposals; absent when nothing may be scaled on what is known. */
  proposal?: Proposal & { metric: Metric };
  /** Of the first metric that failed: what ScalingActive says while there is no proposal. */
  error?: MetricsError;
  /** How many metrics failed, and the first failure, as HPA's event FailedComputeMetricsReplicas has it. */
  failure?: string;
}

/**
 * Of many metrics the one counts that asks for the most replicas. Where some failed it may raise the count, not lower
 * it: one that is not known might ask for more. HPA's computeReplicasForMetrics (podautoscaler/horizontal.go).
 */
export function combine(results: Result[], specReplicas: number): Combined {
  const failed = results.flatMap(result => ("error" in result ? [result] : []));
  const highest = results
    .flatMap(result => ("proposal" in result ? [{ ...result.proposal, metric: result.metric }] : []))
    .reduce<Combined["proposal"]>((most, one) => (most && most.replicas >= one.replicas ? most : one), undefined);
  const [first] = failed;
  if (!first) return { proposal: highest };
  const counted = `${failed.length} invalid out of ${results.length}`;
  return {
    proposal: highest && highest.replicas >= specReplicas ? highest : undefined,
    error: first.error,
    failure: `invalid metrics (${counted}), first error is: ${prefixOf(first.metric)}${first.error.message}`,
  };
}

function prefixOf({ type, resource, containerResource, external }: Metric): string {
  const what = {
    Resource: `${resource?.name} resource`,
    ContainerResource: `${containerResource?.container} container`,
    Pods: "pods",
    Object: "object",
    External: `${external?.metric.name} external`,
    Prometheus: "prometheus",
  }[type];
  return `failed to get ${what} metric value: `;
}
