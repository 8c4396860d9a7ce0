import * as z from "zod";
import { CommonStatus, NameRule, Resource } from "../capabilities/definition/resource";
import { longestIntOrString, Rule, stepsOf } from "../capabilities/definition/rules";

/**
 * The categories by which `kubectl get` lists all kinds together. A category with the name of a kind hides that kind.
 */
const categories = ["all", "mlscaler-all"];

type JsonSchema = Record<string, unknown>;

const properties = (schema: JsonSchema): Record<string, JsonSchema> =>
  (schema.properties ?? {}) as Record<string, JsonSchema>;

/**
 * Returns the CustomResourceDefinition (apiextensions.k8s.io/v1) of a resource, with a structural schema. Throws Error
 * when the resource names a field that its spec does not have.
 */
export function customResourceDefinition<Spec, Status extends CommonStatus>(resource: Resource<Spec, Status>): object {
  const { group, kind, plural, shortNames } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames, categories },
      versions: [versionOf(resource)],
    },
  };
}

function versionOf<Spec, Status extends CommonStatus>(resource: Resource<Spec, Status>): object {
  const status = structural(resource.status);
  status.description = "What was observed and decided at the last sync.";
  return {
    name: resource.version,
    served: true,
    storage: true,
    subresources: { status: {}, ...(resource.scale && { scale: resource.scale }) },
    additionalPrinterColumns: resource.printerColumns,
    schema: {
      openAPIV3Schema: {
        type: "object",
        description: resource.description,
        required: ["spec"],
        ...(resource.nameRule && { "x-kubernetes-validations": [nameValidation(resource.nameRule)] }),
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          metadata: { type: "object" },
          spec: specOf(resource),
          status,
        },
      },
    },
  };
}

function specOf<Spec, Status extends CommonStatus>(resource: Resource<Spec, Status>): JsonSchema {
  const spec = structural(resource.spec);
  spec.description = `What is wanted of the ${resource.kind}.`;
  validate(spec, celValidations(resource.rules));
  for (const { at, rules } of resource.nested ?? []) validate(nodeAt(spec, at), celValidations(rules));
  for (const { field, remedy } of resource.immutable ?? []) {
    const property = properties(spec)[field];
    if (!property) throw new Error(`${resource.kind} has no field spec.${field} to be immutable`);
    const message = `it is immutable, ${remedy}`;
    // A rule on an optional field is not evaluated when the field is added or removed.
    if (!(spec.required as string[] | undefined)?.includes(field))
      validate(spec, [{ rule: `has(self.${field}) == has(oldSelf.${field})`, fieldPath: `.${field}`, message }]);
    const shown = messageExpression(`%s cannot become %s: ${message}`, ["oldSelf", "self"]);
    // CEL cannot format an object.
    validate(property, [
      { rule: "self == oldSelf", ...(property.type !== "object" && { messageExpression: shown }), message },
    ]);
  }
  return spec;
}

function nameValidation({ pattern, longest, allowed }: NameRule): object {
  return {
    rule: `size(self.metadata.name) <= ${longest} && self.metadata.name.matches('^(${pattern})$')`,
    messageExpression: messageExpression(`metadata.name: "%s" cannot be used, ${allowed}`, ["self.metadata.name"]),
  };
}

function validate(node: JsonSchema, validations: object[]): void {
  const before = (node["x-kubernetes-validations"] ?? []) as object[];
  if (validations.length > 0) node["x-kubernetes-validations"] = [...before, ...validations];
}

/** Returns the schema of a part of the spec. Throws Error when there is none. */
function nodeAt(spec: JsonSchema, at: string): JsonSchema {
  return stepsOf(at).reduce((node, step) => {
    const next = step === "[]" ? node.items : step === "{}" ? node.additionalProperties : properties(node)[step];
    if (!next) throw new Error(`the spec has no ${at}`);
    return next as JsonSchema;
  }, spec);
}

/** Turns a zod schema into a structural schema: keeps formats, and drops all that the API server refuses. */
function structural(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "openapi-3.0",
    override: ({ jsonSchema }) => {
      const node = jsonSchema as JsonSchema;
      // Only a map keeps additionalProperties: the API server refuses it beside properties.
      if (typeof node.additionalProperties !== "object" || node.properties) delete node.additionalProperties;
      delete node.propertyNames;
      if (node["x-kubernetes-int-or-string"]) {
        delete node.anyOf;
        node.maxLength = longestIntOrString;
      }
      if (node.type === "integer" && !node.format) {
        node.format = node.maximum === 2 ** 31 - 1 ? "int32" : "int64";
        delete node.minimum;
        delete node.maximum;
      }
    },
  });
}

/** Returns the rules as the `x-kubernetes-validations` of a value in a CRD. */
export function celValidations(rules: Rule<never>[]): object[] {
  return rules.map(({ path, cel, message, values = [] }) => ({
    rule: cel,
    ...(path && { fieldPath: `.${path}` }),
    // Shown for a value with a line break, which messageExpression must not contain.
    message: message.replaceAll(/"?%s"?/g, "it"),
    messageExpression: messageExpression(
      message,
      values.map(shows =>
        typeof shows === "object" ? shows.cel : shows === "self" ? "self" : `self.${String(shows)}`,
      ),
    ),
  }));
}

/** Returns a CEL expression of a message, with an expression for each %s. */
export function messageExpression(message: string, expressions: string[]): string {
  const text = `'${message.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  return expressions.length === 0 ? text : `${text}.format([${expressions.join(", ")}])`;
}
