import { isStatus, mayPass } from "../../kubernetes/api";
import type { Discovery } from "../../kubernetes/discovery";
import { errorFields } from "../../kubernetes/log";
import type { CustomObject } from "../../operator/custom-object";
import { putBack } from "../assist/assist";
import type { Store } from "../memory/store";
import type { Nodes } from "../nodes/nodes";
import { releasedEvent } from "../report/events";
import { wasScaledToZero } from "../report/status";
import type { Spec, Status } from "../schema";
import { hpaOn } from "../target/horizontal-pod-autoscalers";
import type { Ownership } from "../target/ownership";
import { readScale, writeScale } from "../target/scale";
import { targetOf } from "../target/target";
import type { Conflicts } from "./act";
import { isScaledToZero } from "./gather";
import { askForNodes } from "./nodes";

type Deleted = CustomObject<Spec | undefined, Status>;

interface Sources {
  discovery: Discovery;
  ownership: Ownership;
  store: Store;
  conflicts: Conflicts;
  nodes: Nodes;
}

/** Undoes what a deleted MLScaler did, and keeps its memory for one in its place. Throws ApiError for another try. */
export async function finalize(object: Deleted, from: Sources): Promise<void> {
  const { metadata, spec, key, now } = object;
  const { ownership, conflicts, store, nodes } = from;
  if (spec) {
    const scaler = object.withSpec(spec);
    // Whether or not that succeeds, the buffer is deleted with its owner.
    await askForNodes(scaler, await nodes.bufferOf(scaler));
    await ownership.hpas.unknownIn(metadata.namespace);
    const error = await putBack(object, ownership.hpasOn(metadata.namespace, spec));
    if (error) throw error;
  }
  try {
    await releaseTarget(object, from);
  } catch (error) {
    // Somebody changed the target between its read and the write.
    if (isStatus(error, 409) && conflicts.mayRetry(key)) return finalize(object, from);
    throw error;
  }
  await store.release(key, metadata.uid, now);
}

async function releaseTarget(object: Deleted, { discovery, ownership, store }: Sources): Promise<void> {
  const { metadata, spec, status, key } = object;
  const known = store.peek(key);
  const memory = known?.uid === metadata.uid ? known : undefined;
  const scaled = status.last_scale_time !== undefined || memory?.state.lastScaled !== undefined;
  if (spec) ownership.claim(metadata, spec);
  const scaledToZero = memory ? isScaledToZero(memory, status) : wasScaledToZero(status);
  if (!spec || !scaled || !releasesTarget(spec, scaledToZero)) return;
  const isTaken = (): boolean => ownership.claims.claimedByOther(key);
  const done = await scaleToMinimum(object, spec, scaledToZero, discovery, isTaken);
  if (done) await object.record(releasedEvent(spec, done));
}

/** Whether a deletion scales the target; with Keep only one that it scaled to 0, which nothing else would wake. */
export const releasesTarget = (spec: Spec, scaledToZero: boolean): boolean =>
  (spec.on_delete === "Min" || scaledToZero) && spec.mode === "Active" && spec.pause === "None";

// Not a target that is gone, that others scale or have scaled to 0, or where HPAs are unknown; with Keep only to wake
// it. A permanent error lets the deletion continue. Throws ApiError when that has to be retried.
async function scaleToMinimum(
  object: Deleted,
  spec: Spec,
  scaledToZero: boolean,
  discovery: Discovery,
  isTaken: () => boolean,
): Promise<{ from: number; to: number } | undefined> {
  if (isTaken()) return undefined;
  const { api } = object.context;
  const { namespace } = object.metadata;
  const minimum = Math.max(1, spec.min_replicas);
  const target = targetOf(spec);
  try {
    const path = await discovery.pathOf(target, namespace);
    if (path === undefined) return undefined;
    const scale = await readScale(api, path);
    if (
      scale.replicas === minimum ||
      (scale.replicas === 0 ? !scaledToZero : scaledToZero && spec.on_delete === "Keep")
    )
      return undefined;
    // Another MLScaler may have come during these requests.
    if ((await hpaOn(api, namespace, target)) !== undefined || isTaken()) return undefined;
    object.mustHoldLease();
    await writeScale(api, scale, minimum);
    return { from: scale.replicas, to: minimum };
  } catch (error) {
    if (mayPass(error) || isStatus(error, 409)) throw error;
    if (!isStatus(error, 404)) {
      const { reason, error: message } = errorFields(error);
      object.log(
        "warn",
        reason,
        `${target.kind} ${target.name} is not put to its minimum, the MLScaler goes: ${message}`,
      );
    }
    return undefined;
  }
}
