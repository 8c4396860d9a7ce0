import * as z from "zod";
import { optionalList } from "./fields";
import { isLabelKey, isLabelValue, labelKey, labelValue, longestLabelKey } from "../kubernetes/names";
import { celList, matching, NestedRules, Rule } from "./rules";

const mostLabels = 16;

const requirementSchema = z.strictObject({
  key: z.string().max(longestLabelKey).describe("Key of the label, for example app."),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("Relation of the label to the values."),
  values: optionalList(z.string().max(63), 16).describe("Values, for In and NotIn only, for example [web]."),
});

type Requirement = z.output<typeof requirementSchema>;

/** The zod schema of a label selector (meta/v1 LabelSelector); `selectorRules` complete it. */
export const selectorSchema = z.strictObject({
  matchLabels: z
    .record(z.string(), z.string().max(63))
    .refine(labels => Object.keys(labels).length <= mostLabels, `use at most ${mostLabels} labels`)
    .meta({ maxProperties: mostLabels })
    .optional()
    .describe("Labels with their values, for example app: web."),
  matchExpressions: optionalList(requirementSchema, 16).describe("Requirements on labels, all of which must hold."),
});

const wrongLabels = (labels: Record<string, string>): string[] =>
  Object.keys(labels).filter(name => !isLabelKey(name) || !isLabelValue(labels[name] ?? ""));

const allowed = 'use letters, digits, "-", "_" and "."';

const labelsRules: Rule<Record<string, string>>[] = [
  {
    path: "",
    cel:
      `self.all(key, size(key) <= ${longestLabelKey} && key.matches('${labelKey}')` +
      ` && self[key].matches('${labelValue}'))`,
    check: labels => wrongLabels(labels).length === 0,
    message: `no labels: %s, ${allowed} in a key, with DOMAIN/ before it or not, and in its value`,
    values: [
      {
        cel:
          `self.filter(key, size(key) > ${longestLabelKey} || !key.matches('${labelKey}')` +
          ` || !self[key].matches('${labelValue}'))`,
        of: labels => celList(wrongLabels(labels)),
      },
    ],
  },
];

const requirementRules: Rule<Requirement>[] = [
  matching("key", labelKey, `"%s" is not the key of a label, ${allowed}, with DOMAIN/ before it or not`),
  {
    path: "values",
    cel: "(self.operator in ['In', 'NotIn']) == (has(self.values) && size(self.values) > 0)",
    check: ({ operator, values = [] }) => ["In", "NotIn"].includes(operator) === values.length > 0,
    message: "%s with %s values, use at least one value for In and NotIn, and none for Exists and DoesNotExist",
    values: [
      "operator",
      { cel: "has(self.values) ? size(self.values) : 0", of: ({ values = [] }: Requirement) => values.length },
    ],
  },
  {
    path: "values",
    cel: `!has(self.values) || self.values.all(item, item.matches('${labelValue}'))`,
    check: ({ values = [] }) => values.every(isLabelValue),
    message: `no values of labels: %s, ${allowed}, a letter or digit first and last`,
    values: [
      {
        cel: `self.values.filter(item, !item.matches('${labelValue}'))`,
        of: ({ values = [] }: Requirement) => celList(values.filter(item => !isLabelValue(item))),
      },
    ],
  },
];

/** Returns the rules on a label selector at the path `at` of a spec. */
export const selectorRules = (at: string): NestedRules[] => [
  { at: `${at}.matchLabels`, rules: labelsRules },
  { at: `${at}.matchExpressions[]`, rules: requirementRules },
];
