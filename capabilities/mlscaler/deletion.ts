import { z } from "zod";
import { Api, ApiError, isStatus, mayPass } from "../common/api";
import { errorFields, log } from "../common/log";
import { Spec } from "./schema";
import { readScale, writeScale } from "./target";

const autoscalersSchema = z.object({
  items: z.array(z.object({ spec: z.object({ scaleTargetRef: z.object({ kind: z.string(), name: z.string() }) }) })),
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
  api: Api,
  namespace: string,
  name: string,
  spec: Spec,
  mustLead: () => void,
): Promise<string | undefined> {
  const { target_deployment: target, min_replicas: minimum } = spec;
  try {
    const scale = await readScale(api, namespace, target);
    if (scale.replicas === 0 || scale.replicas === minimum) return undefined;
    if (await heldByAutoscaler(api, namespace, target)) return undefined;
    mustLead();
    await writeScale(api, scale, namespace, target, minimum);
    return `${scale.replicas} → ${minimum}: the MLScaler is deleted, on_delete is Min`;
  } catch (error) {
    if (mayPass(error) || isStatus(error, 409)) throw error;
    if (!isStatus(error, 404)) {
      const message = "the target could not be put to its minimum, the MLScaler goes all the same";
      log.warn({ kind: "MLScaler", namespace, name, target, ...errorFields(error) }, message);
    }
    return undefined;
  }
}

async function heldByAutoscaler(api: Api, namespace: string, target: string): Promise<boolean> {
  try {
    const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`;
    const { items } = autoscalersSchema.parse(await api.get(path));
    return items.some(({ spec: { scaleTargetRef: ref } }) => ref.kind === "Deployment" && ref.name === target);
  } catch (error) {
    if (error instanceof ApiError && !mayPass(error)) return false;
    throw error;
  }
}
