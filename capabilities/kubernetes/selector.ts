import { isLabelKey, isLabelValue } from "./names";

/** The longest text of a selector, in characters: dozens of the longest labels. Kubernetes has no limit of its own. */
export const longestSelector = 16_384;

export interface LabelSelector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: string[] }[];
}

type Labels = Record<string, string>;

/** A selector as API requests have it: "app=web,tier in (a,b),!canary". Empty when it selects everything. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${[...values].sort().join(",")})`;
    return { In: `${key} in ${list}`, NotIn: `${key} notin ${list}`, Exists: key, DoesNotExist: `!${key}` }[operator];
  });
  return [...labels, ...expressions].join(",");
}

export interface Selection {
  selects: (labels: Labels) => boolean;
  /** The labels that must have exactly one value. */
  values: ReadonlyMap<string, string>;
}

/** Parses a selector as the API server does (apimachinery, labels.Parse), in linear time. Undefined if it is none. */
export function parseSelector(text: string): Selection | undefined {
  if (text.length > longestSelector) return undefined;
  const tokens = (text.match(/[^ \t\r\n=!<>(),]+|[=!]=|[=!<>(),]/g) ?? []).reverse();
  const requirements: Requirement[] = [];
  do {
    const requirement = requirementOf(tokens);
    if (!requirement) return undefined;
    requirements.push(requirement);
  } while (take(tokens, ","));
  if (tokens.length > 0) return undefined;
  const selected = requirements.map(matcherOf);
  const values = requirements.flatMap(({ name, operator, values: [value = ""] }): [string, string][] =>
    operator === "=" ? [[name, value]] : [],
  );
  return { selects: labels => selected.every(matches => matches(labels)), values: new Map(values) };
}

/** Whether two selectors require different values of a label, so that no pod matches both. */
export const areApart = ({ values }: Selection, other: Selection): boolean =>
  [...values].some(([name, value]) => (other.values.get(name) ?? value) !== value);

/** A requirement of a selector in text form: "app=web", "tier in (a, b)", "!old", "zone", "generation > 3". */
interface Requirement {
  name: string;
  operator: "exists" | "!" | "=" | "!=" | "<" | ">" | "in" | "notin";
  values: string[];
}

/** The tokens of a selector, the last one first, without the white space between them: words and signs. */
type Tokens = string[];

const take = (tokens: Tokens, ...wanted: string[]): string | undefined =>
  wanted.includes(tokens.at(-1) ?? "") ? tokens.pop() : undefined;

const word = (tokens: Tokens): string | undefined =>
  /^[^=!<>(),]/.test(tokens.at(-1) ?? "") ? tokens.pop() : undefined;

function requirementOf(tokens: Tokens): Requirement | undefined {
  const no = take(tokens, "!");
  const name = word(tokens);
  if (name === undefined || !isLabelKey(name)) return undefined;
  if (no) return { name, operator: "!", values: [] };
  if ((tokens.at(-1) ?? ",") === ",") return { name, operator: "exists", values: [] };
  const set = take(tokens, "in", "notin") as "in" | "notin" | undefined;
  const operator = set ?? (take(tokens, "=", "==", "!=", "<", ">") as "=" | "==" | "!=" | "<" | ">" | undefined);
  const values = set ? amongOf(tokens) : [word(tokens) ?? ""];
  if (!operator || !values?.every(isLabelValue)) return undefined;
  if ((operator === "<" || operator === ">") && !integer.test(values[0] ?? "")) return undefined;
  return { name, operator: operator === "==" ? "=" : operator, values };
}

/** Reads the values of a set: "(a, b)". Between commas may be nothing, which is the empty value. */
function amongOf(tokens: Tokens): string[] | undefined {
  if (!take(tokens, "(")) return undefined;
  const values: string[] = [];
  do values.push(word(tokens) ?? "");
  while (take(tokens, ","));
  return take(tokens, ")") === undefined ? undefined : values;
}

function matcherOf({ name, operator, values }: Requirement): (labels: Labels) => boolean {
  const valueOf = (labels: Labels): string | undefined => (Object.hasOwn(labels, name) ? labels[name] : undefined);
  if (operator === "exists") return labels => valueOf(labels) !== undefined;
  if (operator === "!") return labels => valueOf(labels) === undefined;
  if (operator === "<" || operator === ">") {
    const direction = operator === "<" ? -1 : 1;
    return labels =>
      integer.test(valueOf(labels) ?? "") && direction * (Number(valueOf(labels)) - Number(values[0])) > 0;
  }
  const wanted = new Set<string | undefined>(values);
  const isNot = operator === "!=" || operator === "notin";
  return labels => wanted.has(valueOf(labels)) !== isNot;
}

const integer = /^\d+$/;
