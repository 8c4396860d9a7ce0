import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { customResourceDefinition } from "../../../capabilities/common/crd";
import { checkSpec } from "../../../capabilities/common/rules";
import { mlscaler, rules, Spec, specSchema } from "../../../capabilities/mlscaler/schema";
import { nodesOf, schemaOf, versionOf } from "../crd-nodes";

const crd = customResourceDefinition(mlscaler);
const wordsThatAreRefused = [
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "$ref",
  "$schema",
  "const",
  "additionalProperties",
  "uniqueItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
];

/** The short form of DESIGN section 2, word for word. */
const shortForm = `
apiVersion: example.com/v1
kind: MLScaler
metadata: {name: web, namespace: shop}
spec:
  target_deployment: web     # the Deployment to scale
  min_replicas: 1
  max_replicas: 10
  metric: cpu                # cpu (cores) | memory (GiB)
  history_size: 5            # how many samples the regression is fitted on, 2..20160
`;

const manifest = z.object({ spec: z.record(z.string(), z.unknown()) });
const short = manifest.parse(parse(shortForm)).spec;

const check = (change: Record<string, unknown> = {}): ReturnType<typeof checkSpec<Spec>> =>
  checkSpec(mlscaler, { ...short, ...change });
const faultsOf = (change: Record<string, unknown>): string[] => check(change).faults;

describe("the short form", () => {
  it("passes as it is, every field unchanged", () => {
    expect(check()).toMatchObject({ spec: short, faults: [] });
  });

  it("gets the defaults of the design", () => {
    expect(check().spec).toEqual({
      ...short,
      replicas_per_unit: 10,
      sync_period_seconds: 30,
      mode: "Active",
      pause: "None",
      on_delete: "Min",
    });
    const { min_replicas, ...without } = short;
    expect(checkSpec(mlscaler, without).spec?.min_replicas).toBe(min_replicas);
  });

  it("has the same defaults in the CRD, so that the API server stores what the controller acts on", () => {
    const { properties = {} } = schemaOf(crd, "spec");
    const defaults = Object.entries(properties).filter(([, node]) => node.default !== undefined);
    const required = Object.fromEntries(Object.entries(short).filter(([name]) => name !== "min_replicas"));
    expect({ ...required, ...Object.fromEntries(defaults.map(([name, node]) => [name, node.default])) }).toEqual(
      specSchema.parse(required),
    );
  });

  it("is what the example holds", () => {
    const file = path.join(__dirname, "../../../examples/mlscaler.yaml");
    const example = manifest.parse(parse(readFileSync(file, "utf8"))).spec;
    expect(checkSpec(mlscaler, example).faults).toEqual([]);
  });
});

describe("faults", () => {
  it("of types, required fields and enums come first and alone", () => {
    const { faults } = checkSpec(mlscaler, {
      target_deployment: "web",
      min_replicas: 9,
      max_replicas: "3",
      metric: "gpu",
    });
    expect(faults).toHaveLength(3);
    expect(faults.join("\n")).toMatch(/^spec\.max_replicas: "3" is not allowed/m);
    expect(faults.join("\n")).toMatch(/^spec\.metric: "gpu" is not allowed .*cpu.*memory/m);
    expect(faults.join("\n")).toMatch(/^spec\.history_size: is required/m);
  });

  it("of range and of several fields come all in one answer, with field, value and what is allowed", () => {
    expect(
      faultsOf({
        target_deployment: "Web_1",
        min_replicas: 11,
        max_replicas: 0,
        history_size: 1,
        replicas_per_unit: "-5m",
        sync_period_seconds: 4,
      }),
    ).toEqual([
      'spec.target_deployment: "Web_1" is not the name of a Deployment, use lower case letters, digits, "-" and "."',
      "spec.max_replicas: 0 is out of range, use 1 to 2147483647",
      "spec.min_replicas: 11 is above spec.max_replicas 0, use at most that",
      "spec.history_size: 1 is out of range, use 2 to 20160 samples",
      'spec.replicas_per_unit: -5m is not a positive integer or Quantity, use for example 10 or "500m"',
      "spec.sync_period_seconds: 4 is out of range, use 5 to 3600 seconds",
    ]);
  });

  it.each([
    ["min_replicas", 1, 2 ** 31 - 1],
    ["history_size", 2, 20160],
    ["sync_period_seconds", 5, 3600],
  ])("of %s begin below %d and above %d", (field, lowest, highest) => {
    const outside = [lowest - 1, ...(highest < 2 ** 31 - 1 ? [highest + 1] : [])];
    const change = { max_replicas: 2 ** 31 - 1 };
    for (const value of [lowest, highest]) expect(faultsOf({ ...change, [field]: value })).toEqual([]);
    for (const value of outside) {
      expect(faultsOf({ ...change, [field]: value })).toEqual([
        expect.stringContaining(`spec.${field}: ${value} is out`),
      ]);
    }
  });

  it("of replicas_per_unit: only what is above 0 and a Quantity passes", () => {
    for (const value of [1, 2 ** 31, "10", "500m", "1e3", "0.5", "1k", "1Gi", ".5", "+2"]) {
      expect(faultsOf({ replicas_per_unit: value }), String(value)).toEqual([]);
    }
    for (const value of [0, -1, "0", "0m", "-500m", "", "ten", "1 k", "1ki", "NaN", "Infinity", "0x10"]) {
      expect(faultsOf({ replicas_per_unit: value }), String(value)).toEqual([
        expect.stringContaining("positive integer or Quantity"),
      ]);
    }
    for (const value of [1.5, true, [], {}]) {
      expect(faultsOf({ replicas_per_unit: value }), JSON.stringify(value)).toHaveLength(1);
      expect(faultsOf({ replicas_per_unit: value }).join()).not.toContain("positive");
    }
  });

  it("of target_deployment: only a DNS name passes, in time however long the text is", () => {
    for (const name of ["web", "web-1", "web.v2", "0"]) expect(faultsOf({ target_deployment: name })).toEqual([]);
    for (const name of ["", "Web", "-web", "web-", "we_b", "web.", ".web", "w..b", "web\n", "a/../b", "a?b", "ä"]) {
      expect(faultsOf({ target_deployment: name }), name).toHaveLength(1);
    }
    const before = performance.now();
    faultsOf({ target_deployment: `${"a-".repeat(126)}!` });
    expect(performance.now() - before).toBeLessThan(200);
  });

  it("of unknown fields are said, lest a typing error pass for a default", () => {
    expect(faultsOf({ max_replica: 3 })).toEqual([expect.stringContaining("max_replica")]);
  });
});

describe("the CRD", () => {
  it("is structural", () => {
    for (const { path: at, node } of nodesOf(crd)) {
      for (const word of wordsThatAreRefused) expect(node, at).not.toHaveProperty([word]);
      if (!node["x-kubernetes-int-or-string"]) expect(node.type, at).toBeDefined();
    }
  });

  it("bounds every list and every text, or the cost budget of CEL refuses it", () => {
    for (const { path: at, node } of nodesOf(crd)) {
      if (node.type === "array") expect(node.maxItems, at).toBeDefined();
      if (node.type === "string") expect(node.maxLength ?? node.enum ?? node.format, at).toBeDefined();
    }
  });

  it("bounds the text of an integer or Quantity as the webhook does", () => {
    const node = schemaOf(crd, "spec").properties?.replicas_per_unit;
    expect(faultsOf({ replicas_per_unit: "1".padStart(65, "0") })).toHaveLength(1);
    expect(node?.maxLength).toBe(64);
  });

  it("describes every field", () => {
    for (const { path: at, node } of nodesOf(crd)) {
      if (!at.endsWith("[]")) expect(node.description, at).toMatch(/\w.*\.$/);
    }
  });

  it("keeps the format of every integer", () => {
    const integers = nodesOf(crd).filter(({ node }) => node.type === "integer");
    expect(integers.length).toBeGreaterThan(5);
    for (const { path: at, node } of integers) {
      expect(node.format, at).toBe(at.endsWith("observedGeneration") ? "int64" : "int32");
    }
  });

  it("holds every rule as CEL, with the field at fault and a message that shows as many values as it names", () => {
    const { properties = {}, "x-kubernetes-validations": validations = [] } = schemaOf(crd, "spec");
    expect(validations).toHaveLength(rules.length);
    for (const { rule, fieldPath = "", messageExpression = "" } of validations) {
      expect(Object.keys(properties)).toContain(fieldPath.slice(1));
      expect(rule).toContain(`self${fieldPath}`);
      const [, text = "", values = ""] = /^'(.*)'\.format\(\[(.*)\]\)$/.exec(messageExpression) ?? [];
      expect(text.match(/%./g) ?? []).toEqual(values.split(", ").map(() => "%s"));
      for (const value of values.split(", ")) expect(Object.keys(properties)).toContain(value.replace("self.", ""));
      expect(text).toContain("use ");
    }
  });

  it("makes the target immutable and says what to do", () => {
    const [rule] = schemaOf(crd, "spec").properties?.target_deployment?.["x-kubernetes-validations"] ?? [];
    expect(rule?.rule).toBe("self == oldSelf");
    expect(rule?.messageExpression).toContain("delete the MLScaler and create it anew");
  });

  it("prints the columns of the design, each from a field that exists", () => {
    const { additionalPrinterColumns: columns } = versionOf(crd);
    expect(columns.filter(({ priority }) => !priority).map(({ name }) => name.toUpperCase())).toEqual(
      "TARGET LOAD FORECAST MIN MAX REPLICAS MODEL READY AGE".split(" "),
    );
    const paths = nodesOf(crd).map(({ path: at }) => at);
    for (const { jsonPath } of columns.filter(({ name }) => name !== "Age")) {
      expect(paths).toContain(jsonPath.slice(1).replace(/\[[^\]]*\]/, "[]"));
    }
  });
});

describe("the rules in CEL and in TypeScript", () => {
  /** CEL of these rules, as far as it is also JavaScript; the others are tried on a real API server. */
  const comparable = rules.filter(({ cel }) => /^[\w\s.<>=&]+$/.test(cel));

  it("agree on every spec, for the rules that only compare", () => {
    expect(comparable).toHaveLength(5);
    const near = (...values: number[]): fc.Arbitrary<number> =>
      fc.constantFrom(...values.flatMap(value => [value - 1, value, value + 1]));
    fc.assert(
      fc.property(
        fc.record({
          min_replicas: near(1, 10, 2 ** 31 - 2),
          max_replicas: near(1, 10, 2 ** 31 - 2),
          history_size: near(2, 20160),
          sync_period_seconds: near(5, 3600),
        }),
        change => {
          const spec = specSchema.parse({ ...short, ...change });
          for (const { cel, check: inTypeScript } of comparable) {
            // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
            expect(new Function("self", `return ${cel}`)(spec), cel).toBe(inTypeScript(spec));
          }
        },
      ),
    );
  });
});
