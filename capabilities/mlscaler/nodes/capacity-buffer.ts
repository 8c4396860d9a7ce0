import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { applyPatch, isStatus } from "../../kubernetes/api";
import { conditionSchema } from "../../kubernetes/conditions";
import type { Discovery } from "../../kubernetes/discovery";
import { errorFields } from "../../kubernetes/log";
import { controlledBy, isControlledBy, metadataSchema, nameTaken } from "../../kubernetes/metadata";
import { instantOf } from "../../kubernetes/time";
import { installAgain } from "../../operator/installed";
import type { CustomObject } from "../../operator/custom-object";
import type { Spec, Status } from "../schema";
import { targetOf } from "../target/target";

const group = "autoscaling.x-k8s.io";
const kind = "CapacityBuffer";

/** The versions whose fields this module knows, the preferred one first. */
const versions = ["v1beta1", "v1alpha1"] as const;

const fieldManager = "mlscaler";

/** A buffer that has no nodes for this long has failed, in ms. A cloud makes a node in less. */
const longestMilliseconds = 1_800_000;

const specSchema = z.object({
  replicas: z.int32().optional(),
  provisioningStrategy: z.string().optional(),
  scalableRef: z.object({ apiGroup: z.string().default(""), kind: z.string(), name: z.string() }).optional(),
});

const bufferSchema = z.object({
  metadata: metadataSchema,
  spec: specSchema,
  status: z
    .object({
      conditions: z
        .array(
          conditionSchema
            .pick({ type: true, status: true, reason: true, lastTransitionTime: true })
            .extend({ message: z.string() }),
        )
        .default([]),
    })
    .default({ conditions: [] }),
});

type Conditions = z.output<typeof bufferSchema>["status"]["conditions"];

export interface CapacityBuffer {
  path: string;
  apiVersion: string;
  found?: {
    uid: string;
    spec: z.output<typeof specSchema>;
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
  { context: { api }, metadata, reference }: Pick<Owner, "context" | "metadata" | "reference">,
  discovery: Discovery,
): Promise<CapacityBuffer | NoBuffer> {
  try {
    const place = await discovery.firstWith(group, versions, kind);
    if (!place) return { reason: "NoCapacityBuffers", message: withoutKind };
    const { apiVersion, plural } = place;
    const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
    const answer = await api.find(path);
    if (answer === undefined) return { path, apiVersion };
    const { metadata: found, spec, status } = bufferSchema.parse(answer);
    if (!isControlledBy(found, reference))
      return { reason: "NameTaken", message: nameTaken(kind, found, { kind: "MLScaler" }) };
    return { path, apiVersion, found: { uid: found.uid, spec, ...stateOf(status.conditions, api.clock.now()) } };
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
  if (ready?.status !== "True")
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
  { path, apiVersion, found }: CapacityBuffer,
  replicas: number | undefined,
): Promise<{ written: boolean; failure?: NoBuffer }> {
  const { api } = owner.context;
  const spec = replicas === undefined ? undefined : specFor(owner.spec, replicas);
  if (spec ? isDeepStrictEqual(found?.spec, spec) : !found) return { written: false };
  owner.mustHoldLease();
  try {
    if (!spec) await api.delete(path, { preconditions: { uid: found?.uid } });
    else {
      const { name, namespace } = owner.metadata;
      // With the uid it takes no other buffer that has come to have the name; without one it takes none at all.
      const metadata = { name, namespace, uid: found?.uid, ownerReferences: [controlledBy(owner.reference)] };
      const query = { fieldManager, force: String(found !== undefined) };
      await api.patch(path, applyPatch, { apiVersion, kind, metadata, spec }, { query });
    }
    return { written: true };
  } catch (error) {
    // It is gone, or another has come: the next sync reads it.
    if (isStatus(error, 409) || (!spec && isStatus(error, 404))) return { written: false };
    return { written: false, failure: noBuffer(error) };
  }
}

function specFor({ capacity_buffer: block, ...spec }: Spec, replicas: number): z.output<typeof specSchema> {
  const { apiVersion, kind: ofKind, name } = targetOf(spec);
  const apiGroup = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
  const ref = withDeployment.includes(`${ofKind}.${apiGroup}`) ? deployment : { apiGroup, kind: ofKind };
  return {
    replicas,
    provisioningStrategy: block?.provisioning_strategy ?? defaultStrategy,
    scalableRef: { ...ref, name },
  };
}

/** The kinds of this module whose pods are those of a Deployment of the same name, which each autoscaler can read. */
const withDeployment = ["EasyService.app.kubebuilder.io", "Hello.fraim.co.jp"];
const deployment = { apiGroup: "apps", kind: "Deployment" };

const defaultStrategy = "buffer.x-k8s.io/active-capacity";

const withoutKind =
  `the cluster has no ${kind} of ${group}/${versions[0]}; switch them on in Karpenter or Cluster Autoscaler, or leave ` +
  "spec.capacity_buffer out";

function noBuffer(error: unknown): NoBuffer {
  const { error: text } = errorFields(error);
  if (!isStatus(error, 403)) return { reason: "Unavailable", message: text };
  const remedy = `grant get, create, patch and delete of capacitybuffers of the group ${group}`;
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
