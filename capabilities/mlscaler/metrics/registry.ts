import * as z from "zod";
import { NestedRules, Rule } from "../../definition/rules";
import { MetricReference, MetricsError, Reading } from "./reading";
import { MetricTarget, targetRules } from "./schema";
import { MetricsApis, Source, Subject } from "./source";
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

/** The `type` of an entry of `metrics`: "Resource", "Prometheus", … */
export type MetricType = Capitalize<Field>;

/** One entry of `metrics`: an entry of autoscaling/v2, or a query to Prometheus. */
export type Metric = { type: MetricType } & { [Name in Field]?: BlockOf<Sources[Name]> };

const fields = Object.keys(sources) as Field[];

const typeOf = (field: Field): MetricType => (field.charAt(0).toUpperCase() + field.slice(1)) as MetricType;
const fieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** The types that an entry of `metrics` can have. */
export const metricTypes: MetricType[] = fields.map(typeOf);

/** The reason of ScalingActive when a metric of this type fails, as HPA names it: "FailedGetPodsMetric". */
export const failureReason = (type: MetricType): string => `FailedGet${type}Metric`;

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

/** A source with any type of block. */
type AnySource = Pick<Source<never>, "description" | "rules" | "targetRules"> & { schema: z.ZodType };

const metricRules: Rule<Metric>[] = [
  {
    path: "type",
    cel: fields.map(field => `(self.type == '${typeOf(field)}') == has(self.${field})`).join(" && "),
    check: metric => fields.every(field => (metric.type === typeOf(field)) === (metric[field] !== undefined)),
    message: "%s goes with the block of that name and no other, use %s alone",
    values: [
      "type",
      {
        cel: "self.type.substring(0, 1).lowerAscii() + self.type.substring(1)",
        of: ({ type }) => fieldOf(type),
      },
    ],
  },
];

/** Rules on `metrics` beyond types, required fields and enums: those of HPA and those of each source. */
export const metricsRules: NestedRules[] = [
  { at: "metrics[]", rules: metricRules },
  ...Object.entries(sources).flatMap(([field, source]: [string, AnySource]) => [
    ...source.rules.map(({ at, rules }) => ({ at: `metrics[].${field}${at && `.${at}`}`, rules })),
    { at: `metrics[].${field}.target`, rules: [...targetRules, ...source.targetRules] },
  ]),
];

/** The source of a metric, and the metric's block. */
interface MetricSource {
  source: Source<{ target: MetricTarget }>;
  block: { target: MetricTarget };
}

/** The source of a metric. Throws MetricsError when the metric has no block for its type. */
export function sourceOf(metric: Metric): MetricSource {
  const field = fieldOf(metric.type) as Field;
  const block = metric[field];
  if (block) return { source: sources[field] as MetricSource["source"], block };
  throw new MetricsError(invalidSourceType, `a metric of type ${metric.type} has no ${field}; give it`);
}

/** The metric as errors name it. Throws MetricsError when the metric has no block for its type. */
export function referenceTo(metric: Metric): MetricReference {
  const { source, block } = sourceOf(metric);
  return {
    reason: failureReason(metric.type),
    metric: `${metric.type} metric ${(source.reference ?? source.name)(block)}`,
  };
}

/** Reads a metric. The samples may include other pods of the namespace. Throws MetricsError. */
export async function readMetric(metric: Metric, subject: Subject, apis: MetricsApis): Promise<Reading> {
  const { source, block } = sourceOf(metric);
  return source.read(block, subject, referenceTo(metric), apis);
}
