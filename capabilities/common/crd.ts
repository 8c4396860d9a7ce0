import { z } from "zod";
import { celValidations, Rule } from "./rules";

const longestQuantity = 64;

/** A zod schema of integers that Kubernetes stores as int32. */
export const int32 = (): z.ZodInt32 => z.int32();

/** A zod schema of an integer or a Kubernetes Quantity ("250m"); its form is checked by a rule, so that the message can name it. */
export const intOrQuantity = (): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> =>
  z.union([z.int(), z.string().max(longestQuantity)]).meta({ "x-kubernetes-int-or-string": true });

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

/** What a custom resource is made of; `customResourceDefinition` turns it into the manifest. */
export interface Resource<Spec> {
  group: string;
  version: string;
  kind: string;
  plural: string;
  shortNames: string[];
  description: string;
  spec: z.ZodType<Spec>;
  status: z.ZodType;
  rules: Rule<Spec>[];
  /** Fields of the spec that may not change, each with what to do instead. */
  immutable?: { field: keyof Spec & string; remedy: string }[];
  printerColumns: PrinterColumn[];
}

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "date";
  jsonPath: string;
  description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  priority?: 0 | 1;
}

type JsonSchema = Record<string, unknown>;

const properties = (schema: JsonSchema): Record<string, JsonSchema> =>
  (schema.properties ?? {}) as Record<string, JsonSchema>;

/** The CustomResourceDefinition (apiextensions.k8s.io/v1) of a resource, structural as the API server demands. */
export function customResourceDefinition<Spec>(resource: Resource<Spec>): object {
  const spec = structural(resource.spec);
  spec.description = `What is wanted of the ${resource.kind}.`;
  spec["x-kubernetes-validations"] = celValidations(resource.rules);
  for (const { field, remedy } of resource.immutable ?? []) {
    const property = properties(spec)[field];
    if (!property) throw new Error(`${resource.kind} has no field spec.${field} to be immutable`);
    property["x-kubernetes-validations"] = [
      {
        rule: "self == oldSelf",
        messageExpression: `'%s cannot become %s: it is immutable, ${remedy}'.format([oldSelf, self])`,
        message: `it is immutable, ${remedy}`,
      },
    ];
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
          subresources: { status: {} },
          additionalPrinterColumns: resource.printerColumns,
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: resource.description,
              required: ["spec"],
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

/** A zod schema as a structural schema: formats kept, nothing in it that the API server refuses. */
function structural(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "openapi-3.0",
    override: ({ jsonSchema }) => {
      const node = jsonSchema as JsonSchema;
      delete node.additionalProperties;
      if (node["x-kubernetes-int-or-string"]) {
        delete node.anyOf;
        node.maxLength = longestQuantity;
      }
      if (node.type === "integer" && !node.format) {
        node.format = node.maximum === 2 ** 31 - 1 ? "int32" : "int64";
        delete node.minimum;
        delete node.maximum;
      }
    },
  });
}
