import * as z from "zod";
import { optionalInteger, optionalList } from "../../../definition/fields";
import { ifGiven, intOrString, NestedRules, notNegative, Rule, within } from "../../../definition/rules";
import { defaultTolerance, stabilizationMilliseconds } from "../../hpa-defaults";

/** The `behavior` block of autoscaling/v2, verbatim, so that an HPA's YAML can be pasted. */

const policySchema = z.strictObject({
  type: z.enum(["Pods", "Percent"]).describe("Unit of value: pods, or percent of the replicas."),
  value: z
    .int32()
    .describe("Largest change within the period, in pods or in percent as type says, above 0. For example 4."),
  periodSeconds: z.int32().describe("Length of the period in seconds, 1 to 1800, for example 60."),
});

const scalingRulesSchema = z.strictObject({
  stabilizationWindowSeconds: optionalInteger().describe(
    `Length of the stabilization window in seconds, 0 to 3600. By default 0 up and ${stabilizationMilliseconds / 1000} down.`,
  ),
  selectPolicy: z
    .enum(["Max", "Min", "Disabled"])
    .optional()
    .describe(
      "Policy that applies: the one that allows the largest change (Max, the default), the smallest (Min), or none " +
        "(Disabled).",
    ),
  policies: optionalList(policySchema, 16).describe(
    "Limits on the speed of change, at least one. By default as in an HPA.",
  ),
  tolerance: intOrString()
    .optional()
    .describe(
      "Tolerance: deviation of a metric from its target that causes no scaling, 0 or more. 0.05 is 5 %. " +
        `${defaultTolerance} by default.`,
    ),
});

export const behaviorSchema = z.strictObject({
  scaleUp: scalingRulesSchema.optional().describe("Rules for adding replicas."),
  scaleDown: scalingRulesSchema.optional().describe("Rules for removing replicas."),
});

export type Behavior = z.output<typeof behaviorSchema>;
export type ScalingRules = z.output<typeof scalingRulesSchema>;

const policyRules: Rule<z.output<typeof policySchema>>[] = [
  within("value", 1, 2 ** 31 - 1),
  within("periodSeconds", 1, 1800, "seconds"),
];

const scalingRulesRules: Rule<ScalingRules>[] = [
  ifGiven(within("stabilizationWindowSeconds", 0, 3600, "seconds")),
  {
    path: "policies",
    cel: "!has(self.policies) || size(self.policies) > 0",
    check: ({ policies }) => policies === undefined || policies.length > 0,
    message: "%s policies, use at least one, or leave policies out for the default of an HPA",
    values: [{ cel: "size(self.policies)", of: ({ policies = [] }) => policies.length }],
  },
  ifGiven(notNegative("tolerance", '%s is not an integer or Quantity of 0 or more, use for example "0.05" or 0')),
];

/** The API server's rules on an HPA's `behavior`, beyond types, required fields and enums. */
export const behaviorRules: NestedRules[] = ["behavior.scaleUp", "behavior.scaleDown"].flatMap(at => [
  { at, rules: scalingRulesRules },
  { at: `${at}.policies[]`, rules: policyRules },
]);
