import * as z from "zod";
import { Api } from "../../kubernetes/api";
import { metadataSchema } from "../../kubernetes/metadata";

const scaleSchema = z
  .object({
    metadata: metadataSchema.partial({ uid: true }),
    spec: z.object({ replicas: z.number().default(0) }).prefault({}),
    status: z.object({ replicas: z.number().default(0), selector: z.string().default("") }).prefault({}),
  })
  .transform(({ metadata: { namespace, name, resourceVersion }, spec: { replicas }, status }) => ({
    ...{ namespace, name, resourceVersion, replicas },
    ...{ observed: status.replicas, selector: status.selector },
  }));

/** The scale subresource of a target (autoscaling/v1 Scale): `replicas` are the desired, `observed` the current ones. */
export type Scale = z.output<typeof scaleSchema> & { path: string };

/** Reads a scale subresource. Throws ApiError; 404 when the object or its scale does not exist. */
export async function readScale(api: Api, path: string, timeoutSeconds?: number): Promise<Scale> {
  const scale = scaleSchema.parse(await api.get(`${path}/scale`, { timeoutSeconds }));
  return { path: `${path}/scale`, ...scale };
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
