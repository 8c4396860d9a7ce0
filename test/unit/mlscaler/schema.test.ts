import { metricNamed } from "../../../capabilities/mlscaler/metrics/registry";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { customResourceDefinition } from "../../../build/crd";
import { checkSpec } from "../../../capabilities/definition/check";
import { mlscaler, rules, Spec, specSchema } from "../../../capabilities/mlscaler/schema";
import { nodesOf, schemaOf, versionOf } from "../definition/crd-nodes";

const crd = customResourceDefinition(mlscaler);

/** The short form, word for word. */
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
      ...{ ...short, metrics: [metricNamed("cpu", 10)], line: { samples: 5 } },
      replicas_per_unit: 10,
      sync_period_seconds: 30,
      forecast: undefined,
      rollout_freeze: true,
      mode: "Active",
      pause: "None",
      on_delete: "Min",
    });
    const { min_replicas, ...without } = short;
    expect(checkSpec(mlscaler, without).spec?.min_replicas).toBe(min_replicas);
  });

  it("has the same defaults in the CRD as far as they are those of both forms; the others are filled in when it is read", () => {
    const { properties = {} } = schemaOf(crd, "spec");
    const defaults = Object.entries(properties).filter(([, node]) => node.default !== undefined);
    const required = Object.fromEntries(Object.entries(short).filter(([name]) => name !== "min_replicas"));
    const stored = { ...required, ...Object.fromEntries(defaults.map(([name, node]) => [name, node.default])) };
    const ofForm = { replicas_per_unit: 10, sync_period_seconds: 30, forecast: undefined, on_delete: "Min" };
    const inside = { metrics: [metricNamed("cpu", 10)], line: { samples: 5 } };
    expect({ ...stored, ...ofForm, ...inside }).toEqual(specSchema.parse(required));
    expect(specSchema.parse(stored)).toEqual(specSchema.parse(required));
  });

  it("takes any metric that has a name", () => {
    for (const metric of ["cpu", "memory", "gpu", "http_requests_per_second", "a.b:c", "x".repeat(253)])
      expect(check({ metric }).spec?.metric).toBe(metric);
    for (const metric of ["", ".", "..", "a/b", "50%"])
      expect(faultsOf({ metric })).toEqual([
        `spec.metric: "${metric}" is not the name of a metric, use a name without slash and percent sign, and not "." or ".."`,
      ]);
    expect(faultsOf({ metric: "x".repeat(254) })).toHaveLength(1);
  });

  it("is what the example holds", () => {
    const file = path.join(__dirname, "../../../examples/mlscaler.yaml");
    const example = manifest.parse(parse(readFileSync(file, "utf8"))).spec;
    expect(checkSpec(mlscaler, example).faults).toEqual([]);
  });
});

describe("faults", () => {
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

  it("of target_deployment: only a DNS name passes, however long the text is", () => {
    for (const name of ["web", "web-1", "web.v2", "0"]) expect(faultsOf({ target_deployment: name })).toEqual([]);
    for (const name of ["", "Web", "-web", "web-", "we_b", "web.", ".web", "w..b", "web\n", "a/../b", "a?b", "ä"]) {
      expect(faultsOf({ target_deployment: name }), name).toHaveLength(1);
    }
    // A pattern that goes back over what it has read would not end here.
    expect(faultsOf({ target_deployment: `${"a-".repeat(126)}!` })).toHaveLength(1);
  });

  const reference = (change: object = {}): Record<string, unknown> => ({
    target_deployment: undefined,
    target_ref: { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", ...change },
  });

  it("of the target: exactly one is named, in one way or the other", () => {
    const message = "spec.target_deployment: name one target, either here or in spec.target_ref, not both and not none";
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf(reference())).toEqual([]);
    expect(check(reference()).spec).toMatchObject({ target_ref: { apiVersion: "apps/v1", kind: "StatefulSet" } });
    expect(faultsOf({ target_ref: reference().target_ref })).toEqual([message]);
    expect(faultsOf({ target_deployment: undefined })).toEqual([message]);
  });

  it("of target_ref come all in one answer, each with its field, its value and what is allowed", () => {
    expect(faultsOf(reference({ apiVersion: "Apps/1", kind: "statefulset", name: "my db" }))).toEqual([
      'spec.target_ref.apiVersion: "Apps/1" is not an API version, use GROUP/VERSION as in "apps/v1"',
      'spec.target_ref.kind: "statefulset" is not a kind, use a name as "StatefulSet"',
      'spec.target_ref.name: "my db" is not the name of an object, use lower case letters, digits, "-" and "."',
    ]);
    for (const apiVersion of ["v1", "apps/v1", "app.kubebuilder.io/v1alpha1", "my-operator.dev/v1beta2"])
      expect(faultsOf(reference({ apiVersion })), apiVersion).toEqual([]);
    for (const apiVersion of [
      "",
      "apps",
      "apps/",
      "/v1",
      "a/b/v1",
      "apps/v1/",
      "../v1",
      "apps/v1?x",
      "-a/v1",
      "apps/v1\n",
    ])
      expect(faultsOf(reference({ apiVersion })), apiVersion).toHaveLength(1);
    for (const kind of ["", "Stateful/Set", "1Set", "Stateful Set", "Set\n"])
      expect(faultsOf(reference({ kind })), kind).toHaveLength(1);
    for (const name of ["", "..", "a/b", "a?b", "Db", "db\n"])
      expect(faultsOf(reference({ name })), name).toHaveLength(1);
  });
});

describe("the CRD", () => {
  it("bounds the text of an integer or Quantity as the webhook does", () => {
    const node = schemaOf(crd, "spec").properties?.replicas_per_unit;
    expect(faultsOf({ replicas_per_unit: "1".padStart(65, "0") })).toHaveLength(1);
    expect(node?.maxLength).toBe(64);
  });

  it("says the unit of each number", () => {
    const units = /\b(replicas|pods|percent|seconds|hours|samples|syncs|forecasts|generation|core|cores|metric)\b/i;
    const numbers = nodesOf(crd).filter(({ node }) => node.type === "integer" || node["x-kubernetes-int-or-string"]);
    expect(numbers.length).toBeGreaterThan(30);
    for (const { path: at, node } of numbers)
      expect([at, node.description]).toEqual([at, expect.stringMatching(units)]);
  });

  it("holds every rule as CEL, with the field at fault and a message that shows as many values as it names", () => {
    const { properties = {}, "x-kubernetes-validations": validations = [] } = schemaOf(crd, "spec");
    const fields = Object.keys(properties);
    const ofRules = validations.filter(({ rule }) => !rule.includes("oldSelf"));
    expect(ofRules).toHaveLength(rules.length);
    for (const { rule, fieldPath = "", messageExpression = "" } of ofRules) {
      expect(fields).toContain(fieldPath.split(".")[1]);
      expect(rule).toContain(`self${fieldPath}`);
      const [whole, text = "", list] = /^'(.*?)'(?:\.format\(\[(.*)\]\))?$/.exec(messageExpression) ?? [];
      expect(whole).toBe(messageExpression);
      const values = list?.split(/, (?=self\.)/) ?? [];
      expect(text.match(/%./g) ?? []).toEqual(values.map(() => "%s"));
      for (const value of values) expect(fields).toContain(/^(?:size\()?self\.\??(\w+)/.exec(value)?.[1]);
      expect(text).toMatch(/\b(use|name one|set exactly one|leave it out)\b/);
    }
  });

  it("makes the target immutable and says what to do", () => {
    const remedy = "it is immutable, delete the MLScaler and create it again";
    const { properties = {}, "x-kubernetes-validations": validations = [] } = schemaOf(crd, "spec");
    for (const field of ["target_deployment", "target_ref"]) {
      const rule = properties[field]?.["x-kubernetes-validations"]?.find(one => one.rule === "self == oldSelf");
      expect(rule?.message).toBe(remedy);
      // From one way of naming it to the other is a change too, and no rule on a field sees that field come.
      expect(validations).toContainEqual({
        rule: `has(self.${field}) == has(oldSelf.${field})`,
        fieldPath: `.${field}`,
        message: remedy,
      });
    }
    const [rule] = properties.target_deployment?.["x-kubernetes-validations"] ?? [];
    expect(rule?.messageExpression).toBe(`'%s cannot become %s: ${remedy}'.format([oldSelf, self])`);
  });

  it("prints what, how sure and whether all is well, each from a field that exists", () => {
    const { additionalPrinterColumns: columns } = versionOf(crd);
    expect(columns.filter(({ priority }) => !priority).map(({ name }) => name.toUpperCase())).toEqual(
      "TARGET CURRENT DESIRED MIN MAX FORECAST TRUST READY AGE".split(" "),
    );
  });
});
