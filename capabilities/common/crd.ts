import * as z from "zod";
import { CommonStatus, NameRule, Resource } from "./resource";
import { celValidations, messageExpression, stepsOf } from "./rules";

/** The longest text in the place of an integer. */
const longestText = 64;

/** A zod schema of integers that Kubernetes stores as int32. */
export const int32 = (): z.ZodInt32 => z.int32();

/** A zod schema of an integer or a text, Kubernetes' IntOrString. */
export const intOrString = (): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> =>
  z.union([z.int(), z.string().max(longestText)]).meta({ "x-kubernetes-int-or-string": true });

/** A zod schema of an integer or a Kubernetes Quantity ("250m"); its form is checked by a rule, so that the message can name it. */
export const intOrQuantity = intOrString;

/** A zod schema of a time as Kubernetes writes it, in UTC. */
export const time = (): z.ZodString => z.string().meta({ format: "date-time" });

/** The zod schema of a standard condition (meta/v1 Condition). */
export const conditionSchema = z.object({
  type: z.string().max(64).describe("What the condition is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it holds."),
  reason: z.string().max(128).describe("Why, in one word."),
  message: z.string().max(1024).describe("Why, for people."),
  lastTransitionTime: time().describe("When the status last changed."),
  observedGeneration: z.int().optional().describe("The generation of the spec that this was found for."),
});

export type Condition = z.infer<typeof conditionSchema>;

/** The zod schema of status.conditions: a map list by type. */
export const conditionsSchema = z
  .array(conditionSchema)
  .max(16)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

type JsonSchema = Record<string, unknown>;

const properties = (schema: JsonSchema): Record<string, JsonSchema> =>
  (schema.properties ?? {}) as Record<string, JsonSchema>;

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a resource, structural as the API server demands. */
export function customResourceDefinition<Spec, Status extends CommonStatus>(resource: Resource<Spec, Status>): object {
  const spec = structural(resource.spec);
  spec.description = `What is wanted of the ${resource.kind}.`;
  validate(spec, celValidations(resource.rules));
  for (const { at, rules } of resource.nested ?? []) validate(nodeAt(spec, at), celValidations(rules));
  for (const { field, remedy } of resource.immutable ?? []) {
    const property = properties(spec)[field];
    if (!property) throw new Error(`${resource.kind} has no field spec.${field} to be immutable`);
    const message = `it is immutable, ${remedy}`;
    // Where the field may be left out, a rule on the field itself does not see it come or go.
    if (!(spec.required as string[] | undefined)?.includes(field))
      validate(spec, [{ rule: `has(self.${field}) == has(oldSelf.${field})`, fieldPath: `.${field}`, message }]);
    const shown = messageExpression(`%s cannot become %s: ${message}`, ["oldSelf", "self"]);
    // CEL does not compile where an object is to be formatted.
    validate(property, [
      { rule: "self == oldSelf", ...(property.type !== "object" && { messageExpression: shown }), message },
    ]);
  }
  const status = structural(resource.status);
  status.description = "What was observed and decided at the last sync.";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource.plural}.${resource.group}` },
    spec: {
      group: resource.group,
      scope: "Namespaced",
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural: resource.plural,
        singular: resource.kind.toLowerCase(),
        shortNames: resource.shortNames,
      },
      versions: [
        {
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
                spec,
                status,
              },
            },
          },
        },
      ],
    },
  };
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

/** The schema of a part of the spec. Throws when there is none. */
function nodeAt(spec: JsonSchema, at: string): JsonSchema {
  return stepsOf(at).reduce((node, step) => {
    const next = step === "[]" ? node.items : step === "{}" ? node.additionalProperties : properties(node)[step];
    if (!next) throw new Error(`the spec has no ${at}`);
    return next as JsonSchema;
  }, spec);
}

/** A zod schema as a structural schema: formats kept, nothing in it that the API server refuses. */
function structural(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "openapi-3.0",
    override: ({ jsonSchema }) => {
      const node = jsonSchema as JsonSchema;
      // A map keeps the schema of its values; of anything else the API server wants to hear nothing.
      if (typeof node.additionalProperties !== "object" || node.properties) delete node.additionalProperties;
      delete node.propertyNames;
      if (node["x-kubernetes-int-or-string"]) {
        delete node.anyOf;
        node.maxLength = longestText;
      }
      if (node.type === "integer" && !node.format) {
        node.format = node.maximum === 2 ** 31 - 1 ? "int32" : "int64";
        delete node.minimum;
        delete node.maximum;
      }
    },
  });
}
