import { milliValue, mostQuantity } from "../../../kubernetes/quantity";
import { MetricsError, NoCount, PodReading, Reading } from "../../metrics/reading";
import { failureReason, Metric, sourceOf } from "../../metrics/registry";
import { MetricTarget } from "../../metrics/schema";
import { HpaRule } from "../../metrics/sources/source";
import { byAverageValue, byUtilization, Count, isWithin, roundUp } from "./average";
import { countReady, TargetState } from "./pod-groups";

export interface MetricProposal extends Count {
  /** The metric as HPA names it: "cpu resource utilization (percentage of request)". */
  of: string;
  /** The load behind the count of `spec.metric`; absent for the metrics of an HPA. */
  load?: number;
  held?: "Unsampled" | "Rollout";
}

/** The replicas by HPA's rules (replica_calculator.go), in whole percent and milli-units. Throws MetricsError. */
export function proposeMetric(metric: Metric, reading: Reading, target: TargetState): MetricProposal {
  const { source, block } = sourceOf(metric);
  const rule = source.hpaRule(block);
  try {
    const { replicas, current } = countBy(rule, reading, target);
    return { of: rule.of, replicas, current };
  } catch (error) {
    if (!(error instanceof NoCount)) throw error;
    throw new MetricsError(failureReason(metric.type), `${rule.problem ?? ""}${error.message}`);
  }
}

function countBy(rule: HpaRule, reading: Reading, target: TargetState): Count {
  const { averageUtilization: percent = NaN, averageValue } = rule.target;
  switch (rule.by) {
    case "utilization":
      return byUtilization(podReadingOf(reading), rule.resource ?? { name: "" }, percent, target);
    case "averageValue":
      return byAverageValue(podReadingOf(reading), milliOf(averageValue), target, rule.resource);
    case "value":
      return byValue(rule.target, reading, target);
    case "total":
      return byTotal(rule.target, reading, target);
  }
}

// ceil(ratio × ready pods). Without a ready pod the count stays; HPA asks for 0 (kubernetes#130130).
function byValue(target: MetricTarget, reading: Reading, { pods, specReplicas, tolerance }: TargetState): Count {
  const value = valueOf(reading);
  const ratio = value / milliOf(target.value);
  const current = { value };
  if (specReplicas === 0) return { replicas: roundUp(ratio), current };
  if (isWithin(ratio, tolerance)) return { replicas: specReplicas, current };
  if (pods.length === 0)
    throw new NoCount("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  const ready = countReady(pods);
  return { replicas: ready === 0 ? specReplicas : roundUp(ratio * ready), current };
}

// ceil(total / averageValue). HPA compares with the status, and grows in a rollout (kubernetes#138505).
function byTotal(target: MetricTarget, reading: Reading, state: TargetState): Count {
  const { specReplicas, statusReplicas, tolerance } = state;
  const total = valueOf(reading);
  const averageMilli = milliOf(target.averageValue);
  const isUnchanged = isWithin(total / (averageMilli * statusReplicas), tolerance);
  // HPA does not divide a value that overflowed. Without replicas there is no average.
  const averageValue = total >= mostQuantity ? mostQuantity : Math.ceil(total / statusReplicas);
  return {
    replicas: isUnchanged ? specReplicas : roundUp(total / averageMilli),
    current: statusReplicas > 0 ? { averageValue } : {},
  };
}

function podReadingOf(reading: Reading): PodReading {
  if (!("samples" in reading)) throw new NoCount("the source has one value, where each pod is to have a sample");
  return reading;
}

function valueOf(reading: Reading): number {
  if (!("milli" in reading)) throw new NoCount("the source has samples of pods, where there is to be one value");
  if (!Number.isFinite(reading.milli))
    throw new NoCount(`the source has the value ${reading.milli}, which is not a number`);
  // HPA would scale to the minimum.
  if (reading.milli < 0) throw new NoCount(`the source has the value ${reading.milli / 1000}, which is below 0`);
  return Math.min(reading.milli, mostQuantity);
}

/** The rules of the spec leave only Quantities above 0. */
const milliOf = (quantity: string | number = ""): number => milliValue(quantity) ?? NaN;
