import { z } from "zod";
import { Api, ApiError, isStatus, mayPass } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields } from "../common/log";
import { Instance } from "../common/reconciler";
import { Spec, Status } from "./schema";
import { kindId, readScale, Target, targetOf, writeScale } from "./target";

const autoscalersSchema = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        scaleTargetRef: z.object({ apiVersion: z.string().default("apps/v1"), kind: z.string(), name: z.string() }),
      }),
    }),
  ),
});

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
    if (await heldByAutoscaler(api, namespace, target)) return undefined;
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

async function heldByAutoscaler(api: Api, namespace: string, target: Target): Promise<boolean> {
  try {
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
    const { items } = autoscalersSchema.parse(await api.get(path));
    return items.some(
      ({ spec: { scaleTargetRef: ref } }) => kindId(ref) === kindId(target) && ref.name === target.name,
    );
  } catch (error) {
    if (error instanceof ApiError && !mayPass(error)) return false;
    throw error;
  }
}
