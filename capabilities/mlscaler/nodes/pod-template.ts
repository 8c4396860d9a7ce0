import * as z from "zod";
import { type Api, isStatus } from "../../kubernetes/api";
import { applyOwned } from "../../kubernetes/apply";
import type { Discovery } from "../../kubernetes/discovery";
import { type ObjectReference, objectSchema } from "../../kubernetes/metadata";
import { metadataOnly } from "../../kubernetes/watch";
import type { Target } from "../target/target";

/** What the pods of a target are made from, and the PodTemplate that has it for a CapacityBuffer. */
export interface PodTemplate {
  path: string;
  name: string;
  /** That of the PodTemplate; absent without one. */
  uid?: string;
  template: object;
}

const targetSchema = z.object({
  spec: z.object({
    template: z.looseObject({ spec: z.looseObject({ containers: z.array(z.unknown()).min(1) }) }),
  }),
});

/**
 * Reads the `spec.template` of a target, and its PodTemplate. Undefined where the target has none, the module may not
 * read it, or somebody else has a PodTemplate of that name. Throws ApiError.
 */
export async function readTemplate(
  api: Api,
  discovery: Discovery,
  target: Target,
  { namespace, name: buffer }: { namespace: string; name: string },
): Promise<PodTemplate | undefined> {
  try {
    const targetPath = await discovery.pathOf(target, namespace);
    const { data } = targetSchema.safeParse(targetPath && (await api.find(targetPath)));
    if (!data) return undefined;
    const name = `mlscaler-${buffer}`;
    const path = `/api/v1/namespaces/${namespace}/podtemplates/${name}`;
    const found = objectSchema.optional().parse(await api.find(path, { accept: metadataOnly }))?.metadata;
    const owner = found?.ownerReferences.find(({ controller }) => controller);
    if (found && !(owner?.kind === "CapacityBuffer" && owner.name === buffer)) return undefined;
    return { path, name, uid: found?.uid, template: data.spec.template };
  } catch (error) {
    if (isStatus(error, 403)) return undefined;
    throw error;
  }
}

/** Makes the PodTemplate of a CapacityBuffer that of its target. It goes with the buffer. Throws ApiError. */
export async function writeTemplate(
  api: Api,
  { path, name, uid, template }: PodTemplate,
  buffer: ObjectReference,
): Promise<void> {
  const { namespace } = buffer;
  await applyOwned(api, path, { apiVersion: "v1", kind: "PodTemplate", namespace, name, uid }, { template }, buffer);
}
