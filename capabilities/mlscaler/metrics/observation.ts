import type { ActivationFields, ActivationReading } from "./activation";
import type { LeaderReading, LeadingFields } from "./leading";
import type { PodSamples } from "./load";
import type { MetricsError, Pod, Reading } from "./reading";
import type { Metric } from "./registry";

/** The fields of a spec that define its load: `metric` in the short form, `metrics` in the long form. */
export interface MetricFields extends ActivationFields, LeadingFields {
  metric?: string;
}

/** An entry of `metrics`, with its reading or its failure. At 0 replicas a metric of pods has neither. */
export type MetricReading = { metric: Metric } & ({ reading: Reading } | { error: MetricsError } | { noPods: true });

/** The pods and metrics that one sync read. */
export type Observation = {
  /** The target's pods, including deleted and ended ones. */
  pods: Pod[];
  /** The activations of `scale_to_zero`. Absent where they were not read. */
  activations?: ActivationReading[];
  /** The leading loads of the forecast. Absent where they were not read. */
  leaders?: LeaderReading[];
} & (
  | {
      form: "short";
      /** The samples in the metric's unit, or the failure. */
      samples: PodSamples | MetricsError;
    }
  | { form: "long"; readings: MetricReading[] }
  | {
      /** Scaling is off, no metric is known without pods, or `error` kept the pods from being read. */
      form: "none";
      error?: MetricsError;
    }
);

/** A failure of the API server that a retry may resolve, and what it means for the metrics. */
export interface Unread {
  form: "unread";
  error: Error;
  failure: MetricsError;
}
