import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isStatus } from "../../kubernetes/api";
import { applyOwned } from "../../kubernetes/apply";
import { statedConditions } from "../../kubernetes/conditions";
import type { Discovery } from "../../kubernetes/discovery";
import { errorFields } from "../../kubernetes/log";
import { isControlledBy, metadataSchema, nameTaken } from "../../kubernetes/metadata";
import { instantOf } from "../../kubernetes/time";
import { installAgain } from "../../operator/installed";
import type { CustomObject } from "../../operator/custom-object";
import type { Spec, Status } from "../schema";
import { isWorkload, kindId, type Target, targetOf } from "../target/target";
import { type PodTemplate, readTemplate, writeTemplate } from "./pod-template";

const group = "autoscaling.x-k8s.io";
const kind = "CapacityBuffer";

/** The versions whose fields this module knows, the preferred one first. */
const versions = ["v1beta1", "v1alpha1"] as const;

/** A buffer that has no nodes for this long has failed, in ms. A cloud makes a node in less. */
const longestMilliseconds = 1_800_000;

const specSchema = z.object({
  replicas: z.int32().optional(),
  provisioningStrategy: z.string().optional(),
  scalableRef: z.object({ apiGroup: z.string().default(""), kind: z.string(), name: z.string() }).optional(),
  podTemplateRef: z.object({ name: z.string() }).optional(),
});

const bufferSchema = z.object({
  metadata: metadataSchema,
  spec: specSchema,
  status: z.object({ conditions: statedConditions }).prefault({}),
});

type BufferSpec = z.output<typeof specSchema>;
type Conditions = z.output<typeof bufferSchema>["status"]["conditions"];

export interface CapacityBuffer {
  path: string;
  apiVersion: string;
  /** Present where an autoscaler may not read the pods of the target from the target. */
  template?: PodTemplate;
  found?: {
    uid: string;
    spec: BufferSpec;
    /** Whether an autoscaler of the cluster has taken it up, and nothing failed since. */
    isServed: boolean;
    /** Whether its autoscaler has room for it, on nodes that are there or ordered; absent where that does not say so. */
    isPlanned?: boolean;
    failure?: string;
  };
}

export interface NoBuffer {
  reason: "NoCapacityBuffers" | "Forbidden" | "NameTaken" | "Unavailable";
  message: string;
}

type Owner = Pick<CustomObject<Spec, Status>, "context" | "metadata" | "reference" | "spec" | "mustHoldLease">;

/** Reads the CapacityBuffer of an MLScaler. Failures are part of the result. */
export async function readBuffer(
  { context: { api }, metadata, reference, spec: { capacity_buffer: block, ...fields } }: Owner,
  discovery: Discovery,
): Promise<CapacityBuffer | NoBuffer> {
  try {
    const place = await discovery.firstWith(group, versions, kind);
    if (!place) return { reason: "NoCapacityBuffers", message: withoutKind };
    const { apiVersion, plural } = place;
    const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
    const answer = await api.find(path);
    const target = targetOf(fields);
    // Each autoscaler can read these.
    const isReadable = isWorkload(target) || hasDeployment(target);
    const template = !block || isReadable ? undefined : await readTemplate(api, discovery, target, metadata);
    if (answer === undefined) return { path, apiVersion, template };
    const { metadata: found, spec, status } = bufferSchema.parse(answer);
    if (!isControlledBy(found, reference))
      return { reason: "NameTaken", message: nameTaken(kind, found, { kind: "MLScaler" }) };
    const state = stateOf(status.conditions, api.clock.now());
    return { path, apiVersion, template, found: { uid: found.uid, spec, ...state } };
  } catch (error) {
    return noBuffer(error);
  }
}

/** What the autoscaler of the cluster says of a buffer. Karpenter and Cluster Autoscaler have conditions of one name. */
function stateOf(
  conditions: Conditions,
  now: number,
): Pick<NonNullable<CapacityBuffer["found"]>, "isServed" | "isPlanned" | "failure"> {
  const of = (type: string): Conditions[number] | undefined => conditions.find(one => one.type === type);
  const [ready, provisioning] = [of("ReadyForProvisioning"), of("Provisioning")];
  // Cluster Autoscaler before 1.35.1 had only the newer of the two.
  if (ready ? ready.status !== "True" : !provisioning)
    return { isServed: false, ...(ready && ready.reason !== "Pending" && { failure: ready.message }) };
  if (!provisioning) return { isServed: true };
  const { status, reason, message, lastTransitionTime } = provisioning;
  // Cluster Autoscaler means that it looks for nodes, and Karpenter counts nodes as soon as they are ordered.
  if (status === "True") return { isServed: true, ...(reason !== "FakePodsInjected" && { isPlanned: true }) };
  const since = instantOf(lastTransitionTime) ?? now;
  const failed = !reason.includes("Empty") && now - since >= longestMilliseconds;
  return { isServed: !failed, isPlanned: false, ...(failed && { failure: message }) };
}

/** Makes the buffer ask for that many replicas, or deletes it without. Failures are part of the result. */
export async function writeBuffer(
  owner: Owner,
  { path, apiVersion, found, template }: CapacityBuffer,
  replicas: number | undefined,
): Promise<{ written: boolean; failure?: NoBuffer }> {
  const { api } = owner.context;
  const spec = replicas === undefined ? undefined : specFor(owner.spec, replicas, template);
  const written = spec ? !isDeepStrictEqual(found?.spec, spec) : found !== undefined;
  if (!written && !(spec && template)) return { written };
  owner.mustHoldLease();
  try {
    if (!spec) await api.delete(path, { preconditions: { uid: found?.uid } });
    else {
      const { name, namespace } = owner.metadata;
      const buffer = { apiVersion, kind, namespace, name, uid: found?.uid };
      const uid = found && !written ? found.uid : await applyOwned(api, path, buffer, { spec }, owner.reference);
      if (template) await writeTemplate(api, template, { ...buffer, uid });
    }
    return { written };
  } catch (error) {
    // It is gone, or another has come: the next sync reads it.
    if (isStatus(error, 409) || (!spec && isStatus(error, 404))) return { written: false };
    return { written: false, failure: noBuffer(error) };
  }
}

function specFor({ capacity_buffer: block, ...spec }: Spec, replicas: number, template?: PodTemplate): BufferSpec {
  const target = targetOf(spec);
  const { kind: ofKind, name } = target;
  const apiGroup = kindId(target).slice(ofKind.length + 1);
  const ref = hasDeployment(target) ? { apiGroup: "apps", kind: "Deployment" } : { apiGroup, kind: ofKind };
  return {
    replicas,
    provisioningStrategy: block?.provisioning_strategy ?? defaultStrategy,
    ...(template ? { podTemplateRef: { name: template.name } } : { scalableRef: { ...ref, name } }),
  };
}

/** Whether the pods of a target are those of a Deployment of the same name. */
const hasDeployment = (target: Target): boolean =>
  ["EasyService.app.kubebuilder.io", "Hello.fraim.co.jp"].includes(kindId(target));

const defaultStrategy = "buffer.x-k8s.io/active-capacity";

const withoutKind =
  `the cluster has no ${kind} of ${group}/${versions[0]}; switch them on in Karpenter or Cluster Autoscaler, or leave ` +
  "spec.capacity_buffer out";

function noBuffer(error: unknown): NoBuffer {
  const { error: text } = errorFields(error);
  if (!isStatus(error, 403)) return { reason: "Unavailable", message: text };
  const remedy = `grant get, create, patch and delete of capacitybuffers.${group}, and the first three of podtemplates`;
  return {
    reason: "Forbidden",
    message: `${text}; ${remedy} (${installAgain}; capacityBuffer.enabled=true in the Helm chart)`,
  };
}

/** Whether a buffer may be had, and an autoscaler of the cluster makes its nodes. */
export const isServed = (read: CapacityBuffer | NoBuffer | undefined): boolean =>
  read !== undefined && "path" in read && read.found?.isServed === true;

/** The replicas that a buffer asks for now; undefined without one. */
export const replicasOf = (read: CapacityBuffer | NoBuffer | undefined): number | undefined =>
  read && "path" in read ? read.found?.spec.replicas : undefined;
