import { parser } from "@prometheus-io/lezer-promql";
import { deepestNesting, isNestedTooDeeply } from "./nesting";

/** The query cannot be parsed, or has a part that cannot be bound to a namespace. */
export class UnknownQuery extends Error {}

const strict = parser.configure({ strict: true });

const at = (from: number, what: string): UnknownQuery =>
  new UnknownQuery(`${what} at character ${from + 1} of the query`);

interface Selector {
  from: number;
  to: number;
  /** The place for another matcher, and what is around it there. */
  insert: { at: number; begin: string; end: string };
  isNow: boolean;
}

interface Parsed {
  /** The query with spaces in place of comments: servers do not agree where a comment ends. */
  text: string;
  selectors: Selector[];
  info?: number;
}

/** What follows a selector of another time. The grammar gives an offset to all before it, so the text counts. */
const otherTime = /\s*(\[[^\]]*\]\s*)?(offset\b|@)/iy;

/** Parses a query. Throws UnknownQuery unless it is PromQL that Prometheus reads in the same way. Pure. */
export function parse(query: string): Parsed {
  if (isNestedTooDeeply(query)) throw new UnknownQuery(`parentheses are nested more than ${deepestNesting} deep`);
  let tree;
  try {
    tree = strict.parse(query);
  } catch {
    throw new UnknownQuery("the query is not PromQL");
  }
  const parsed: Parsed = { text: query, selectors: [] };
  const comments: { from: number; to: number }[] = [];
  let selector: Selector | undefined;
  tree.iterate({
    enter: ({ name, from, to }) => {
      if (name === "StringLiteral") checkString(query.slice(from, to), from);
      else if (name === "Info") parsed.info ??= from;
      else if (name === "LineComment") comments.push({ from, to });
      else if (name === "VectorSelector") {
        selector = { from, to, insert: { at: to, begin: "{", end: "}" }, isNow: true };
        parsed.selectors.push(selector);
      } else if (name === "LabelMatchers" && selector) selector.insert = { at: from + 1, begin: "", end: "" };
      else if (matchers.has(name) && selector) selector.insert.end = ",";
    },
  });
  parsed.text = withoutComments(query, comments);
  for (const one of parsed.selectors) {
    otherTime.lastIndex = one.to;
    one.isNow = !otherTime.test(parsed.text);
  }
  return parsed;
}

const matchers = new Set(["UnquotedLabelMatcher", "QuotedLabelMatcher", "QuotedLabelName"]);

/** Throws UnknownQuery for a string without an end. The grammar ends a string at a line break, too. */
function checkString(literal: string, from: number): void {
  const isWhole = literal.length > 1 && literal.at(-1) === literal[0];
  if (!isWhole || (literal[0] !== "`" && /[\n\r]/.test(literal))) throw at(from, "there is no end of the text");
}

function withoutComments(query: string, comments: { from: number; to: number }[]): string {
  let text = "";
  let end = 0;
  for (const { from, to } of comments) {
    text += query.slice(end, from) + " ".repeat(to - from);
    end = to;
  }
  return text + query.slice(end);
}

export interface Label {
  name: string;
  value: string;
}

function selectorText(text: string, { from, to, insert }: Selector, label: Label | undefined): string {
  if (!label) return text.slice(from, to);
  const matcher = `${insert.begin}${label.name}="${label.value}"${insert.end}`;
  return text.slice(from, insert.at) + matcher + text.slice(insert.at, to);
}

/** The query with the label in every selector. Throws UnknownQuery when that cannot be ensured. Pure. */
export function withLabel({ text, selectors, info }: Parsed, label: Label): string {
  // info() reads series that no selector in the query names.
  if (info !== undefined) throw at(info, "info() is not supported");
  let bound = "";
  let end = 0;
  for (const selector of selectors) {
    bound += text.slice(end, selector.from) + selectorText(text, selector, label);
    end = selector.to;
  }
  return bound + text.slice(end);
}

/** The selectors of a query, each once, without those of another time; with the label if there is one. Pure. */
export const selectorsIn = ({ text, selectors }: Parsed, label?: Label): string[] => [
  ...new Set(selectors.filter(({ isNow }) => isNow).map(selector => selectorText(text, selector, label))),
];

/** A query for the age in seconds of the newest sample of each selector: one series a selector. Throws UnknownQuery. */
export function agesQuery(selectors: string[]): string {
  if (selectors.length === 0) throw new UnknownQuery("the query selects no current series");
  const ages = selectors.map(
    (selector, index) => `label_replace(time() - max(timestamp(${selector})), "selector", "${index}", "", "")`,
  );
  return ages.join(" or ");
}
