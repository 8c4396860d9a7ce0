import * as z from "zod";
import { Condition } from "../kubernetes/conditions";
import { Metadata, ObjectReference } from "../kubernetes/metadata";
import { NestedRules, Rule } from "./rules";

export interface CommonStatus {
  observedGeneration?: number;
  conditions?: Condition[];
}

/** The definition of a custom resource: the source of its types, its CRD and its admission rules. */
export interface Resource<Spec, Status extends CommonStatus> {
  group: string;
  version: string;
  kind: string;
  plural: string;
  shortNames: string[];
  description: string;
  spec: z.ZodType<Spec>;
  /** The spec as users write it, which `rules` check, and its completion; by default `spec` is that. */
  fields?: Fields<Spec>;
  status: z.ZodType<Status>;
  nameRule?: NameRule;
  rules: Rule<never>[];
  nested?: NestedRules[];
  /** Immutable fields of the spec, each with the remedy that its message names. */
  immutable?: { field: keyof Spec & string; remedy: string }[];
  /** The JSON paths of the scale subresource, as ".spec.replicas". */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
  printerColumns: PrinterColumn[];
}

export interface Fields<Spec> {
  schema: z.ZodType<object>;
  complete(fields: object): Spec;
}

/** A rule on metadata.name. `pattern` must match the whole name; CEL and JavaScript read it alike. */
export interface NameRule {
  pattern: string;
  longest: number;
  /** Says what is allowed, and why: "use at most 63 lower case letters …". */
  allowed: string;
}

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  /** 0 is always shown, 1 with `-o wide`. */
  priority?: 0 | 1;
}

export type Names = Pick<Resource<unknown, CommonStatus>, "group" | "version" | "kind" | "plural">;

/** The API version of a kind: "example.com/v1". */
export const apiVersionOf = ({ group, version }: Names): string => `${group}/${version}`;

/** The id of a CRD for `watchInstalled`: "mlscalers.example.com/v1". */
export const crdOf = (resource: Names): string => `${resource.plural}.${apiVersionOf(resource)}`;

/** The API path of all objects of a kind: "/apis/example.com/v1/mlscalers". */
export const collectionPath = (resource: Names): string => `/apis/${apiVersionOf(resource)}/${resource.plural}`;

/** The API path of an object. */
export const objectPath = (resource: Names, { namespace, name }: Pick<Metadata, "namespace" | "name">): string =>
  `/apis/${apiVersionOf(resource)}/namespaces/${namespace}/${resource.plural}/${name}`;

/** The reference to an object in events, logs and owner references. */
export const referenceTo = (resource: Names, { namespace, name, uid }: Metadata): ObjectReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  namespace,
  name,
  uid,
});
