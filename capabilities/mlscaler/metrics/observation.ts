import type { PodSamples } from "./load";
import type { MetricsError, Pod, Reading } from "./reading";
import type { Metric } from "./registry";

/** The fields of a spec that define its load: `metric` in the short form, `metrics` in the long form. */
export interface MetricFields {
  metric?: string;
  metrics?: Metric[];
}

/** An entry of `metrics`, with its reading or its failure. */
export type MetricReading = { metric: Metric } & ({ reading: Reading } | { error: MetricsError });

/** The pods and metrics that one sync read. */
export type Observation = {
  /** The target's pods, including deleted and ended ones. */
  pods: Pod[];
} & (
  | {
      form: "short";
      /** The samples in the metric's unit, or the failure. */
      samples: PodSamples | MetricsError;
    }
  | { form: "long"; readings: MetricReading[] }
  | {
      /** The target has no replicas, or `error` kept its pods from being read. */
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
