import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** The query cannot be parsed, or has a part that cannot be bound to a namespace. */
export class UnknownQuery extends Error {}

/** Ends at the first error, so the cost is linear. */
const strict = parser.configure({ strict: true });

const at = ({ from }: SyntaxNode, what: string): UnknownQuery =>
  new UnknownQuery(`${what} at character ${from + 1} of the query`);

/** Parses a query. Throws UnknownQuery unless it is PromQL that Prometheus reads in the same way. */
function parse(query: string): SyntaxNode {
  let tree: SyntaxNode;
  try {
    tree = strict.parse(query).topNode;
  } catch {
    throw new UnknownQuery("the query is not PromQL");
  }
  for (const text of nodes(tree, "StringLiteral")) {
    const literal = query.slice(text.from, text.to);
    // The grammar ends a string at a line break, too.
    const isWhole = literal.length > 1 && literal.at(-1) === literal[0];
    if (!isWhole || (literal[0] !== "`" && /[\n\r]/.test(literal))) throw at(text, "there is no end of the text");
  }
  return tree;
}

/** The nodes of this type below `node`. */
export function nodes(node: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  node.cursor().iterate(inner => void (inner.type.name === name && found.push(inner.node)));
  return found;
}

/**
 * The query with `label="value"` in every selector, so that it reads only series with this label. Comments are left
 * out. Throws UnknownQuery when that cannot be ensured. Pure.
 */
export function withLabel(query: string, label: string, value: string): string {
  const tree = parse(query);
  // info() reads series that no selector in the query names.
  const [info] = nodes(tree, "Info");
  if (info) throw at(info, "info() is not supported");
  const matcher = `${label}="${value}"`;
  const inserts = nodes(tree, "VectorSelector").map((selector): Edit => {
    const matchers = selector.getChild("LabelMatchers");
    if (!matchers) return { from: selector.to, to: selector.to, text: `{${matcher}}` };
    const from = matchers.from + 1;
    const isEmpty = !["UnquotedLabelMatcher", "QuotedLabelMatcher", "QuotedLabelName"].some(one =>
      matchers.getChild(one),
    );
    return { from, to: from, text: isEmpty ? matcher : `${matcher},` };
  });
  return edited(query, [...inserts, ...commentsOut(tree)]);
}

/** A part of a query to replace. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/** Servers do not agree where a comment ends. */
const commentsOut = (tree: SyntaxNode): Edit[] =>
  nodes(tree, "LineComment").map(({ from, to }) => ({ from, to, text: " " }));

function edited(query: string, edits: Edit[]): string {
  let text = "";
  let end = 0;
  for (const { from, to, text: inserted } of edits.sort((one, other) => one.from - other.from)) {
    text += query.slice(end, from) + inserted;
    end = to;
  }
  return text + query.slice(end);
}

/** What follows a selector of another time. */
const otherTime = /^\s*(\[[^\]]*\]\s*)?(offset\b|@)/i;

/** The selectors of a query, each once, without those that ask for another time. Throws UnknownQuery. Pure. */
export function selectorsIn(query: string): string[] {
  const text = edited(query, commentsOut(parse(query)));
  const selectors = nodes(parse(text), "VectorSelector")
    // The grammar gives an offset to all that is before it, so the text counts.
    .filter(({ to }) => !otherTime.test(text.slice(to)))
    .map(({ from, to }) => text.slice(from, to));
  return [...new Set(selectors)];
}

/**
 * A query for the age in seconds of the newest sample of each selector of `query`: one series a selector, none for a
 * selector without samples. Throws UnknownQuery, also when there is no selector. Pure.
 */
export function agesQuery(query: string): { query: string; selectors: string[] } {
  const selectors = selectorsIn(query);
  if (selectors.length === 0) throw new UnknownQuery("the query has no selector of series of now");
  const ages = selectors.map(
    (selector, index) => `label_replace(time() - max(timestamp(${selector})), "selector", "${index}", "", "")`,
  );
  return { query: ages.join(" or "), selectors };
}
