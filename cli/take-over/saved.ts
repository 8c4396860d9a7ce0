import { existsSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { apiVersionOf } from "../../capabilities/definition/resource";
import { timestamp } from "../../capabilities/kubernetes/time";
import { type Autoscaler, defaultMinimums } from "../../capabilities/mlscaler/assist/autoscaler";
import { outlivesMilliseconds } from "../../capabilities/mlscaler/assist/minimum";
import { mlscaler } from "../../capabilities/mlscaler/schema";
import { noteAnnotation, noteIn } from "../../capabilities/mlscaler/target/note";
import { yamlOf } from "../conversion";
import { documentsOf, InputError } from "../manifests";
import { scalerOf, TargetScaler } from "../scaler";
import { contentOf, inWords } from "../simulate/input";
import { tell } from "../terminal";
import type { ScalerObject } from "./scaler-object";

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.looseObject({}),
});

/** An HPA or a ScaledObject. */
export type Manifest = z.output<typeof manifestSchema>;

/** Reads an object of the cluster as a manifest. Throws ZodError. */
export const manifestOf = (object: unknown): Manifest => manifestSchema.parse(object);

const scaledObjectSchema = z.object({
  spec: z.object({ advanced: z.object({ restoreToOriginalReplicaCount: z.boolean().nullish() }).nullish() }),
});

/** Whether KEDA sets the replicas from before the ScaledObject when that is deleted. */
export const restoresReplicas = (manifest: Manifest): boolean =>
  scaledObjectSchema.safeParse(manifest).data?.spec.advanced?.restoreToOriginalReplicaCount === true;

/** An autoscaler as its user wrote it: with its own minimum, and without what the API server and MLScaler added. */
export function asWritten(
  { apiVersion, kind, metadata, spec }: Manifest,
  field: Autoscaler["field"],
  own: unknown,
): Manifest {
  const { name, namespace, labels, annotations = {} } = metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== noteAnnotation);
  return {
    ...{ apiVersion, kind },
    metadata: {
      ...{ name, namespace },
      ...(labels !== undefined && { labels }),
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
    spec: { ...spec, [field]: own },
  };
}

const maximumSchema = z.object({ maxReplicas: z.int().optional(), maxReplicaCount: z.int().default(100) });

/**
 * An autoscaler whose minimum is the count that is there, noted as raised by an MLScaler. It so begins without a lower
 * count, and the MLScaler lowers its minimum.
 */
export function heldAt(replicas: number, { autoscaler, field }: Saved, by: string): Manifest {
  const { maxReplicas, maxReplicaCount } = maximumSchema.parse(autoscaler.spec);
  const own = z.int().default(defaultMinimums[field]).parse(autoscaler.spec[field]);
  const raised = Math.min(replicas, maxReplicas ?? maxReplicaCount);
  if (raised <= own) return autoscaler;
  const until = timestamp(new Date(Date.now() + outlivesMilliseconds));
  const { metadata, spec } = autoscaler;
  const annotations = { ...metadata.annotations, [noteAnnotation]: JSON.stringify({ by, own, raised, until }) };
  return { ...autoscaler, metadata: { ...metadata, annotations }, spec: { ...spec, [field]: raised } };
}

/**
 * Writes the autoscaler, and the MLScaler that assists it, to a file for the way back. The file of an earlier attempt
 * stays. Throws InputError when it cannot be written, or is there for something else.
 */
export function save(file: string, autoscaler: Manifest, { metadata, spec }: ScalerObject): void {
  if (spec.take_over && existsSync(file)) return;
  const { name, namespace } = metadata;
  const scaler = { apiVersion: apiVersionOf(mlscaler), kind: mlscaler.kind, metadata: { name, namespace }, spec };
  try {
    writeFileSync(file, yamlOf([autoscaler, scaler]), { flag: "wx" });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw new InputError(
      isThere ? `${file} exists; use -f for another` : `${file}: ${inWords(error, "a file", "write")}`,
    );
  }
  tell(`manifests for the way back written to ${file}`);
}

/** What a file for the way back has. */
export interface Saved extends TargetScaler {
  autoscaler: Manifest;
  /** The field of its minimum. */
  field: Autoscaler["field"];
  /** The spec of the MLScaler before, if the file has it. */
  spec?: object;
}

const scalerSchema = z.object({
  kind: z.literal(mlscaler.kind),
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({}),
});

/** Reads the file for the way back of an MLScaler. Throws InputError when it has not exactly one HPA or ScaledObject. */
export async function readSaved(file: string, name: string, namespace: string): Promise<Saved> {
  const { inputs, faults } = documentsOf(file, await contentOf(file, "a file in YAML"));
  const [fault] = faults;
  if (fault !== undefined) throw new InputError(fault);
  const found = inputs.flatMap(({ manifest }) => {
    const read = manifestSchema.safeParse(manifest).data;
    if (!read || read.kind === mlscaler.kind) return [];
    const inNamespace = { ...read, metadata: { ...read.metadata, namespace } };
    const scaler = scalerOf(inNamespace);
    const field: Autoscaler["field"] = read.kind === "ScaledObject" ? "minReplicaCount" : "minReplicas";
    const own = noteIn(read.metadata.annotations)?.own ?? read.spec[field];
    return scaler ? [{ ...scaler, field, autoscaler: asWritten(inNamespace, field, own) }] : [];
  });
  const [saved, another] = found;
  if (!saved || another) throw new InputError(`${file}: has ${found.length} HPAs and ScaledObjects, one is needed`);
  const before = inputs
    .flatMap(({ manifest }) => scalerSchema.safeParse(manifest).data ?? [])
    .find(({ metadata }) => metadata.name === name);
  return { ...saved, ...(before && { spec: before.spec }) };
}
