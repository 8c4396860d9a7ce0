import * as z from "zod";
import { optionalInteger } from "../../definition/fields";
import { selectorRules, selectorSchema } from "../../definition/label-selector";
import { ifGiven, intOrString, NestedRules, Rule, within } from "../../definition/rules";
import { domain, qualifiedName } from "../../kubernetes/names";
import { parseQuantity } from "../../kubernetes/quantity";

/** The fields that several sources share, verbatim from autoscaling/v2. */

const targetFields = z.strictObject({
  type: z
    .enum(["Utilization", "Value", "AverageValue"])
    .describe("Type of the target. Give the field that goes with it."),
  averageUtilization: optionalInteger().describe(
    "Average utilization of the requests of the target's pods, in percent, for example 70. Every container must " +
      "have a request, for ContainerResource the named one. Only for Resource and ContainerResource.",
  ),
  averageValue: intOrString()
    .optional()
    .describe(
      "Average of the metric over the pods, as a Quantity in the unit of the metric: cores, bytes, or requests a " +
        "second. For example 500m, 2Gi or 100. It needs no requests of the pods.",
    ),
  value: intOrString()
    .optional()
    .describe("Value of the metric, as a Quantity in the unit of the metric, for example 30."),
});

export type MetricTarget = z.output<typeof targetFields> & {
  /** The rule of spec.metric: ceil(load × this), without a tolerance. No user writes it. */
  replicasPerUnit?: string | number;
};

export const metricTargetSchema: z.ZodType<MetricTarget> = targetFields;

export const thresholdSchema = intOrString()
  .default(0)
  .describe("Value of the metric above which the target has work, an integer or a Quantity of 0 or more.");

export const metricIdentifierSchema = z.strictObject({
  name: z.string().max(253).describe("Name of the metric, for example http_requests_per_second."),
  selector: selectorSchema.optional().describe("Label selector for the series of the metric."),
});

/** HPA's rule reads a target in thousandths, rounded up, so a smaller one would be another. */
const atLeastMilli = (field: "averageValue" | "value"): Rule<MetricTarget> => ({
  path: field,
  cel:
    `type(self.${field}) == int ? self.${field} > 0 : ` +
    `isQuantity(self.${field}) && !quantity(self.${field}).isLessThan(quantity('1m'))`,
  check: target => (parseQuantity(target[field] ?? "") ?? 0) >= 0.001,
  message: '%s is not an integer or Quantity of 0.001 or more, use for example 10 or "500m"',
  values: [field],
  range: "0.001 or more",
});

export const targetRules: Rule<MetricTarget>[] = [
  ifGiven(within("averageUtilization", 1, 2 ** 31 - 1, "percent")),
  ifGiven(atLeastMilli("averageValue")),
  ifGiven(atLeastMilli("value")),
];

const fieldOfType = { Utilization: "averageUtilization", AverageValue: "averageValue", Value: "value" } as const;

/** A rule that a target has one of these types and its field; with "alone", none of the others'. */
export function typeWithField(types: MetricTarget["type"][], alone?: "alone"): Rule<MetricTarget> {
  const others = (type: MetricTarget["type"]): (typeof fieldOfType)[keyof typeof fieldOfType][] =>
    types.filter(other => alone && other !== type).map(other => fieldOfType[other]);
  const fits = types.map(type => [
    `self.type == '${type}'`,
    `has(self.${fieldOfType[type]})`,
    ...others(type).map(field => `!has(self.${field})`),
  ]);
  const allowed = types.map(type => `${type} with ${fieldOfType[type]}${alone ? " alone" : ""}`);
  return {
    path: "type",
    cel: fits.map(parts => `(${parts.join(" && ")})`).join(" || "),
    check: target =>
      types.includes(target.type) &&
      target[fieldOfType[target.type]] !== undefined &&
      others(target.type).every(field => target[field] === undefined),
    message: `%s does not fit the field that is set, use ${allowed.join(", or ")}`,
    values: ["type"],
  };
}

/** A target for one value: the value itself, or its average over the pods. */
export const targetOfValue = typeWithField(["AverageValue", "Value"], "alone");

/** A rule on a field that is part of an API path, such as the name of a metric or an object. `what` is its noun. */
export function pathSegment<Value extends object>(field: keyof Value & string, what: string): Rule<Value> {
  return {
    path: field,
    cel: `self.${field}.matches('^[^/%]+$') && !(self.${field} in ['.', '..'])`,
    check: value => /^[^/%]+$/.test(String(value[field])) && ![".", ".."].includes(String(value[field])),
    message: `"%s" is not ${what}, use a name without slash and percent sign, and not "." or ".."`,
    values: [field],
  };
}

export const identifierRules: NestedRules[] = [
  { at: "metric", rules: [pathSegment<z.output<typeof metricIdentifierSchema>>("name", "the name of a metric")] },
  ...selectorRules("metric.selector"),
];

/** Container resource names, as autoscaling/v2 validates them. */
export const containerResourceName =
  "^(cpu|memory|ephemeral-storage|hugepages-[-A-Za-z0-9_.]{0,52}[A-Za-z0-9]|" + `${domain}/${qualifiedName})$`;

/** A DNS label: the name of a container or a server. */
export const label = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
