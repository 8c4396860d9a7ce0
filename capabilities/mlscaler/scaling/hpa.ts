import { milliValue, mostQuantity } from "../../common/quantity";
import { LabelSelector } from "../../common/selector";
import { Metric, MetricTarget } from "../metrics/schema";
import { queryText } from "../metrics/prometheus/query-text";
import { byAverageValue, byUtilization, Count, isWithin, Resource, roundUp } from "./average";
import { countReady, NoCount, TargetState } from "./pods";
import { MetricsError, Reading, Sample } from "./reading";

/** How many replicas one metric asks for. */
export interface Proposal extends Count {
  /** The metric in HPA's words: "cpu resource utilization (percentage of request)". */
  of: string;
}

/**
 * The replicas that a metric asks for, by HPA's rules (podautoscaler/replica_calculator.go), down to its whole
 * percents and milli-units. Throws MetricsError, with HPA's reason, when there is no count to speak of.
 */
export function propose(metric: Metric, reading: Reading, target: TargetState): Proposal {
  const { type, resource, containerResource, pods, object, external, prometheus } = metric;
  try {
    if (type === "Resource" && resource) return ofResource(resource, reading, target);
    if (type === "ContainerResource" && containerResource) return ofResource(containerResource, reading, target);
    if (type === "Pods" && pods) {
      const count = byAverageValue(samplesOf(reading), milliOf(pods.target, "averageValue"), target);
      return { of: `pods metric ${pods.metric.name}`, ...count };
    }
    if (type === "Object" && object) {
      const { describedObject, metric: named, target: wanted } = object;
      if (wanted.type === "Value")
        return { of: `${describedObject.kind} metric ${named.name}`, ...byValue(wanted, reading, target) };
      if (wanted.type === "AverageValue") return { of: nameOf(named), ...byTotal(wanted, reading, target) };
      throw new NoCount(`target.type is ${wanted.type}, set it to Value or AverageValue`);
    }
    if (type === "External" && external) {
      const by = external.target.averageValue === undefined ? byValue : byTotal;
      return { of: nameOf(external.metric), ...by(external.target, reading, target) };
    }
    if (type === "Prometheus" && prometheus) {
      const by = prometheus.target.averageValue === undefined ? byValue : byTotal;
      return { of: `Prometheus metric ${queryText(prometheus.query)}`, ...by(prometheus.target, reading, target) };
    }
  } catch (error) {
    throw error instanceof NoCount ? new MetricsError(`FailedGet${type}Metric`, error.message) : error;
  }
  throw new MetricsError("InvalidMetricSourceType", `an entry of metrics is of type "${type}" and has no block for it`);
}

function ofResource(resource: Resource & { target: MetricTarget }, reading: Reading, target: TargetState): Proposal {
  const { name, container, target: wanted } = resource;
  const average = wanted.averageValue !== undefined;
  const samples = samplesOf(reading);
  try {
    if (average) {
      const count = byAverageValue(samples, milliOf(wanted, "averageValue"), target, resource);
      return { of: `${name} resource`, ...count };
    }
    const kind = container === undefined ? "resource" : "container resource";
    const of = `${name} ${kind} utilization (percentage of request)`;
    return { of, ...byUtilization(samples, resource, percentOf(wanted), target) };
  } catch (error) {
    if (!(error instanceof NoCount)) throw error;
    throw new NoCount(`failed to get ${name} ${average ? "usage" : "utilization"}: ${error.message}`);
  }
}

/** A value that all pods share, against its target: as many times the ready pods. From 0 replicas without tolerance. */
function byValue(wanted: MetricTarget, reading: Reading, { pods, specReplicas, tolerance }: TargetState): Count {
  const value = valueOf(reading);
  const ratio = value / milliOf(wanted, "value");
  const current = { value };
  if (specReplicas === 0) return { replicas: roundUp(ratio), current };
  if (isWithin(ratio, tolerance)) return { replicas: specReplicas, current };
  if (pods.length === 0)
    throw new NoCount("unable to calculate ready pods: no pods returned by selector while calculating replica count");
  return { replicas: roundUp(ratio * countReady(pods)), current };
}

/** A total, against what each pod is to have of it. */
function byTotal(wanted: MetricTarget, reading: Reading, { statusReplicas, tolerance }: TargetState): Count {
  const total = valueOf(reading);
  const averageMilli = milliOf(wanted, "averageValue");
  const stays = isWithin(total / (averageMilli * statusReplicas), tolerance);
  // An overflow is not divided. Without replicas there is no average.
  const averageValue = total >= mostQuantity ? mostQuantity : Math.ceil(total / statusReplicas);
  return {
    replicas: stays ? statusReplicas : roundUp(total / averageMilli),
    current: statusReplicas > 0 ? { averageValue } : {},
  };
}

function samplesOf(reading: Reading): Map<string, Sample> {
  if (!("samples" in reading)) throw new NoCount("the source has one value, where each pod is to have a sample");
  return reading.samples;
}

function valueOf(reading: Reading): number {
  if (!("milli" in reading)) throw new NoCount("the source has samples of pods, where there is to be one value");
  if (!Number.isFinite(reading.milli))
    throw new NoCount(`the source has the value ${reading.milli}, which is no number`);
  return Math.min(reading.milli, mostQuantity);
}

function percentOf({ averageUtilization }: MetricTarget): number {
  if (averageUtilization === undefined || averageUtilization < 1)
    throw new NoCount(`target.averageUtilization is ${averageUtilization}, set it to 1 or more, or set averageValue`);
  return averageUtilization;
}

function milliOf(target: MetricTarget, field: "averageValue" | "value"): number {
  const quantity = target[field];
  const milli = milliValue(quantity ?? "") ?? 0;
  if (!(milli > 0)) throw new NoCount(`target.${field} is ${quantity}, set it to a Quantity above 0`);
  return milli;
}

/** "external metric qps(nil)": the name with the selector, as HPA prints it. */
const nameOf = ({ name, selector }: { name: string; selector?: LabelSelector }): string =>
  `external metric ${name}(${selector ? printed(selector) : "nil"})`;

function printed({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map(label => `${label}: ${matchLabels[label]},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return (
    `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`
  );
}
