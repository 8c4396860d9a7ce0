import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import type { Registry } from "prom-client";
// Each file that defines series. Without an import here, an expression cannot name its series.
import "../../capabilities/mlscaler/memory/config-maps";
import "../../capabilities/mlscaler/metrics/api/read-telemetry";
import "../../capabilities/mlscaler/report/telemetry";
import { objectRegistry, registry } from "../../capabilities/operator/telemetry";

/** A metric of the module, as prom-client has it. */
export interface Series {
  name: string;
  type: string;
  labelNames: string[];
  help: string;
}

/** The metrics of a registry, in the order of their definition. */
export async function seriesIn(registry: Registry): Promise<Series[]> {
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  return (registry.getMetricsAsArray() as unknown as Omit<Series, "type">[]).map(metric => ({
    ...metric,
    type: types.get(metric.name) ?? "",
  }));
}

/** The labels and the meaning of each series of the module, by the name that Prometheus stores. */
export type KnownSeries = ReadonlyMap<string, Pick<Series, "labelNames" | "help">>;

/** The series of the module. A histogram has three. */
export async function knownSeries(): Promise<KnownSeries> {
  const all = [...(await seriesIn(registry)), ...(await seriesIn(objectRegistry))];
  return new Map(
    all.flatMap(({ name, type, labelNames, help }): [string, Pick<Series, "labelNames" | "help">][] =>
      type === "histogram"
        ? [
            [`${name}_bucket`, { labelNames: [...labelNames, "le"], help }],
            [`${name}_sum`, { labelNames, help }],
            [`${name}_count`, { labelNames, help }],
          ]
        : [[name, { labelNames, help }]],
    ),
  );
}

const strict = parser.configure({ strict: true });

/** Variables of Grafana that stand where PromQL has a duration. The grammar does not know them. */
const durations = /\$__rate_interval|\$__range|\$__interval/g;

/**
 * What an expression names that the module does not have: series, and labels that its series do not have. Empty when
 * all of it is there. Throws when the expression is not PromQL, or names no series.
 */
export function unknownIn(expression: string, known: KnownSeries): string[] {
  const { tree, textOf, selectors } = parsed(expression);
  const faults: string[] = [];
  const labels = new Set<string>();
  for (const selector of selectors) {
    const name = textOf(selector.getChild("Identifier") ?? selector);
    const ofSeries = known.get(name)?.labelNames;
    if (!ofSeries) faults.push(`there is no series ${name}`);
    for (const label of ofSeries ?? []) labels.add(label);
    for (const matcher of nodes(selector, "LabelName").map(textOf))
      if (ofSeries && !ofSeries.includes(matcher)) faults.push(`${name} has no label ${matcher}`);
  }
  for (const grouping of nodes(tree.topNode, "GroupingLabels"))
    for (const label of nodes(grouping, "LabelName").map(textOf))
      if (!labels.has(label)) faults.push(`no series of the expression has the label ${label}`);
  return faults;
}

/** The nodes of this type below `node`. */
function nodes(node: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  node.cursor().iterate(inner => void (inner.type.name === name && found.push(inner.node)));
  return found;
}

/** Throws when an expression names a series or a label that the module does not have. `user` is what has it. */
export function requireKnown(user: string, expression: string, known: KnownSeries): void {
  const faults = unknownIn(expression, known);
  if (faults.length > 0) throw new Error(`${user}: ${faults.join(", ")}; docs/reference/metrics.md has what there is`);
}

/** The names of the series in an expression, each once. Throws when it is not PromQL, or names no series. */
export function namesIn(expression: string): string[] {
  const { textOf, selectors } = parsed(expression);
  return [...new Set(selectors.map(selector => textOf(selector.getChild("Identifier") ?? selector)))];
}

interface Parsed {
  tree: Tree;
  textOf: (node: SyntaxNode) => string;
  selectors: SyntaxNode[];
}

/** Parses PromQL, with the variables of Grafana. Throws when it is none, or names no series. */
function parsed(expression: string): Parsed {
  const text = expression.replaceAll(durations, "5m");
  let tree: Tree;
  try {
    tree = strict.parse(text);
  } catch {
    throw new Error(`${expression}: this is not PromQL`);
  }
  const selectors = nodes(tree.topNode, "VectorSelector");
  if (selectors.length === 0) throw new Error(`${expression}: it names no series`);
  return { tree, textOf: ({ from, to }) => text.slice(from, to), selectors };
}
