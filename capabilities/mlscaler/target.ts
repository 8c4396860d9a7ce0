import { z } from "zod";
import { Api } from "../common/api";
import { metadataSchema } from "../common/objects";

/** The scale subresource of a target (autoscaling/v1 Scale), with what is needed to write it back. */
export interface Scale {
  path: string;
  /** spec.replicas: what is asked for. */
  replicas: number;
  /** status.replicas: what there is. */
  observed: number;
  /** The label selector of its pods. */
  selector: string;
  resourceVersion: string;
}

/** A pod of a target that may be carrying load. */
export interface Pod {
  name: string;
  ready: boolean;
  /** When it became Ready, epoch milliseconds; 0 when it does not say. */
  readySince: number;
}

const scaleSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ replicas: z.number().default(0) }).default({ replicas: 0 }),
  status: z.object({ replicas: z.number().default(0), selector: z.string().default("") }),
});

const podListSchema = z.object({
  items: z.array(
    z.object({
      metadata: metadataSchema.pick({ name: true, deletionTimestamp: true }),
      status: z
        .object({
          phase: z.string().optional(),
          conditions: z
            .array(z.object({ type: z.string(), status: z.string(), lastTransitionTime: z.string().nullish() }))
            .default([]),
        })
        .default({ conditions: [] }),
    }),
  ),
});

/** The path of a Deployment in the API. */
export const deploymentPath = (namespace: string, name: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;

/** Reads the scale subresource of a Deployment. Throws ApiError; 404 when there is no such Deployment. */
export async function readScale(api: Api, namespace: string, name: string): Promise<Scale> {
  const path = `${deploymentPath(namespace, name)}/scale`;
  const { metadata, spec, status } = scaleSchema.parse(await api.get(path));
  return {
    path,
    replicas: spec.replicas,
    observed: status.replicas,
    selector: status.selector,
    resourceVersion: metadata.resourceVersion,
  };
}

/** Asks for `replicas`. Throws ApiError: 409 when the target changed since `scale` was read, 422 when it refuses the number. */
export async function writeScale(
  api: Api,
  scale: Scale,
  namespace: string,
  name: string,
  replicas: number,
): Promise<void> {
  await api.replace(scale.path, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, resourceVersion: scale.resourceVersion },
    spec: { replicas },
  });
}

/**
 * The pods that `selector` finds, without those that are being deleted or have ended. Read from the API server's own
 * watch cache (resourceVersion 0): cheap, and at most a moment old. Throws ApiError.
 */
export async function listPods(api: Api, namespace: string, selector: string): Promise<Pod[]> {
  const query = { labelSelector: selector, resourceVersion: "0" };
  const { items } = podListSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/pods`, { query }));
  return items
    .filter(
      ({ metadata, status }) => !metadata.deletionTimestamp && !["Failed", "Succeeded"].includes(status.phase ?? ""),
    )
    .map(({ metadata, status }) => {
      const ready = status.conditions.find(condition => condition.type === "Ready" && condition.status === "True");
      return {
        name: metadata.name,
        ready: ready !== undefined,
        readySince: Date.parse(ready?.lastTransitionTime ?? "") || 0,
      };
    });
}
