import * as z from "zod";
import { celList, NestedRules, notNegative, Rule } from "../../definition/rules";
import { MetricReference, MetricsError, Reading } from "./reading";
import { MetricTarget, targetRules } from "./schema";
import { MetricsApis, Source, Subject } from "./sources/source";
import { containerResource } from "./sources/container-resource";
import { external } from "./sources/external";
import { object } from "./sources/object";
import { pods } from "./sources/pods";
import { prometheus } from "./sources/prometheus";
import { resource } from "./sources/resource";

/** The metric sources by the field of their block. The type of a source is the same word, capitalized. */
const sources = { resource, containerResource, pods, object, external, prometheus };

type Sources = typeof sources;
type Field = keyof Sources;
type BlockOf<One> = One extends Source<infer Block> ? Block : never;
export type MetricType = Capitalize<Field>;

/** One entry of `metrics`: an entry of autoscaling/v2, or a query to Prometheus. */
export type Metric = { type: MetricType } & { [Name in Field]?: BlockOf<Sources[Name]> };

const fields = Object.keys(sources) as Field[];

const typeOf = (field: Field): MetricType => (field.charAt(0).toUpperCase() + field.slice(1)) as MetricType;
const fieldOf = (type: MetricType): Field => (type.charAt(0).toLowerCase() + type.slice(1)) as Field;

export const metricTypes: MetricType[] = fields.map(typeOf);

/** The reason of ScalingActive when a metric of this type fails, as HPA names it: "FailedGetPodsMetric". */
export const failureReason = (type: MetricType) => `FailedGet${type}Metric` as const;

/** The reason of ScalingActive when a metric has no block for its type, as HPA names it. */
export const invalidSourceType = "InvalidMetricSourceType";

/** One entry of `metrics` in the CRD, with a field for the block of each source. */
export const metricSchema = z.strictObject({
  type: z.enum(metricTypes).describe("Source of the metric. Give the block of that name, and no other."),
  ...Object.fromEntries(
    Object.entries(sources).map(([field, { schema, description }]: [string, AnySource]) => [
      field,
      schema.optional().describe(description),
    ]),
  ),
}) as unknown as z.ZodType<Metric>;

type AnySource = Pick<Source<never>, "description" | "rules" | "targetRules"> & {
  schema: z.ZodType;
  activation?: z.ZodType;
};

type MetricEntry = { type: MetricType } & { [Name in Field]?: unknown };

/** The rule that an entry has the block of its type and no other; the entry has a field for each of `given`. */
const blockOfType = (given: Field[]): Rule<MetricEntry> => ({
  path: "type",
  cel: given.map(field => `(self.type == '${typeOf(field)}') == has(self.${field})`).join(" && "),
  check: entry => given.every(field => (entry.type === typeOf(field)) === (entry[field] !== undefined)),
  message: "%s goes with the block of that name and no other, use %s alone",
  values: [
    "type",
    { cel: "self.type.substring(0, 1).lowerAscii() + self.type.substring(1)", of: ({ type }) => fieldOf(type) },
  ],
});

/** Rules on `metrics` beyond types, required fields and enums: those of HPA and those of each source. */
export const metricsRules: NestedRules[] = [
  { at: "metrics[]", rules: [blockOfType(fields)] },
  ...Object.entries(sources).flatMap(([field, source]: [string, AnySource]) => [
    ...source.rules.map(({ at, rules }) => ({ at: `metrics[].${field}${at && `.${at}`}`, rules })),
    { at: `metrics[].${field}.target`, rules: [...targetRules, ...source.targetRules] },
  ]),
];

interface MetricSource {
  source: Source<{ target: MetricTarget }>;
  block: { target: MetricTarget };
}

/** The source of a metric. Throws MetricsError when the metric has no block for its type. */
export function sourceOf(metric: Metric): MetricSource {
  const field = fieldOf(metric.type);
  const block = metric[field];
  if (block) return { source: sources[field] as MetricSource["source"], block };
  throw new MetricsError(invalidSourceType, `a metric of type ${metric.type} has no ${field}; give it`);
}

const fieldsWithoutPods = fields.filter(field => (sources[field] as AnySource).activation);

/** The types of metrics that are known without pods, so at 0 replicas. */
export const typesWithoutPods: MetricType[] = fieldsWithoutPods.map(typeOf);

/** Whether a metric is known without pods of the target, so at 0 replicas. */
export const isKnownWithoutPods = ({ type }: Metric): boolean => typesWithoutPods.includes(type);

/** An entry of an activation: a metric with a threshold in place of its target. */
export type ActivationEntry = { type: MetricType } & { [Name in Field]?: { threshold: string | number } };

/** One entry of an activation in the CRD. The types that need pods are refused by a rule, which says why. */
export const activationSchema = z.strictObject({
  type: z.enum(metricTypes).describe("Source of the metric: Object, External or Prometheus. Give its block."),
  ...Object.fromEntries(
    fieldsWithoutPods.map(field => {
      const { activation, description }: AnySource = sources[field];
      return [field, activation?.optional().describe(description)];
    }),
  ),
}) as unknown as z.ZodType<ActivationEntry>;

/** Rules on the entries of the list at a path, beyond types, required fields and enums. */
export const activationRules = (list: string): NestedRules[] => [
  {
    at: `${list}[]`,
    rules: [
      {
        path: "type",
        cel: `self.type in ${celList(typesWithoutPods)}`,
        check: ({ type }) => typesWithoutPods.includes(type),
        message: "%s is measured on pods, and there are none at 0 replicas; use Object, External or Prometheus",
        values: ["type"],
      } satisfies Rule<ActivationEntry>,
      {
        ...blockOfType(fieldsWithoutPods),
        cel: `!(self.type in ${celList(typesWithoutPods)}) || ${blockOfType(fieldsWithoutPods).cel}`,
        check: entry => !typesWithoutPods.includes(entry.type) || blockOfType(fieldsWithoutPods).check(entry),
      } satisfies Rule<MetricEntry>,
    ],
  },
  ...fieldsWithoutPods.flatMap(field => [
    ...(sources[field] as AnySource).rules.map(({ at, rules }) => ({
      at: `${list}[].${field}${at && `.${at}`}`,
      rules,
    })),
    { at: `${list}[].${field}`, rules: [thresholdRule] },
  ]),
];

const thresholdRule = notNegative<{ threshold: string | number }>(
  "threshold",
  '%s is not a threshold, use an integer or Quantity of 0 or more, for example 10 or "500m"',
);

/** The entry of an activation as a metric, whose target of each replica is the threshold. */
export function metricOf(entry: ActivationEntry): Metric {
  const field = fieldOf(entry.type);
  const { threshold, ...block } = entry[field] ?? { threshold: 0 };
  return { type: entry.type, [field]: { ...block, target: { type: "AverageValue", averageValue: threshold } } };
}

/** The metric of a spec with `metric`: a resource of the target's pods, or a metric that each of them has. */
export function metricNamed(name: string, replicasPerUnit: string | number): Metric {
  const target = { type: "AverageValue", replicasPerUnit } as const;
  if (name === "cpu" || name === "memory") return { type: "Resource", resource: { name, target } };
  return { type: "Pods", pods: { metric: { name }, target } };
}

/** Whether a metric is that of `spec.metric`, which has a rule of its own. */
export const isCountedPerUnit = ({ resource, pods }: Metric): boolean =>
  (resource ?? pods)?.target.replicasPerUnit !== undefined;

/** The metric as errors name it. Throws MetricsError when the metric has no block for its type. */
export function referenceTo(metric: Metric): MetricReference {
  const { source, block } = sourceOf(metric);
  return {
    reason: failureReason(metric.type),
    metric: `${metric.type} metric ${source.reference?.(block) ?? source.name(block)}`,
  };
}

/** Reads a metric. The samples may include other pods of the namespace. Throws MetricsError. */
export async function readMetric(metric: Metric, subject: Subject, apis: MetricsApis): Promise<Reading> {
  const { source, block } = sourceOf(metric);
  return source.read(block, subject, referenceTo(metric), apis);
}
