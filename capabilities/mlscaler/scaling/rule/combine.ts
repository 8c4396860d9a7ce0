import { MetricsError } from "../../metrics/reading";
import { invalidSourceType, Metric, sourceOf, isCountedPerUnit } from "../../metrics/registry";
import { MetricProposal } from "./hpa";

/** The proposal of one metric, or its failure. At 0 replicas a metric of pods has neither. */
export type MetricResult = { metric: Metric } & (
  | { proposal: MetricProposal }
  | { error: MetricsError }
  | { noPods: true }
);

type Proposing = Extract<MetricResult, { proposal: unknown }>;

export interface Combined {
  proposal?: MetricProposal & { metric: Metric };
  /** The errors of the failed metrics. The first sets the reason of ScalingActive when there is no proposal. */
  errors: MetricsError[];
  /** The number of failed metrics and the first failure, worded as in HPA's event FailedComputeMetricsReplicas. */
  failure?: string;
}

/**
 * Selects the metric that recommends the most replicas. If some failed, the others may only raise the count, because a
 * failed one might recommend more. HPA's computeReplicasForMetrics (horizontal.go).
 */
export function combine(results: MetricResult[], specReplicas: number): Combined {
  const failed: Extract<MetricResult, { error: unknown }>[] = [];
  let most: Proposing | undefined;
  for (const result of results) {
    if ("error" in result) failed.push(result);
    else if ("proposal" in result && !(most && most.proposal.replicas >= result.proposal.replicas)) most = result;
  }
  const highest = most && withMetric(most);
  const [first] = failed;
  if (!first) return { proposal: highest, errors: [] };
  // Without metrics of an HPA there is nothing to word as an HPA does.
  const isAlone = results.length === 1 && isCountedPerUnit(first.metric);
  const counted = `${failed.length} invalid out of ${results.length}`;
  return {
    proposal: highest && highest.replicas >= specReplicas ? highest : undefined,
    errors: failed.map(({ error }) => error),
    failure: isAlone
      ? first.error.message
      : `invalid metrics (${counted}), first error is: ${prefixOf(first)}${first.error.message}`,
  };
}

/** Names each field: a spread costs more than all else here, and replays combine a million times. */
function withMetric({ metric, proposal }: Proposing): Combined["proposal"] & object {
  const { replicas, current, of, load, held } = proposal;
  return { replicas, current, of, load, held, metric };
}

/** The prefix of HPA's error. Like in HPA, a metric without the block of its type has none. */
function prefixOf({ metric, error }: { metric: Metric; error: MetricsError }): string {
  if (error.reason === invalidSourceType) return "";
  const { source, block } = sourceOf(metric);
  return `failed to get ${source.hpaName(block)} metric value: `;
}
