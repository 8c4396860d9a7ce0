import { describe, expect, it } from "vitest";
import { intOrString } from "../../../capabilities/definition/rules";
import { z } from "zod";
import { customResourceDefinition } from "../../../build/crd";
import { conditionsSchema } from "../../../capabilities/kubernetes/conditions";
import { time } from "../../../capabilities/kubernetes/time";
import { CommonStatus, Resource } from "../../../capabilities/definition/resource";
import { schemaOf, versionOf } from "./crd-nodes";

const spec = z.strictObject({
  name: z.string().max(63).describe("A name."),
  replicas: z.int32().describe("A count."),
  at_least: z.int32().default(1).describe("A count with a default."),
  at_most: z.int32().optional().describe("A count that may be left out."),
  both: z.int32().default(5).optional().describe("Both."),
  big: z.int().describe("A large count."),
  rate: intOrString().default(10).describe("A rate."),
  since: time().optional().describe("A time."),
  mode: z.enum(["A", "B"]).default("A").describe("A mode."),
  fixed: z.literal("only").optional().describe("One value."),
  names: z.array(z.string().max(10)).max(4).default([]).describe("Names."),
  ports: z
    .array(
      z.strictObject({ port: z.int32().describe("A port."), note: z.string().max(9).optional().describe("A note.") }),
    )
    .max(4)
    .optional()
    .describe("Ports."),
  limits: z.record(z.string().max(9), intOrString()).optional().describe("Limits."),
  sets: z.record(z.string().max(9), z.array(z.int32()).max(3)).optional().describe("Counts by name."),
  part: z
    .strictObject({ size: z.int32().describe("A size.") })
    .optional()
    .describe("A part."),
});
type Spec = z.output<typeof spec>;

const resource: Resource<Spec, CommonStatus> = {
  group: "example.com",
  version: "v1",
  kind: "Thing",
  plural: "things",
  shortNames: ["th"],
  description: "A thing.",
  spec,
  status: z.object({ conditions: conditionsSchema.optional().describe("Conditions.") }),
  rules: [],
  immutable: [{ field: "name", remedy: "delete it" }],
  printerColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }],
};

const crd = customResourceDefinition(resource);
const fields = schemaOf(crd, "spec").properties ?? {};

describe("customResourceDefinition", () => {
  it("names the resource in all its forms", () => {
    expect(crd).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: {
          ...{ kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing", shortNames: ["th"] },
          categories: ["all", "mlscaler-all"],
        },
      },
    });
    expect(versionOf(crd)).toMatchObject({ name: "v1", served: true, storage: true, subresources: { status: {} } });
  });

  it("keeps int32 on every integer, wrapped or not, and defaults", () => {
    expect(fields.replicas).toMatchObject({ type: "integer", format: "int32" });
    expect(fields.at_least).toMatchObject({ type: "integer", format: "int32", default: 1 });
    expect(fields.at_most).toMatchObject({ type: "integer", format: "int32" });
    expect(fields.both).toMatchObject({ type: "integer", format: "int32", default: 5 });
    expect(fields.big).toMatchObject({ type: "integer", format: "int64" });
    expect(fields.mode).toMatchObject({ type: "string", enum: ["A", "B"], default: "A" });
    expect(fields.since).toMatchObject({ type: "string", format: "date-time" });
  });

  it("leaves the bounds of the type out: they are its format", () => {
    for (const name of ["replicas", "at_least", "at_most", "big"]) {
      expect(fields[name]).not.toHaveProperty("minimum");
      expect(fields[name]).not.toHaveProperty("maximum");
    }
  });

  it("writes an integer or Quantity as Kubernetes does", () => {
    expect(fields.rate).toMatchObject({ "x-kubernetes-int-or-string": true, default: 10 });
    expect(fields.rate).not.toHaveProperty("type");
    expect(fields.rate).not.toHaveProperty("anyOf");
  });

  it("requires fields that have no default and are not optional", () => {
    expect(schemaOf(crd, "spec").required?.sort()).toEqual(["big", "name", "replicas"]);
    expect(versionOf(crd).schema.openAPIV3Schema.required).toEqual(["spec"]);
  });

  it("makes conditions a map list by type", () => {
    expect(schemaOf(crd, "status").properties?.conditions).toMatchObject({
      type: "array",
      maxItems: 16,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
    });
  });

  it("is of a spec as it is written, where it is read through a transform", () => {
    const read = spec.transform(given => ({ ...given, at_most: given.at_most ?? 9 }));
    expect(customResourceDefinition({ ...resource, spec: read })).toEqual(customResourceDefinition(resource));
  });

  it("makes a field immutable, and names the remedy", () => {
    expect(fields.name?.["x-kubernetes-validations"]).toMatchObject([{ rule: "self == oldSelf" }]);
    expect(JSON.stringify(fields.name)).toContain("delete it");
  });

  it("makes a field immutable that may be left out: neither its value may change nor whether it is there", () => {
    const immutable = [{ field: "fixed" as const, remedy: "delete it" }];
    const node = schemaOf(customResourceDefinition({ ...resource, immutable }), "spec");
    expect(node.properties?.fixed?.["x-kubernetes-validations"]).toEqual([
      {
        rule: "self == oldSelf",
        messageExpression: "'%s cannot become %s: it is immutable, delete it'.format([oldSelf, self])",
        message: "it is immutable, delete it",
      },
    ]);
    expect(node["x-kubernetes-validations"]).toEqual([
      { rule: "has(self.fixed) == has(oldSelf.fixed)", fieldPath: ".fixed", message: "it is immutable, delete it" },
    ]);
    // One that is required is always there.
    expect(schemaOf(crd, "spec")).not.toHaveProperty(["x-kubernetes-validations"]);
  });

  it("shows an object that is immutable in no message, since CEL cannot format it", () => {
    const immutable = [{ field: "part" as const, remedy: "delete it" }];
    const node = schemaOf(customResourceDefinition({ ...resource, immutable }), "spec");
    expect(node.properties?.part?.["x-kubernetes-validations"]).toEqual([
      { rule: "self == oldSelf", message: "it is immutable, delete it" },
    ]);
  });

  it("keeps the schema of a map's values, and drops that of its keys", () => {
    expect(fields.limits).toMatchObject({
      type: "object",
      additionalProperties: { "x-kubernetes-int-or-string": true, maxLength: 64 },
    });
    expect(fields.sets?.additionalProperties).toMatchObject({
      type: "array",
      items: { type: "integer", format: "int32" },
    });
  });

  it("refuses rules on a part that is not there", () => {
    for (const at of ["port[]", "ports[].prt", "ports{}", "limits[]", "name[]", "part.sise"]) {
      expect(() => customResourceDefinition({ ...resource, nested: [{ at, rules: [] }] }), at).toThrow(
        `the spec has no ${at}`,
      );
    }
  });

  it("holds the rule on names where CEL sees the name, and none unless there is one", () => {
    const nameRule = {
      pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
      longest: 50,
      allowed: "use letters and don't begin with -",
    };
    const { openAPIV3Schema: root } = versionOf(customResourceDefinition({ ...resource, nameRule })).schema;
    expect(root["x-kubernetes-validations"]).toEqual([
      {
        rule: "size(self.metadata.name) <= 50 && self.metadata.name.matches('^([a-z]([-a-z0-9]*[a-z0-9])?)$')",
        messageExpression:
          "'metadata.name: \"%s\" cannot be used, use letters and don\\'t begin with -'.format([self.metadata.name])",
      },
    ]);
    expect(versionOf(crd).schema.openAPIV3Schema).not.toHaveProperty(["x-kubernetes-validations"]);
  });

  it("has the scale subresource where the resource has one", () => {
    const scale = {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    };
    expect(versionOf(customResourceDefinition({ ...resource, scale })).subresources).toEqual({ status: {}, scale });
    expect(versionOf(crd).subresources).toEqual({ status: {} });
  });

  it("refuses a field to be immutable that is not there", () => {
    const immutable = [{ field: "nmae" as "name", remedy: "" }];
    expect(() => customResourceDefinition({ ...resource, immutable })).toThrow(/nmae/);
  });
});
