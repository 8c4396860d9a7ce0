import * as z from "zod";
import { Condition } from "./crd";
import { Metadata, ObjectReference } from "./objects";
import { NestedRules, Rule } from "./rules";

/** What every status of this module has. */
export interface CommonStatus {
  observedGeneration?: number;
  conditions?: Condition[];
}

/** What a custom resource is made of: the one source of its types, its CRD and its admission rules. */
export interface Resource<Spec, Status extends CommonStatus> {
  group: string;
  version: string;
  kind: string;
  plural: string;
  shortNames: string[];
  description: string;
  spec: z.ZodType<Spec>;
  status: z.ZodType<Status>;
  /** What the name of an object must be, where more is derived from it than Kubernetes asks of any name. */
  nameRule?: NameRule;
  rules: Rule<Spec>[];
  /** Rules on parts of the spec. */
  nested?: NestedRules[];
  /** Fields of the spec that may not change, each with what to do instead. */
  immutable?: { field: keyof Spec & string; remedy: string }[];
  /** Where the scale subresource finds its numbers, as ".spec.replicas". */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
  printerColumns: PrinterColumn[];
}

/** A rule on metadata.name, which `pattern` must match whole; CEL and JavaScript read it alike. */
export interface NameRule {
  pattern: string;
  longest: number;
  /** What is allowed, and why: "use at most 63 lower case letters …". */
  allowed: string;
}

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  /** 0 is always shown, 1 with `-o wide`. */
  priority?: 0 | 1;
}

/** What a kind is called. */
export type Names = Pick<Resource<unknown, CommonStatus>, "group" | "version" | "kind" | "plural">;

/** "example.com/v1". */
export const apiVersionOf = ({ group, version }: Names): string => `${group}/${version}`;

/** "mlscalers.example.com/v1": what `watchInstalled` looks for. */
export const crdOf = (resource: Names): string => `${resource.plural}.${apiVersionOf(resource)}`;

/** The path in the API of all objects of a kind. */
export const collectionPath = (resource: Names): string => `/apis/${apiVersionOf(resource)}/${resource.plural}`;

/** The path in the API of one object. */
export const objectPath = (resource: Names, { namespace, name }: Pick<Metadata, "namespace" | "name">): string =>
  `/apis/${apiVersionOf(resource)}/namespaces/${namespace}/${resource.plural}/${name}`;

/** One object, as events, logs and owner references name it. */
export const referenceTo = (resource: Names, { namespace, name, uid }: Metadata): ObjectReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  namespace,
  name,
  uid,
});
