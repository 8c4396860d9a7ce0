import * as z from "zod";
import { selectorText } from "../../../kubernetes/selector";
import { milliExactly, milliValue } from "../../../kubernetes/quantity";
import { metricFailed, readingOf } from "../reading";
import { identifierRules, metricIdentifierSchema, metricTargetSchema, typeWithField } from "../schema";
import { Source } from "./source";

const schema = z.strictObject({
  metric: metricIdentifierSchema.describe("Metric of each pod of the target."),
  target: metricTargetSchema.describe("Target for the average over the pods."),
});

/** A metric of each pod, from custom.metrics.k8s.io. One request reads all pods of a target. */
export const pods: Source<z.output<typeof schema>> = {
  schema,
  description: "For Pods: a metric that each pod has, from custom.metrics.k8s.io.",
  rules: identifierRules,
  targetRules: [typeWithField(["AverageValue"])],
  name: ({ metric }) => metric.name,
  hpaName: () => "pods",
  hpaRule: ({ metric, target }) => ({ by: "averageValue", target, of: `pods metric ${metric.name}` }),
  read: async (
    { metric: { name, selector }, target },
    { namespace, selector: labelSelector, now },
    reference,
    apis,
  ) => {
    const path = `namespaces/${namespace}/pods/*/${encodeURIComponent(name)}`;
    const query = { labelSelector, metricLabelSelector: selectorText(selector) };
    const values = await apis.custom.read({ ...reference, path, query, now });
    const milliOf = target.replicasPerUnit === undefined ? milliValue : milliExactly;
    const reading = readingOf(values, ({ value }) => milliOf(value));
    if (reading.samples.size > 0) return reading;
    throw metricFailed(reference, "none of its values is a Quantity of 0 or more; check what their source sends");
  },
};
