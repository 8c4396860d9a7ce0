import * as z from "zod";
import type { Api } from "../../kubernetes/api";
import { jsonIn } from "../../kubernetes/json";
import { metadataSchema, type ObjectReference } from "../../kubernetes/metadata";
import { type Hpa, pathOfHpa } from "../target/horizontal-pod-autoscalers";
import { type Note, noteIn } from "../target/note";

/** The object whose minimum an MLScaler raises: an HPA, or the ScaledObject that made one. */
export interface Place {
  /** "HPA web" or "ScaledObject web". */
  text: string;
  path: string;
  field: "minReplicas" | "minReplicaCount";
}

export interface HeldMinimum extends Place {
  reference: ObjectReference;
  minimum: number;
  resourceVersion: string;
  note?: Note;
  /** The minimum of the last kubectl apply (client-side). */
  applied?: number;
  setBy: string[];
}

export interface Autoscaler extends HeldMinimum {
  maximum: number;
  metrics: unknown[];
  behavior?: unknown;
  /** The object that controls an HPA and may write the field back: "Knative Service web". */
  owner?: string;
}

const count = z.int32().min(0);
const annotations = z.record(z.string(), z.string()).optional();
const metadata = metadataSchema.pick({ name: true, namespace: true, uid: true, resourceVersion: true }).extend({
  annotations,
  managedFields: z.array(z.object({ manager: z.string().default(""), fieldsV1: z.unknown() })).default([]),
});

const hpaSchema = z.object({
  spec: z.object({
    maxReplicas: count,
    metrics: z.array(z.unknown()).max(64).nullish(),
    behavior: z.unknown().optional(),
  }),
});

const minimumSchemas = {
  minReplicas: z.object({ metadata, spec: z.object({ minReplicas: count.nullish() }) }),
  minReplicaCount: z.object({ metadata, spec: z.object({ minReplicaCount: count.nullish() }) }),
};

export const defaultMinimums = { minReplicas: 1, minReplicaCount: 0 };

const kedaVersion = "keda.sh/v1alpha1";

const kinds = {
  minReplicas: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" },
  minReplicaCount: { apiVersion: kedaVersion, kind: "ScaledObject" },
};

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const scaledObject = (namespace: string, name: string, apiVersion = kedaVersion): Place => ({
  ...{ text: `ScaledObject ${name}`, field: "minReplicaCount" },
  path: `/apis/${apiVersion}/namespaces/${namespace}/scaledobjects/${name}`,
});

/** Where the minimum of an HPA is: in itself, or in the ScaledObject that made it. */
export function placeOf({ path, text, name, namespace, owner }: Hpa): Place {
  if (owner?.kind === "ScaledObject" && owner.apiVersion.startsWith("keda.sh/"))
    return scaledObject(namespace, owner.name, owner.apiVersion);
  return { text: owner ? `HPA ${name}` : text, path, field: "minReplicas" };
}

/** The place of a text: "ScaledObject web". */
export function placeNamed(text: string, namespace: string): Place {
  const [kind, name = ""] = text.split(" ");
  return kind === "HPA"
    ? { text, path: pathOfHpa(namespace, name), field: "minReplicas" }
    : scaledObject(namespace, name);
}

/** Reads a minimum. Undefined when its object is gone. Throws ApiError, and ZodError when it has another shape. */
export async function readMinimum(api: Api, place: Place): Promise<HeldMinimum | undefined> {
  const found = await api.find(place.path);
  return found === undefined ? undefined : heldIn(found, place);
}

/** Reads the HPA on a target, or the ScaledObject that made it. Undefined when it is gone. Throws ApiError. */
export async function readAutoscaler(api: Api, hpa: Hpa): Promise<Autoscaler | undefined> {
  const found = await api.find(hpa.path);
  if (found === undefined) return undefined;
  const { maxReplicas: maximum, metrics, behavior } = hpaSchema.parse(found).spec;
  const place = placeOf(hpa);
  const isItself = place.path === hpa.path;
  const held = isItself ? heldIn(found, place) : await readMinimum(api, place);
  const owner = isItself && hpa.owner ? `${hpa.owner.kind} ${hpa.owner.name}` : undefined;
  return held && { ...held, maximum, metrics: metrics ?? [], behavior: behavior ?? undefined, owner };
}

function heldIn(found: unknown, place: Place): HeldMinimum {
  const { field } = place;
  const { metadata: given, spec } = minimumSchemas[field].parse(found);
  const { annotations: texts, managedFields, resourceVersion, ...identity } = given;
  const minimum = (spec as Partial<Record<typeof field, number | null>>)[field] ?? defaultMinimums[field];
  const applied = z.object({ spec: z.object({ [field]: count }) }).safeParse(jsonIn(texts?.[lastApplied] ?? "")).data
    ?.spec[field];
  const owns = z.object({ "f:spec": z.object({ [`f:${field}`]: z.unknown() }) });
  const setBy = managedFields.flatMap(({ manager, fieldsV1 }) => (owns.safeParse(fieldsV1).success ? manager : []));
  const reference = { ...kinds[field], ...identity };
  return { ...place, reference, minimum, note: noteIn(texts), applied, setBy: [...new Set(setBy)], resourceVersion };
}
