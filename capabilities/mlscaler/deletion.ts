import { Api, isStatus, mayPass } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields } from "../common/log";
import { Instance } from "../common/reconciler";
import { autoscalerOn } from "./autoscalers";
import { Spec, Status } from "./schema";
import { readScale, Target, targetOf, writeScale } from "./target";

/** Whether the spec lets go of its target when it is deleted: not with Keep, not while it observes or is paused. */
export const releasesTarget = (spec: Spec): boolean =>
  spec.on_delete === "Min" && spec.mode === "Active" && spec.pause === "None";

/**
 * Puts the target of a deleted MLScaler to its minimum, unless it is gone, scaled to 0, or held by an HPA. Returns what
 * was done, for people, or undefined when nothing was. What the API server answers for good is logged and holds nothing
 * up; what may pass (no answer, a conflict) is thrown, to be tried again.
 */
export async function putToMinimum(
  object: Instance<unknown, Status>,
  spec: Spec,
  discovery: Discovery,
): Promise<string | undefined> {
  const { api } = object.around;
  const { namespace } = object.metadata;
  const minimum = spec.min_replicas;
  const target = targetOf(spec);
  try {
    const path = await discovery.pathOf(target, namespace);
    if (path === undefined) return undefined;
    const scale = await readScale(api, path);
    if (scale.replicas === 0 || scale.replicas === minimum) return undefined;
    if (await isAutoscaled(api, namespace, target)) return undefined;
    object.mustLead();
    await writeScale(api, scale, minimum);
    return `${scale.replicas} → ${minimum}: the MLScaler is deleted, on_delete is Min`;
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

/** What the API server will not tell of HPAs holds no deletion up. */
async function isAutoscaled(api: Api, namespace: string, target: Target): Promise<boolean> {
  try {
    return (await autoscalerOn(api, namespace, target)) !== undefined;
  } catch (error) {
    if (mayPass(error)) throw error;
    return false;
  }
}
