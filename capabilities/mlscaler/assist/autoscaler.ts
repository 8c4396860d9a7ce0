import * as z from "zod";
import type { Api } from "../../kubernetes/api";
import { metadataSchema, type ObjectReference } from "../../kubernetes/metadata";
import type { Hpa } from "../target/horizontal-pod-autoscalers";
import { jsonIn, type Note, noteIn } from "../target/note";

/** The minimum of an autoscaler, and who set it. */
export interface HeldMinimum {
  /** "HPA web" or "ScaledObject web". */
  text: string;
  path: string;
  reference: ObjectReference;
  /** The field of its spec that an MLScaler raises. */
  field: "minReplicas" | "minReplicaCount";
  minimum: number;
  resourceVersion: string;
  note?: Note;
  /** The minimum of the last kubectl apply (client-side). */
  applied?: number;
  /** The field managers that own the field. */
  setBy: string[];
}

/** The autoscaler that scales the target of an MLScaler with mode Assist. */
export interface Autoscaler extends HeldMinimum {
  maximum: number;
  metrics: unknown[];
  behavior?: unknown;
  /** The object that controls an HPA and may write the field back: "Knative Service web". */
  owner?: string;
}

const hpas = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  field: "minReplicas",
  least: 1,
} as const;

const scaledObjects = {
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  plural: "scaledobjects",
  field: "minReplicaCount",
  least: 0,
} as const;

const count = z.int32().min(0);
const minimumSchema = z.object({
  metadata: metadataSchema.pick({ name: true, uid: true, resourceVersion: true }).extend({
    annotations: z.record(z.string(), z.string()).optional(),
    managedFields: z.array(z.object({ manager: z.string().default(""), fieldsV1: z.unknown() })).default([]),
  }),
  spec: z.object({ minReplicas: count.nullish(), minReplicaCount: count.nullish() }),
});

const scalingSchema = z.object({
  spec: z.object({
    maxReplicas: count,
    metrics: z.array(z.unknown()).max(64).nullish(),
    behavior: z.unknown().optional(),
  }),
});

/** The annotation of a client-side kubectl apply. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const isOfKeda = ({ owner }: Hpa): boolean => owner?.kind === "ScaledObject" && owner.apiVersion.startsWith("keda.sh/");

/** The autoscaler whose minimum an MLScaler raises: "HPA web", or "ScaledObject web" where KEDA made the HPA. */
export const raisedFor = (hpa: Hpa): string =>
  hpa.owner && isOfKeda(hpa)
    ? `ScaledObject ${hpa.owner.name}`
    : `HPA ${hpa.path.slice(hpa.path.lastIndexOf("/") + 1)}`;

/**
 * Reads the autoscaler of a target: the HPA, or the ScaledObject that made it. Undefined when it is gone. Throws
 * ApiError, and ZodError when it has another shape.
 */
export async function readAutoscaler(api: Api, namespace: string, hpa: Hpa): Promise<Autoscaler | undefined> {
  const found = await api.find(hpa.path);
  if (found === undefined) return undefined;
  const { maxReplicas: maximum, metrics, behavior } = scalingSchema.parse(found).spec;
  const text = raisedFor(hpa);
  const held = isOfKeda(hpa) ? await readMinimum(api, namespace, text) : minimumIn(found, namespace, text);
  const owner = hpa.owner && !isOfKeda(hpa) ? `${hpa.owner.kind} ${hpa.owner.name}` : undefined;
  return held && { ...held, maximum, metrics: metrics ?? [], behavior: behavior ?? undefined, owner };
}

/**
 * Reads the minimum of the autoscaler `text` ("HPA web"), whatever that scales. Undefined when it is gone. Throws
 * ApiError, and ZodError when it has another shape.
 */
export async function readMinimum(api: Api, namespace: string, text: string): Promise<HeldMinimum | undefined> {
  const found = await api.find(pathOf(namespace, text));
  return found === undefined ? undefined : minimumIn(found, namespace, text);
}

const kindOf = (text: string): typeof hpas | typeof scaledObjects => (text.startsWith("HPA ") ? hpas : scaledObjects);

function pathOf(namespace: string, text: string): string {
  const { apiVersion, plural } = kindOf(text);
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${text.slice(text.indexOf(" ") + 1)}`;
}

function minimumIn(found: unknown, namespace: string, text: string): HeldMinimum {
  const { metadata, spec } = minimumSchema.parse(found);
  const { name, uid, annotations, managedFields, resourceVersion } = metadata;
  const { apiVersion, kind, field, least } = kindOf(text);
  const applied = z.object({ spec: z.object({ [field]: count }) }).safeParse(jsonIn(annotations?.[lastApplied] ?? ""))
    .data?.spec[field];
  const owns = z.object({ "f:spec": z.object({ [`f:${field}`]: z.unknown() }) });
  const setBy = managedFields.flatMap(({ manager, fieldsV1 }) => (owns.safeParse(fieldsV1).success ? manager : []));
  return {
    ...{ text, path: pathOf(namespace, text), field, minimum: spec[field] ?? least, resourceVersion, applied },
    ...{ reference: { apiVersion, kind, namespace, name, uid }, note: noteIn(annotations), setBy: [...new Set(setBy)] },
  };
}
