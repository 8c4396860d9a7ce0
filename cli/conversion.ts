import { Document } from "yaml";
import { z } from "zod";
import { faultText, inspect } from "../capabilities/definition/check";
import { mlscaler, Spec } from "../capabilities/mlscaler/schema";
import { Input } from "./manifests";

/** The fields of the MLScaler that no other autoscaler has. */
export interface Settings {
  mode: Spec["mode"];
  /** With "off" the MLScaler asks for the same counts as the HPA. */
  forecast: "auto" | "off";
}

/** The result of converting one object: an MLScaler or faults, and notes for the user. */
export interface Conversion {
  mlscaler?: { apiVersion: string; kind: string; metadata: { name: string; namespace?: string }; spec: object };
  faults: string[];
  notes: string[];
}

const anyObjectSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string().optional() }).default({}),
});

const words = z.record(z.string(), z.string()).nullish();

const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().nullish(),
  labels: words,
  annotations: words,
  ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).nullish(),
  finalizers: z.array(z.string()).nullish(),
});

/** The metadata of an object that is converted. */
export type Metadata = z.output<typeof metadataSchema>;

/** An object of the kind that is converted. `named` is its place and name in messages. */
export interface Source {
  named: string;
  apiVersion: string;
  metadata: Metadata;
  spec: unknown;
}

/** Prefix of the annotations in which an autoscaling/v1 object stores fields that v1 does not have. */
export const hpaAnnotations = "autoscaling.alpha.kubernetes.io/";

/** Prefixes of the labels and annotations of kubectl, Helm, Argo CD, Flux and KEDA. */
const toolMarks = [
  hpaAnnotations,
  "kubectl.kubernetes.io/",
  "meta.helm.sh/",
  "argocd.argoproj.io/tracking-id",
  "argocd.argoproj.io/instance",
  "kustomize.toolkit.fluxcd.io/name",
  "helm.toolkit.fluxcd.io/name",
  "scaledobject.keda.sh/",
  "autoscaling.keda.sh/",
  "validations.keda.sh/",
];

/**
 * Reads the object of an input: one that `isSource` takes, or else the conversion that refuses it. An object of another
 * kind is left out with a note.
 * @param what the kind as messages name it: "an HPA"
 */
export function sourceOf(
  { where, manifest }: Input,
  what: string,
  isSource: (apiVersion: string, kind: string) => boolean,
): Source | Conversion {
  const object = anyObjectSchema.safeParse(manifest);
  if (!object.success) return failed(where, ["is not a Kubernetes object; give it apiVersion, kind and metadata"]);
  const { apiVersion, kind, metadata: about } = object.data;
  const named = `${where}: ${kind} ${about.name ?? ""}`.trim();
  if (!isSource(apiVersion, kind)) return { faults: [], notes: [`${named} is not ${what} and is left out`] };
  const { metadata: given, spec } = manifest as { metadata?: unknown; spec?: unknown };
  const metadata = inspect(metadataSchema, given ?? {}, { path: ["metadata"], field: "metadata" });
  if (!metadata.spec) return failed(named, metadata.faults.map(faultText));
  return { named, apiVersion, metadata: metadata.spec, spec };
}

/** A conversion that failed. */
export const failed = (named: string, faults: string[], notes: string[] = []): Conversion => ({
  faults: faults.map(fault => `${named}: ${fault}`),
  notes: notes.map(note => `${named}: ${note}`),
});

/** A conversion that gave an MLScaler. */
export function succeeded({ named, metadata }: Source, what: string, spec: object, notes: string[]): Conversion {
  const { kept, leftOut } = metadataFor(metadata);
  if (leftOut.length > 0)
    notes = [
      `labels and annotations of the live ${what} are left out, because a tool can find the MLScaler by them ` +
        `and delete it: ${leftOut.join(", ")}; add those that you need`,
      ...notes,
    ];
  return {
    mlscaler: { apiVersion: `${mlscaler.group}/${mlscaler.version}`, kind: mlscaler.kind, metadata: kept, spec },
    faults: [],
    notes: notes.map(note => `${named}: ${note}`),
  };
}

/**
 * The metadata of the MLScaler, and the names of the labels and annotations that it leaves out. It leaves out all of a
 * live object, which has a uid: a tool may use any of them to find the objects that it manages.
 */
function metadataFor({ name, namespace, uid, labels, annotations }: Metadata): {
  kept: { name: string; namespace?: string };
  leftOut: string[];
} {
  const about = { name, ...(namespace !== undefined && { namespace }) };
  const [ownLabels, ownAnnotations] = [withoutMarks(labels), withoutMarks(annotations)];
  const given = [...Object.keys(ownLabels), ...Object.keys(ownAnnotations)];
  if (uid) return { kept: about, leftOut: given };
  const kept = {
    ...about,
    ...(Object.keys(ownLabels).length > 0 && { labels: ownLabels }),
    ...(Object.keys(ownAnnotations).length > 0 && { annotations: ownAnnotations }),
  };
  return { kept, leftOut: [] };
}

const withoutMarks = (given: z.output<typeof words>): Record<string, string> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !toolMarks.some(mark => key.startsWith(mark))));

/** The field of the spec that names a target. */
export function targetFieldOf(target: { apiVersion: string; kind: string; name: string }): object {
  const isDeployment = target.kind === "Deployment" && target.apiVersion.startsWith("apps/");
  return isDeployment ? { target_deployment: target.name } : { target_ref: target };
}

/** The spec of an MLScaler that assists the autoscaler of a target. */
export const assisting = (target: Parameters<typeof targetFieldOf>[0]): object => ({
  ...targetFieldOf(target),
  mode: "Assist" satisfies Spec["mode"],
});

/** The fields of the mode of an MLScaler with a whole spec. An Active one assists while the autoscaler is there. */
export const modeOf = (mode: Spec["mode"]): object =>
  mode === "Observe" ? { mode } : { mode: "Active" satisfies Spec["mode"], take_over: true };

/** Notes on an autoscaler that an MLScaler is to assist, whose minimum is `field`. */
export function notesOnAssisted(
  field: string,
  least: number,
  most: number,
  { ownerReferences }: Pick<Metadata, "ownerReferences">,
): string[] {
  const owners = (ownerReferences ?? []).map(
    ({ kind, name }) =>
      `is owned by ${kind} ${name}, which may write spec.${field} back: where it does, name the minimum there`,
  );
  if (least < most) return owners;
  return [...owners, `spec.${field}: ${least} is its maximum, so there is nothing to raise; use a higher maximum`];
}

/** Turns fractional Quantities (`tolerance: 0.05`) into strings, the only form that an MLScaler accepts. */
export const quoted = <Block>(block: Block): Block =>
  block &&
  (JSON.parse(JSON.stringify(block), (key, value: unknown) =>
    quantities.includes(key) && typeof value === "number" && !Number.isInteger(value) ? String(value) : value,
  ) as Block);

/** Fields with a Quantity. */
const quantities = ["value", "averageValue", "tolerance"];

/** Prints YAML 1.1, as kubectl reads it: it quotes "off", which is a boolean there. */
export const yamlOf = (objects: object[]): string =>
  objects.map(object => new Document(object, { version: "1.1" }).toString({ lineWidth: 0 })).join("---\n");
