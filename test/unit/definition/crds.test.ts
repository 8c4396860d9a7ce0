import { describe, expect, it } from "vitest";
import { resources } from "../../../cli/validate/check";
import { customResourceDefinition } from "../../../build/crd";
import { nodesOf, versionOf } from "./crd-nodes";

const refusedWords = [
  ...["oneOf", "anyOf", "allOf", "not", "$ref", "$schema", "const", "uniqueItems", "propertyNames"],
  ...["exclusiveMinimum", "exclusiveMaximum"],
];

describe.each(resources.map(resource => [resource.kind, resource] as const))("the CRD of %s", (_, resource) => {
  const crd = customResourceDefinition(resource);
  const nodes = nodesOf(crd);

  it("is structural, and keeps the format of every integer", () => {
    for (const { path, node } of nodes) {
      for (const word of refusedWords) expect(node, path).not.toHaveProperty([word]);
      if (!node["x-kubernetes-int-or-string"]) expect(node.type, path).toBeDefined();
      if (node.additionalProperties) expect(node, path).not.toHaveProperty("properties");
      if (node.type === "integer") expect(node.format, path).toMatch(/^int(32|64)$/);
    }
  });

  it("bounds every list, map and text, or the cost budget of CEL refuses it", () => {
    for (const { path, node } of nodes) {
      if (node.type === "array") expect(node.maxItems, path).toBeDefined();
      if (node.additionalProperties) expect(node, path).toHaveProperty("maxProperties");
      if (node.type === "string") expect(node.maxLength ?? node.enum ?? node.format, path).toBeDefined();
      if (node["x-kubernetes-int-or-string"]) expect(node.maxLength, path).toBe(64);
    }
  });

  it("describes every field", () => {
    for (const { path, node } of nodes)
      if (!/(\[\]|\{\})$/.test(path)) expect(node.description, path).toMatch(/\w.*\.$/);
  });

  it("holds every rule where its part stands, with a field of that part, and shows no object in a message", () => {
    const placed = (path: string): string[] =>
      nodes.find(one => one.path === path)?.node["x-kubernetes-validations"]?.map(({ rule }) => rule) ?? [];
    const parts = [{ at: "", rules: resource.rules }, ...(resource.nested ?? [])];
    for (const { at, rules } of parts) {
      const path = at ? `spec.${at}` : "spec";
      expect(placed(path), path).toEqual(expect.arrayContaining(rules.map(({ cel }) => cel)));
    }
    for (const { path, node } of nodes.filter(one => one.node.type === "object"))
      for (const { fieldPath, messageExpression = "" } of node["x-kubernetes-validations"] ?? []) {
        if (fieldPath) expect(node.properties, path).toHaveProperty([fieldPath.split(/[.[]/)[1] ?? ""]);
        expect(messageExpression, path).not.toMatch(/[[ ](self|oldSelf)[\], ]/);
      }
  });

  it("prints columns that exist", () => {
    const paths = nodes.map(({ path }) => path);
    for (const { name, jsonPath } of versionOf(crd).additionalPrinterColumns)
      if (name !== "Age") expect(paths).toContain(jsonPath.slice(1).replace(/\[[^\]]*\]/, "[]"));
  });
});
