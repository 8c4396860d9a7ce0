import { customResourceDefinition } from "../crd";
import { Rule } from "../../capabilities/definition/rules";
import { mlscaler, Spec, specSchema, Status } from "../../capabilities/mlscaler/schema";
import { Extras, fieldTables, Node } from "./fields";
import { code, codes, head } from "./markdown";

const source = "capabilities/mlscaler/schema.ts";

/** The schema of the spec or of the status in the CRD. */
export function schemaOf(part: "spec" | "status"): Node {
  const { spec } = customResourceDefinition<Spec, Status>(mlscaler) as {
    spec: { versions: { schema: { openAPIV3Schema: Node } }[] };
  };
  const node = spec.versions[0]?.schema.openAPIV3Schema.properties?.[part];
  if (!node) throw new Error(`the CRD of MLScaler has no ${part}`);
  return node;
}

/** The fields of spec. */
export function mlscalerPage(): string {
  const { group, version, shortNames } = mlscaler;
  return `${head("MLScaler", source)}
${mlscaler.description}

- \`apiVersion: ${group}/${version}\`, \`kind: ${mlscaler.kind}\`
- Short name for kubectl: ${codes(shortNames)}
- Fields of [status](status.md), [conditions](conditions.md)

The short form has \`metric\` and \`history_size\`. The long form has \`metrics\`. A spec has one of the two forms.
Each type of metric except Prometheus has the fields of an HPA (autoscaling/v2).

${fieldTables("", schemaOf("spec"), extras)}`;
}

/** The ranges in the rules, by the path of the field. */
function rangesOf(): Map<string, string> {
  const parts: { at: string; rules: Pick<Rule<never>, "path" | "range">[] }[] = [
    { at: "", rules: mlscaler.rules },
    ...(mlscaler.nested ?? []),
  ];
  const ranges = parts.flatMap(({ at, rules }) =>
    rules.flatMap(({ path, range }) => (range === undefined ? [] : [[at ? `${at}.${path}` : path, range] as const])),
  );
  return new Map(ranges);
}

/** The defaults that a spec gets from its form, by the path of the field. */
function defaultsOf(): Map<string, string> {
  const common = { target_deployment: "web", max_replicas: 1, forecast: {} };
  const long = valuesIn(specSchema.parse({ ...common, metrics: [] }));
  const short = valuesIn(specSchema.parse({ ...common, metric: "cpu", history_size: 2 }));
  const paths = [...new Set([...short.keys(), ...long.keys()])].filter(path => !(path in common));
  return new Map(
    paths
      .filter(path => path !== "metric" && path !== "history_size")
      .map(path => {
        const [one, other] = [short.get(path), long.get(path)];
        if (one === other) return [path, code(String(one))];
        const parts = [one && `${code(one)} with \`metric\``, other && `otherwise ${code(other)}`];
        return [path, parts.filter(Boolean).join(", ")];
      }),
  );
}

/** The scalars in an object, by their paths. */
const valuesIn = (value: object, path = ""): Map<string, string> =>
  new Map(
    Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) => {
      const at = path === "" ? name : `${path}.${name}`;
      if (typeof inner === "object" && inner !== null) return [...valuesIn(inner, at)];
      return inner === undefined ? [] : [[at, typeof inner === "string" ? inner : JSON.stringify(inner)] as const];
    }),
  );

const extras: Extras = {
  ranges: rangesOf(),
  defaults: defaultsOf(),
};
