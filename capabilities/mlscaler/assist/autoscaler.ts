import * as z from "zod";
import type { Api } from "../../kubernetes/api";
import { metadataSchema } from "../../kubernetes/metadata";
import type { Hpa } from "../target/horizontal-pod-autoscalers";
import { jsonIn, type Note, noteIn } from "../target/note";

/** The autoscaler that scales the target of an MLScaler with mode Assist. */
export interface Autoscaler {
  /** "HPA web" or "ScaledObject web". */
  text: string;
  path: string;
  /** The field of its spec that an MLScaler raises. */
  field: "minReplicas" | "minReplicaCount";
  minimum: number;
  maximum: number;
  metrics: unknown[];
  behavior?: unknown;
  resourceVersion: string;
  note?: Note;
  /** The minimum of the last kubectl apply (client-side). */
  applied?: number;
  /** The field managers that own the field. */
  setBy: string[];
  /** The object that controls an HPA and may write the field back: "Knative Service web". */
  owner?: string;
}

const count = z.int32().min(0);
const annotations = z.record(z.string(), z.string()).optional();
const metadata = metadataSchema.pick({ name: true, resourceVersion: true }).extend({
  annotations,
  managedFields: z.array(z.object({ manager: z.string().default(""), fieldsV1: z.unknown() })).default([]),
});

const hpaSchema = z.object({
  metadata,
  spec: z.object({
    minReplicas: count.nullish().transform(minimum => minimum ?? 1),
    maxReplicas: count,
    metrics: z.array(z.unknown()).max(64).nullish(),
    behavior: z.unknown().optional(),
  }),
});

const scaledObjectSchema = z.object({ metadata, spec: z.object({ minReplicaCount: count.default(0) }) });

/** The annotation of a client-side kubectl apply. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const isOfKeda = ({ apiVersion, kind }: NonNullable<Hpa["owner"]>): boolean =>
  kind === "ScaledObject" && apiVersion.startsWith("keda.sh/");

/**
 * Reads the autoscaler of a target: the HPA, or the ScaledObject that made it. Undefined when it is gone. Throws
 * ApiError, and ZodError when it has another shape.
 */
export async function readAutoscaler(api: Api, { path, text, owner }: Hpa): Promise<Autoscaler | undefined> {
  const found = await api.find(path);
  if (found === undefined) return undefined;
  const hpa = hpaSchema.parse(found);
  const { maxReplicas: maximum, metrics, behavior } = hpa.spec;
  const scaling = { maximum, metrics: metrics ?? [], behavior: behavior ?? undefined };
  if (!owner || !isOfKeda(owner))
    return {
      ...{ text: owner ? `HPA ${hpa.metadata.name}` : text, path, field: "minReplicas", ...scaling },
      ...{ minimum: hpa.spec.minReplicas, ...heldBy(hpa.metadata, "minReplicas") },
      owner: owner && `${owner.kind} ${owner.name}`,
    };
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";
  const scaledObject = `/apis/${owner.apiVersion}/namespaces/${namespace}/scaledobjects/${owner.name}`;
  const read = await api.find(scaledObject);
  if (read === undefined) return undefined;
  const { metadata: given, spec } = scaledObjectSchema.parse(read);
  return {
    ...{ text: `ScaledObject ${owner.name}`, path: scaledObject, field: "minReplicaCount", ...scaling },
    ...{ minimum: spec.minReplicaCount, ...heldBy(given, "minReplicaCount") },
  };
}

/** Who set the minimum of an autoscaler, as far as its metadata says. */
function heldBy(
  { annotations: texts, managedFields, resourceVersion }: z.output<typeof metadata>,
  field: Autoscaler["field"],
): Pick<Autoscaler, "note" | "applied" | "setBy" | "resourceVersion"> {
  const applied = z.object({ spec: z.object({ [field]: count }) }).safeParse(jsonIn(texts?.[lastApplied] ?? "")).data
    ?.spec[field];
  const owns = z.object({ "f:spec": z.object({ [`f:${field}`]: z.unknown() }) });
  const setBy = managedFields.flatMap(({ manager, fieldsV1 }) => (owns.safeParse(fieldsV1).success ? manager : []));
  return { note: noteIn(texts), applied, setBy: [...new Set(setBy)], resourceVersion };
}
