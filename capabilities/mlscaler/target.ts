import { z } from "zod";
import { Api } from "../common/api";
import { metadataSchema } from "../common/objects";
import { milliValue } from "../common/quantity";
import { Pod } from "./scaling/reading";
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

const quantitiesSchema = z.record(z.string(), z.union([z.string(), z.number()])).default({});

const containerSchema = z.object({
  name: z.string(),
  resources: z.object({ requests: quantitiesSchema }).default({ requests: {} }),
});

const podSchema = z.object({
  metadata: metadataSchema
    .pick({ name: true, deletionTimestamp: true })
    .extend({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .object({
      containers: z.array(containerSchema).default([]),
      initContainers: z.array(containerSchema.extend({ restartPolicy: z.string().optional() })).default([]),
      resources: z.object({ requests: quantitiesSchema }).optional(),
      overhead: quantitiesSchema,
    })
    .default({ containers: [], initContainers: [], overhead: {} }),
  status: z
    .object({
      phase: z.string().default(""),
      startTime: z.string().nullish(),
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), lastTransitionTime: z.string().nullish() }))
        .default([]),
    })
    .default({ phase: "", conditions: [] }),
});

const podListSchema = z.object({ items: z.array(podSchema) });

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

/**
 * All pods that `selector` finds, those too that are being deleted or have ended. Read from the API server's own watch
 * cache (resourceVersion 0): cheap, and at most a moment old. Throws ApiError.
 */
export async function listPods(api: Api, namespace: string, selector: string): Promise<Pod[]> {
  const query = { labelSelector: selector, resourceVersion: "0" };
  const { items } = podListSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/pods`, { query }));
  return items.map(podOf);
}

/** Whether a pod is there to stay: neither being deleted nor at its end. */
export const stays = ({ deleting, phase }: Pod): boolean => !deleting && phase !== "Failed" && phase !== "Succeeded";

function podOf({ metadata, spec, status }: z.output<typeof podSchema>): Pod {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const containers = [...spec.containers, ...spec.initContainers.filter(one => one.restartPolicy === "Always")];
  return {
    name: metadata.name,
    phase: status.phase,
    deleting: metadata.deletionTimestamp !== undefined,
    ready: ready && { status: ready.status === "True", since: Date.parse(ready.lastTransitionTime ?? "") || 0 },
    startedAt: status.startTime ? Date.parse(status.startTime) : undefined,
    requests: wholeRequests(spec),
    containers: containers.map(({ name, resources }) => ({ name, requests: milliValues(resources.requests) })),
    revision: metadata.labels["pod-template-hash"] ?? metadata.labels["controller-revision-hash"],
  };
}

/** What a pod requests as a whole, which the API server completes from its containers; absent when it asks for nothing so. */
function wholeRequests({ resources, overhead }: z.output<typeof podSchema>["spec"]): Pod["requests"] {
  if (!resources || Object.keys(resources.requests).length === 0) return undefined;
  const more = milliValues(overhead);
  const requests = Object.entries(milliValues(resources.requests));
  return Object.fromEntries(requests.map(([resource, milli]) => [resource, milli + (more[resource] ?? 0)]));
}

const milliValues = (quantities: Record<string, string | number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([resource, quantity]) => {
      const milli = milliValue(quantity);
      return milli === undefined ? [] : [[resource, milli]];
    }),
  );
