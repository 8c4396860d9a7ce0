import type { ActivationFields, ActivationReading } from "./activation";
import type { LeaderReading, LeadingFields } from "./leading";
import type { MetricsError, Pod, Reading } from "./reading";
import type { Metric } from "./registry";

export interface MetricFields extends ActivationFields, LeadingFields {
  metrics: Metric[];
}

/** An entry of `metrics`, with its reading or its failure. At 0 replicas a metric of pods has neither. */
export type MetricReading = { metric: Metric } & ({ reading: Reading } | { error: MetricsError } | { noPods: true });

export interface Observation {
  /** The target's pods, including deleted and ended ones; empty where they were not read. */
  pods: Pod[];
  /** One for each metric of the spec; empty while scaling is off, and without pods. */
  readings: MetricReading[];
  activations?: ActivationReading[];
  leaders?: LeaderReading[];
  error?: MetricsError;
  /** Present when a retry may resolve that: the failure of the API server. */
  cause?: Error;
}

export const unobserved: Observation = { pods: [], readings: [] };
