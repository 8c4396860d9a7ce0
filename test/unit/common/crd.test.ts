import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  conditionsSchema,
  customResourceDefinition,
  int32,
  intOrQuantity,
  Resource,
  time,
} from "../../../capabilities/common/crd";
import { nodesOf, schemaOf, versionOf } from "../crd-nodes";

const spec = z.strictObject({
  name: z.string().max(63).describe("A name."),
  replicas: int32().describe("A count."),
  at_least: int32().default(1).describe("A count with a default."),
  at_most: int32().optional().describe("A count that may be left out."),
  both: int32().default(5).optional().describe("Both."),
  big: z.int().describe("A large count."),
  rate: intOrQuantity().default(10).describe("A rate."),
  since: time().optional().describe("A time."),
  mode: z.enum(["A", "B"]).default("A").describe("A mode."),
  fixed: z.literal("only").optional().describe("One value."),
  names: z.array(z.string().max(10)).max(4).default([]).describe("Names."),
});

const resource: Resource<z.output<typeof spec>> = {
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
        names: { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing", shortNames: ["th"] },
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

  it("requires what has neither default nor optional, in the input", () => {
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

  it("makes a field immutable, saying what to do instead", () => {
    expect(fields.name?.["x-kubernetes-validations"]).toMatchObject([{ rule: "self == oldSelf" }]);
    expect(JSON.stringify(fields.name)).toContain("delete it");
  });

  it("refuses a field to be immutable that is not there", () => {
    const immutable = [{ field: "nmae" as "name", remedy: "" }];
    expect(() => customResourceDefinition({ ...resource, immutable })).toThrow(/nmae/);
  });

  it("holds nothing that makes it not structural", () => {
    for (const { path, node } of nodesOf(crd)) {
      for (const word of [
        "oneOf",
        "anyOf",
        "allOf",
        "$ref",
        "$schema",
        "const",
        "additionalProperties",
        "uniqueItems",
      ]) {
        expect(node, path).not.toHaveProperty([word]);
      }
    }
  });
});
