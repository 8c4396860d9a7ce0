import * as z from "zod";
import { LabelSelector, selectorText } from "../../../kubernetes/selector";
import { milliValue, mostQuantity, shownQuantity } from "../../../kubernetes/quantity";
import { ageOf, metricFailed, type MetricReference } from "../reading";
import { identifierRules, metricIdentifierSchema, metricTargetSchema, targetOfValue, thresholdSchema } from "../schema";
import { Source } from "./source";

const schema = z.strictObject({
  metric: metricIdentifierSchema.describe("Metric from outside the cluster. Its series are summed."),
  target: metricTargetSchema.describe(
    "Target for the value (Value), or for the value divided by the number of pods (AverageValue).",
  ),
});

/** A metric from outside of the cluster, from external.metrics.k8s.io: the sum of its series. */
export const external: Source<z.output<typeof schema>> = {
  schema,
  description: "For External: a metric from external.metrics.k8s.io.",
  rules: identifierRules,
  targetRules: [targetOfValue],
  activation: schema.omit({ target: true }).extend({ threshold: thresholdSchema }),
  name: ({ metric }) => metric.name,
  hpaName: ({ metric }) => `${metric.name} external`,
  hpaRule: ({ metric, target }) => ({
    by: target.type === "Value" ? "value" : "total",
    target,
    of: hpaMetricName(metric),
  }),
  read: async ({ metric }, { namespace, now }, reference, apis) => {
    const path = `namespaces/${namespace}/${encodeURIComponent(metric.name)}`;
    const query = { labelSelector: selectorText(metric.selector) };
    const series = await apis.external.readWhole({ ...reference, path, query, now });
    const milli = series.reduce((sum, { value }) => sum + milliIn(value, reference), 0);
    const ageUnknown = series.some(({ at }) => ageOf(at, now) === "unknown");
    return { milli: Math.min(milli, mostQuantity), ...(ageUnknown && { ageUnknown }) };
  },
};

/** A value in milli-units. Throws MetricsError when it is not a Quantity. */
export function milliIn(value: string | number, reference: MetricReference): number {
  const milli = milliValue(value);
  if (milli !== undefined) return milli;
  throw metricFailed(reference, `its value "${shownQuantity(value)}" is not a Quantity; check what its source sends`);
}

/** "external metric qps(nil)": the name with the selector, as HPA prints it. */
export const hpaMetricName = ({ name, selector }: { name: string; selector?: LabelSelector }): string =>
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
