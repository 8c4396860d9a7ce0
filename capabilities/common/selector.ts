import * as z from "zod";
import { celList, NestedRules, Rule } from "./rules";

const mostLabels = 16;

/** The key of a label: a domain of 253 characters, a slash, and a name of 63. Without a limit the pattern of a domain takes hours for a megabyte. */
export const longestKey = 317;

const requirementSchema = z.strictObject({
  key: z.string().max(longestKey).describe("The label."),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How it relates to the values."),
  values: z.array(z.string().max(63)).max(16).optional().describe("The values, for In and NotIn."),
});

type Requirement = z.output<typeof requirementSchema>;

/** A label selector (meta/v1 LabelSelector) in a spec; what types do not say of it, `selectorRules` do. */
export const selectorSchema = z.strictObject({
  matchLabels: z
    .record(z.string(), z.string().max(63))
    .refine(labels => Object.keys(labels).length <= mostLabels, `use at most ${mostLabels} labels`)
    .meta({ maxProperties: mostLabels })
    .optional()
    .describe("Labels with their values."),
  matchExpressions: z
    .array(requirementSchema)
    .max(16)
    .optional()
    .describe("Requirements on labels, all of which must hold."),
});

export type LabelSelector = z.output<typeof selectorSchema>;

/** A pattern for what the DNS takes between two dots, as many names have to be (RFC 1123). */
export const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** Patterns for names with a domain before them, as "example.com/gpu": the domain, and the name after the slash. */
export const domain = `${dnsLabel}([.]${dnsLabel})*`;
export const qualifiedName = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

const key = `^(${domain}/)?${qualifiedName}$`;
const value = `^(${qualifiedName})?$`;

const isKey = (text: string): boolean => text.length <= longestKey && new RegExp(key).test(text);
const isValue = (text: string): boolean => new RegExp(value).test(text);

const wrongLabels = (labels: Record<string, string>): string[] =>
  Object.keys(labels).filter(name => !isKey(name) || !isValue(labels[name] ?? ""));

const allowed = 'use letters, digits, "-", "_" and "."';

const labelsRules: Rule<Record<string, string>>[] = [
  {
    path: "",
    cel: `self.all(key, size(key) <= ${longestKey} && key.matches('${key}') && self[key].matches('${value}'))`,
    check: labels => wrongLabels(labels).length === 0,
    message: `no labels: %s, ${allowed} in a key, with DOMAIN/ before it or not, and in its value`,
    values: [
      {
        cel: `self.filter(key, size(key) > ${longestKey} || !key.matches('${key}') || !self[key].matches('${value}'))`,
        of: labels => celList(wrongLabels(labels)),
      },
    ],
  },
];

const requirementRules: Rule<Requirement>[] = [
  {
    path: "key",
    cel: `self.key.matches('${key}')`,
    check: requirement => isKey(requirement.key),
    message: `"%s" is not the key of a label, ${allowed}, with DOMAIN/ before it or not`,
    values: ["key"],
  },
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
    cel: `!has(self.values) || self.values.all(item, item.matches('${value}'))`,
    check: ({ values = [] }) => values.every(isValue),
    message: `no values of labels: %s, ${allowed}, a letter or digit first and last`,
    values: [
      {
        cel: `self.values.filter(item, !item.matches('${value}'))`,
        of: ({ values = [] }: Requirement) => celList(values.filter(item => !isValue(item))),
      },
    ],
  },
];

/** The rules on a label selector that stands at `at`. */
export const selectorRules = (at: string): NestedRules[] => [
  { at: `${at}.matchLabels`, rules: labelsRules },
  { at: `${at}.matchExpressions[]`, rules: requirementRules },
];

type Labels = Record<string, string>;

/** A requirement of a selector as queries have it: "app=web", "tier in (a, b)", "!old", "zone", "generation > 3". */
const requirement =
  /^(?<no>!)?\s*(?<name>[^\s,!=<>()]+)(?:\s*(?<operator>==|=|!=|<|>)\s*(?<wanted>[^\s,!=<>()]*)|\s+(?<set>in|notin)\s*\((?<among>[^()]*)\))?$/;

const equals = ["=", "=="];

/** Which pods are selected, by their labels. */
export interface Selection {
  selects: (labels: Labels) => boolean;
  /** The labels that have to have one value. */
  values: ReadonlyMap<string, string>;
}

/**
 * What a selector in the form of a query selects, as the API server reads it (labels.Parse of apimachinery); undefined
 * when it is none.
 */
export function parseSelector(text: string): Selection | undefined {
  const parts = text.split(/,(?![^(]*\))/).map(part => requirement.exec(part.trim())?.groups);
  const selected = parts.map(groups => groups && matcherOf(groups));
  const known = selected.flatMap(matches => matches ?? []);
  if (known.length < selected.length) return undefined;
  const values = parts.flatMap((groups): [string, string][] =>
    equals.includes(groups?.operator ?? "") ? [[groups?.name ?? "", groups?.wanted ?? ""]] : [],
  );
  return { selects: labels => known.every(matches => matches(labels)), values: new Map(values) };
}

/** Whether two selectors ask for different values of a label, so that no pod is of both. */
export const areApart = ({ values }: Selection, other: Selection): boolean =>
  [...values].some(([name, value]) => (other.values.get(name) ?? value) !== value);

function matcherOf(groups: Partial<Record<string, string>>): ((labels: Labels) => boolean) | undefined {
  const { no, name = "", operator, wanted = "", set, among = "" } = groups;
  const valueOf = (labels: Labels): string | undefined => (Object.hasOwn(labels, name) ? labels[name] : undefined);
  const isBare = operator === undefined && set === undefined;
  if (!isKey(name) || (no !== undefined && !isBare)) return undefined;
  if (isBare) return labels => (valueOf(labels) === undefined) === (no !== undefined);
  if (operator === "<" || operator === ">") {
    if (!integer.test(wanted)) return undefined;
    const sign = operator === "<" ? -1 : 1;
    return labels => integer.test(valueOf(labels) ?? "") && sign * (Number(valueOf(labels)) - Number(wanted)) > 0;
  }
  const values = set === undefined ? [wanted] : among.split(",").map(one => one.trim());
  if (!values.every(isValue)) return undefined;
  const isNot = operator === "!=" || set === "notin";
  return labels => values.some(one => one === valueOf(labels)) !== isNot;
}

const integer = /^\d+$/;
