import { LabelSelector } from "../../kubernetes/selector";

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
