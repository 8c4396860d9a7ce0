import * as z from "zod";
import { ifGiven, matching, Rule } from "../../../definition/rules";
import { selectorText } from "../../../kubernetes/selector";
import { ageOf, metricFailed } from "../reading";
import {
  identifierRules,
  metricIdentifierSchema,
  metricTargetSchema,
  pathSegment,
  thresholdSchema,
  typeWithField,
} from "../schema";
import { hpaMetricName, milliIn } from "./external";
import { Source } from "./source";

const describedObjectSchema = z.strictObject({
  apiVersion: z.string().max(253).optional().describe("API version of the object, for example networking.k8s.io/v1."),
  kind: z.string().max(63).describe("Kind of the object, for example Ingress."),
  name: z.string().max(253).describe("Name of the object, in the namespace of the MLScaler, for example shop."),
});

const schema = z.strictObject({
  describedObject: describedObjectSchema.describe("Object that has the metric, in the namespace of the MLScaler."),
  metric: metricIdentifierSchema.describe("Metric of the object."),
  target: metricTargetSchema.describe(
    "Target for the value (Value), or for the value divided by the number of pods (AverageValue).",
  ),
});

type Block = z.output<typeof schema>;

const describedObjectRules: Rule<Block["describedObject"]>[] = [
  ifGiven(
    matching(
      "apiVersion",
      "^[^/]*(/[^/]*)?$",
      '"%s" is not an API version, use GROUP/VERSION as in "networking.k8s.io/v1"',
    ),
  ),
  pathSegment("kind", "a kind"),
  pathSegment("name", "the name of an object"),
];

export const object: Source<Block> = {
  schema,
  description: "For Object: a metric of one object, from custom.metrics.k8s.io.",
  rules: [{ at: "describedObject", rules: describedObjectRules }, ...identifierRules],
  targetRules: [typeWithField(["AverageValue", "Value"])],
  activation: schema.omit({ target: true }).extend({ threshold: thresholdSchema }),
  name: ({ metric }) => metric.name,
  reference: ({ metric, describedObject: { kind, name } }) => `${metric.name} of ${kind} ${name}`,
  hpaName: () => "object",
  hpaRule: ({ describedObject, metric, target }) =>
    target.type === "Value"
      ? { by: "value", target, of: `${describedObject.kind} metric ${metric.name}` }
      : // HPA names it like an external metric, too.
        { by: "total", target, of: hpaMetricName(metric) },
  read: async ({ describedObject, metric }, { namespace, now }, reference, apis) => {
    const objectPath = await apis.custom.pathOf(describedObject, reference);
    const path = `namespaces/${namespace}/${objectPath}/${encodeURIComponent(metric.name)}`;
    const query = { metricLabelSelector: selectorText(metric.selector) };
    const [value, ...others] = await apis.custom.readWhole({ ...reference, path, query, now });
    if (!value || others.length > 0)
      throw metricFailed(
        reference,
        `there are ${others.length + 1} values of it, not one; narrow them by metric.selector`,
      );
    const milli = milliIn(value.value, reference);
    return { milli, ...(ageOf(value.at, now) === "unknown" && { ageUnknown: true }) };
  },
};
