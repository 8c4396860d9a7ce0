import * as z from "zod";
import { LabelSelector, selectorText } from "../../../kubernetes/selector";
import { milliExactly, milliValue } from "../../../kubernetes/quantity";
import { queryOf } from "../request-query";
import { metricFailed, MetricReference, readingOf, Sample } from "../reading";
import { identifierRules, metricIdentifierSchema, metricTargetSchema, typeWithField } from "../schema";
import { MetricsApis, Source, Subject } from "../source";
import { CustomValue } from "../values";

const schema = z.strictObject({
  metric: metricIdentifierSchema.describe("Metric of each pod of the target."),
  target: metricTargetSchema.describe("Target for the average over the pods."),
});

type Block = z.output<typeof schema>;

/** A metric of each pod, from custom.metrics.k8s.io. One request reads all pods of a target. */
export const pods: Source<Block> = {
  schema,
  description: "For Pods: a metric that each pod has, from custom.metrics.k8s.io.",
  rules: identifierRules,
  targetRules: [typeWithField(["AverageValue"])],
  name: ({ metric }) => metric.name,
  hpaName: () => "pods",
  hpaRule: ({ metric, target }) => ({ by: "averageValue", target, of: `pods metric ${metric.name}` }),
  read: async ({ metric, target }, subject, reference, apis) => {
    const { fresh, stale } = await podValues(metric, subject, reference, apis);
    const milliOf = target.replicasPerUnit === undefined ? milliValue : milliExactly;
    const samples = samplesOf(fresh, milliOf);
    if (samples.size === 0)
      throw metricFailed(reference, "none of its values is a Quantity of 0 or more; see what is sent");
    return readingOf(samples, samplesOf(stale, milliOf));
  },
};

/** The values that are loads. One below 0 is none, and its pod has no sample. */
const samplesOf = (values: CustomValue[], milliOf: typeof milliValue): Map<string, Sample> =>
  new Map(
    values.flatMap(({ name, at, windowMilliseconds, value }): [string, Sample][] => {
      const milli = milliOf(value) ?? NaN;
      return milli >= 0 ? [[name, { milli, at, windowMilliseconds }]] : [];
    }),
  );

function podValues(
  { name, selector }: { name: string; selector?: LabelSelector },
  subject: Subject,
  reference: MetricReference,
  apis: MetricsApis,
): ReturnType<MetricsApis["custom"]["read"]> {
  const path = `namespaces/${subject.namespace}/pods/*/${encodeURIComponent(name)}`;
  const query = queryOf({ labelSelector: subject.selector, metricLabelSelector: selectorText(selector) });
  return apis.custom.read({ ...reference, path, query, now: subject.now });
}
