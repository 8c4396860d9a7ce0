import { isStatus, mayPass } from "../../kubernetes/api";
import { Discovery } from "../../kubernetes/discovery";
import { errorFields } from "../../kubernetes/log";
import { CommonStatus } from "../../definition/resource";
import { CustomObject } from "../../operator/reconciler";
import { hpaOn } from "./horizontal-pod-autoscalers";
import { readScale, writeScale } from "./scale";
import { type Mode, TargetFields, targetOf } from "./target";

type DeletedObject = Pick<CustomObject<unknown, CommonStatus>, "context" | "metadata" | "mustHoldLease" | "log">;

interface DeletionFields {
  on_delete: "Min" | "Keep";
  mode: Mode;
  pause: "None" | "All" | "Down" | "Up";
}

/**
 * Whether a deletion scales the target: not while the MLScaler observes or is paused, and with Keep only a target that
 * it scaled to 0, because nothing else would wake it.
 */
export const releasesTarget = (spec: DeletionFields, scaledToZero: boolean): boolean =>
  (spec.on_delete === "Min" || scaledToZero) && spec.mode === "Active" && spec.pause === "None";

/**
 * Scales the target of a deleted MLScaler to its minimum, at least 1, unless the target is gone, an HPA or another
 * MLScaler scales it, HPAs may not be listed, or somebody else scaled it to 0. With Keep only wakes it. Returns the
 * replicas before and after, or undefined when nothing changed. Logs a permanent error, and lets the deletion continue.
 * Throws ApiError when the error is transient or a conflict, so that the deletion is retried.
 * @param isTaken whether another MLScaler, or the owner of the target, sets its replicas
 */
export async function scaleToMinimum(
  object: DeletedObject,
  spec: TargetFields & { min_replicas: number; on_delete: "Min" | "Keep" },
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
