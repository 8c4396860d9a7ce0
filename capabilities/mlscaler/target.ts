import * as z from "zod";
import { Api } from "../common/api";
import { metadataSchema } from "../common/objects";
import { Spec } from "./schema";

/** What an MLScaler scales. */
export interface Target {
  apiVersion: string;
  kind: string;
  name: string;
}

/** The target of a spec: `target_ref`, or the Deployment that the short form names. */
export const targetOf = ({ target_ref: reference, target_deployment: name = "" }: TargetFields): Target =>
  reference ?? { apiVersion: "apps/v1", kind: "Deployment", name };

type TargetFields = Pick<Spec, "target_ref" | "target_deployment">;

/** The field that names the target. */
export const targetField = (spec: TargetFields): string =>
  spec.target_ref ? "spec.target_ref" : "spec.target_deployment";

/** "Deployment.apps": a kind whatever its version. */
export const kindId = ({ apiVersion, kind }: Pick<Target, "apiVersion" | "kind">): string =>
  apiVersion.includes("/") ? `${kind}.${apiVersion.split("/")[0]}` : kind;

/** "shop/Deployment.apps/web": a target, for comparison. */
export const targetId = (namespace: string, target: Target): string => `${namespace}/${kindId(target)}/${target.name}`;

/** Whether the target of an id is of the same kind as `target`. */
export const isOfKind = (id: string, target: Target): boolean => id.split("/")[1] === kindId(target);

/** The scale subresource of a target (autoscaling/v1 Scale), with what is needed to write it back. */
export interface Scale {
  path: string;
  namespace: string;
  name: string;
  /** spec.replicas: what is asked for. */
  replicas: number;
  /** status.replicas: what there is. */
  observed: number;
  /** The label selector of its pods. */
  selector: string;
  resourceVersion: string;
}

const scaleSchema = z.object({
  metadata: metadataSchema.partial({ uid: true }),
  spec: z.object({ replicas: z.number().default(0) }).default({ replicas: 0 }),
  status: z
    .object({ replicas: z.number().default(0), selector: z.string().default("") })
    .default({ replicas: 0, selector: "" }),
});

/** Reads the scale subresource of the object at `path`. Throws ApiError; 404 when there is no such object, or it cannot be scaled. */
export async function readScale(api: Api, path: string, timeoutSeconds?: number): Promise<Scale> {
  const { metadata, spec, status } = scaleSchema.parse(await api.get(`${path}/scale`, { timeoutSeconds }));
  return {
    path: `${path}/scale`,
    namespace: metadata.namespace,
    name: metadata.name,
    replicas: spec.replicas,
    observed: status.replicas,
    selector: status.selector,
    resourceVersion: metadata.resourceVersion,
  };
}

/**
 * Asks for `replicas`; with `dryRun` only whether that would be allowed. Throws ApiError: 409 when the target changed
 * since `scale` was read, 422 when it refuses the number.
 */
export async function writeScale(
  api: Api,
  scale: Scale,
  replicas: number,
  { dryRun = false, timeoutSeconds }: { dryRun?: boolean; timeoutSeconds?: number } = {},
): Promise<void> {
  const { path, namespace, name, resourceVersion } = scale;
  const body = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, resourceVersion },
    spec: { replicas },
  };
  await api.replace(path, body, { timeoutSeconds, ...(dryRun && { query: { dryRun: "All" } }) });
}
