import * as z from "zod";
import type { MetricTarget } from "../metrics/schema";

/** The blocks of metrics for which an HPA goes by the field that is given, whatever the type of the target says. */
const blocksByField = ["resource", "containerResource", "pods", "external"] as const;

const targetSchema = z.looseObject({
  type: z.string(),
  averageUtilization: z.unknown().optional(),
  averageValue: z.unknown().optional(),
  value: z.unknown().optional(),
});

const blockSchema = (name: string): z.ZodType => z.object({ [name]: z.object({ target: targetSchema }) });
const targetsSchema = z.record(z.string(), z.looseObject({ target: targetSchema.optional() }).catch({}));

/**
 * The target of a metric of an HPA whose type as written is another than the HPA takes it for; undefined for any other
 * metric.
 */
export function misnamedTarget(
  metric: unknown,
): { block: string; given: string; type: MetricTarget["type"] } | undefined {
  const block = blocksByField.find(one => blockSchema(one).safeParse(metric).success);
  const { target } = block === undefined ? {} : (targetsSchema.parse(metric)[block] ?? {});
  const type = block && target && typeOf(block, target);
  return block && type && type !== target.type ? { block, given: target.type, type } : undefined;
}

/** A metric of an HPA as the HPA reads it. */
export function metricAsRead(metric: unknown): unknown {
  const { block, type } = misnamedTarget(metric) ?? {};
  if (block === undefined) return metric;
  const blocks = metric as Record<string, { target: object }>;
  return { ...blocks, [block]: { ...blocks[block], target: { ...blocks[block]?.target, type } } };
}

/** The type that an HPA takes a target for; undefined where it has no field for one. */
function typeOf(
  block: (typeof blocksByField)[number],
  { averageValue, averageUtilization, value }: z.output<typeof targetSchema>,
): MetricTarget["type"] | undefined {
  const isGiven = (field: unknown): boolean => field !== undefined && field !== null;
  if (isGiven(averageValue)) return "AverageValue";
  if (block === "external") return isGiven(value) ? "Value" : undefined;
  return block !== "pods" && isGiven(averageUtilization) ? "Utilization" : undefined;
}

/** The CPU utilization target of an HPA without metrics, in percent (autoscaling/v2, defaults.go). */
export const defaultUtilization = 80;

/** A metric of CPU with this utilization target, in percent. */
export const cpuMetric = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** The metric of an HPA that names none. */
export const defaultMetric = cpuMetric(defaultUtilization);
