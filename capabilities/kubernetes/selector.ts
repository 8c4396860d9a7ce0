import { isLabelKey, isLabelValue } from "./names";

/** A label selector (meta/v1 LabelSelector). */
export interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: string[] }[];
}

type Labels = Record<string, string>;

/**
 * Formats a label selector as API requests have it: "app=web,tier in (a,b),!canary". Empty when it selects everything.
 */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${[...values].sort().join(",")})`;
    return { In: `${key} in ${list}`, NotIn: `${key} notin ${list}`, Exists: key, DoesNotExist: `!${key}` }[operator];
  });
  return [...labels, ...expressions].join(",");
}

/** A requirement of a selector in text form: "app=web", "tier in (a, b)", "!old", "zone", "generation > 3". */
const requirement = new RegExp(
  "^(?<no>!)?\\s*(?<name>[^\\s,!=<>()]+)" +
    "(?:\\s*(?<operator>==|=|!=|<|>)\\s*(?<wanted>[^\\s,!=<>()]*)" +
    "|\\s+(?<set>in|notin)\\s*\\((?<among>[^()]*)\\))?$",
);

const equals = ["=", "=="];

/** A parsed selector. */
export interface Selection {
  selects: (labels: Labels) => boolean;
  /** The labels that must have exactly one value. */
  values: ReadonlyMap<string, string>;
}

/**
 * Parses the text of a selector as the API server does (labels.Parse of apimachinery). Returns undefined when it is not
 * valid.
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

/** Whether two selectors require different values of a label, so that no pod matches both. */
export const areApart = ({ values }: Selection, other: Selection): boolean =>
  [...values].some(([name, value]) => (other.values.get(name) ?? value) !== value);

function matcherOf(groups: Partial<Record<string, string>>): ((labels: Labels) => boolean) | undefined {
  const { no, name = "", operator, wanted = "", set, among = "" } = groups;
  const valueOf = (labels: Labels): string | undefined => (Object.hasOwn(labels, name) ? labels[name] : undefined);
  const isBare = operator === undefined && set === undefined;
  if (!isLabelKey(name) || (no !== undefined && !isBare)) return undefined;
  if (isBare) return labels => (valueOf(labels) === undefined) === (no !== undefined);
  if (operator === "<" || operator === ">") {
    if (!integer.test(wanted)) return undefined;
    const sign = operator === "<" ? -1 : 1;
    return labels => integer.test(valueOf(labels) ?? "") && sign * (Number(valueOf(labels)) - Number(wanted)) > 0;
  }
  const values = set === undefined ? [wanted] : among.split(",").map(one => one.trim());
  if (!values.every(isLabelValue)) return undefined;
  const isNot = operator === "!=" || set === "notin";
  return labels => values.some(one => one === valueOf(labels)) !== isNot;
}

const integer = /^\d+$/;
