import { parseQuantity } from "../../kubernetes/quantity";
import type { Skew } from "../../kubernetes/server-clock";
import type { MetricsError } from "./reading";
import { type ActivationEntry, isKnownWithoutPods, type Metric, metricOf } from "./registry";

/** A metric that says whether there is work. It is known without pods of the target. */
export interface Activation {
  metric: Metric;
  /** There is work while the value is above this, in the unit of the metric. */
  threshold: number;
}

export interface ActivationReading extends Activation {
  /** The value, in the unit of the metric; absent while it is unknown. */
  load?: number;
  /** Whether the age of the value is unknown. Such a value wakes, and says nothing else. */
  ageUnknown?: true;
  skew?: Skew;
  error?: MetricsError;
}

export interface ActivationFields {
  metrics?: Metric[];
  scale_to_zero?: { activation?: ActivationEntry[] };
}

/** The activations of a spec, each with its field; by default the metrics that are known without pods. */
export function activationsOf({
  metrics = [],
  scale_to_zero: block,
}: ActivationFields): (Activation & { field: string })[] {
  if (!block) return [];
  const { activation = [] } = block;
  if (activation.length === 0)
    return metrics.flatMap((metric, index) =>
      isKnownWithoutPods(metric) ? [{ metric, field: `metrics[${index}]`, threshold: 0 }] : [],
    );
  return activation.map((entry, index) => ({
    metric: metricOf(entry),
    field: `scale_to_zero.activation[${index}]`,
    threshold: thresholdOf(entry),
  }));
}

const thresholdOf = ({ object, external, prometheus }: ActivationEntry): number =>
  parseQuantity((object ?? external ?? prometheus)?.threshold ?? 0) ?? 0;
