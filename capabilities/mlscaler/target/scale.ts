import * as z from "zod";
import { Api } from "../../kubernetes/api";
import { metadataSchema } from "../../kubernetes/metadata";

/** The scale subresource of a target (autoscaling/v1 Scale), with the fields that a write needs. */
export interface Scale {
  path: string;
  namespace: string;
  name: string;
  /** spec.replicas: the desired count. */
  replicas: number;
  /** status.replicas: the current count. */
  observed: number;
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

/** Reads a scale subresource. Throws ApiError; 404 when the object or its scale does not exist. */
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

/** Sets or only validates the replicas. Throws ApiError: 409 after a change of the target, 422 when it refuses. */
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
