import * as z from "zod";
import { Rule } from "../../../definition/rules";
import { milliExactly, milliValue } from "../../../kubernetes/quantity";
import { metricFailed, MetricReference, Reading, readingOf } from "../reading";
import { MetricTarget, metricTargetSchema, typeWithField } from "../schema";
import { HpaRule, MetricsApis, PodResource, Source, Subject } from "./source";

const schema = z.strictObject({
  name: z.string().max(253).describe("Resource: cpu or memory."),
  target: metricTargetSchema.describe("Target for the average over the pods."),
});

type Block = z.output<typeof schema>;

const rules: Rule<Block>[] = [
  {
    path: "name",
    cel: "self.name != ''",
    check: ({ name }) => name !== "",
    message: '"%s" is not a resource, use cpu or memory',
    values: ["name"],
  },
];

export const resourceTargetRules: Rule<MetricTarget>[] = [typeWithField(["Utilization", "AverageValue"], "alone")];

/** cpu or memory of the target's pods, from metrics.k8s.io. One list serves all targets of a namespace. */
export const resource: Source<Block> = {
  schema,
  description: "For Resource: cpu or memory of the target's pods.",
  rules: [{ at: "", rules }],
  targetRules: resourceTargetRules,
  name: ({ name }) => name,
  hpaName: ({ name }) => `${name} resource`,
  hpaRule: ({ name, target }) => resourceRule({ name }, target),
  resource: ({ name }) => ({ name }),
  read: ({ name, target: { replicasPerUnit } }, subject, reference, apis) =>
    readResource({ name }, subject, reference, apis, replicasPerUnit === undefined ? milliValue : milliExactly),
};

/** HPA's rule for a resource: utilization (percent of requests) or average value. */
export function resourceRule(measured: PodResource, target: MetricTarget): HpaRule {
  const { name, container } = measured;
  const rule = { target, resource: measured };
  if (target.type === "AverageValue")
    return { ...rule, by: "averageValue", of: `${name} resource`, problem: `failed to get ${name} usage: ` };
  const kind = container === undefined ? "resource" : "container resource";
  const of = `${name} ${kind} utilization (percentage of request)`;
  return { ...rule, by: "utilization", of, problem: `failed to get ${name} utilization: ` };
}

/**
 * The samples of a resource by pod: its containers, each rounded up to a milli-unit as HPA does, or one of them. A pod
 * that lacks a container's value has none. Throws MetricsError.
 */
export async function readResource(
  { name: resourceName, container }: PodResource,
  { namespace, now }: Subject,
  reference: MetricReference,
  apis: MetricsApis,
  milliOf = milliValue,
): Promise<Reading> {
  const usages = await apis.resource.read({ ...reference, path: `namespaces/${namespace}/pods`, now });
  const reading = readingOf(usages, ({ containers }) => {
    const counted = containers.filter(one => container === undefined || one.name === container);
    if (counted.length === 0) return undefined;
    return counted.reduce((sum, { usage }) => sum + (milliOf(usage[resourceName] ?? "") ?? NaN), 0);
  });
  if (reading.samples.size > 0) return reading;
  throw metricFailed(reference, `metrics.k8s.io has it for no pod of namespace ${namespace}; check the name`);
}
