import * as z from "zod";
import { Api } from "../common/api";
import { errorFields, log } from "../common/log";
import { metadataSchema } from "../common/objects";
import { milliValue } from "../common/quantity";
import { watchObjects } from "../common/watch";
import { Pod } from "./scaling/reading";
import { Selector } from "./selectors";

const quantitiesSchema = z.record(z.string(), z.union([z.string(), z.number()])).default({});

const containerSchema = z.object({
  name: z.string(),
  resources: z.object({ requests: quantitiesSchema }).default({ requests: {} }),
});

const podSchema = z.object({
  metadata: metadataSchema
    .pick({ name: true, namespace: true, creationTimestamp: true, deletionTimestamp: true })
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

type PodObject = z.output<typeof podSchema>;

const podListSchema = z.object({ items: z.array(podSchema) });

/**
 * The pods of the cluster, of each what HPA's rules look at, from one watch that begins with the first target: a list
 * at every sync would be most of what a sync costs the API server.
 */
export class Pods {
  /** By namespace and name. */
  readonly #known = new Map<string, Map<string, Pod>>();
  #running?: AbortSignal;
  #state: "idle" | "incomplete" | "complete" = "idle";

  constructor(readonly api: Api) {}

  /** From now on pods may be watched, until `signal`. */
  start(signal: AbortSignal): void {
    this.#running = signal;
  }

  /**
   * All pods that `selector` finds, those too that are being deleted or have ended; at most a moment old. While the
   * watch cannot tell, they are listed. Throws ApiError.
   */
  async of(namespace: string, { text, selects }: Selector): Promise<Pod[]> {
    this.#watch();
    if (this.#state !== "complete") return listPods(this.api, namespace, text);
    return [...(this.#known.get(namespace)?.values() ?? [])].filter(({ labels }) => selects(labels));
  }

  #watch(): void {
    if (!this.#running || this.#state !== "idle") return;
    this.#state = "incomplete";
    let unseen = new Map<string, Set<string>>();
    const handler = {
      listing: () => {
        this.#state = "incomplete";
        unseen = new Map([...this.#known].map(([namespace, pods]) => [namespace, new Set(pods.keys())]));
      },
      listed: () => {
        for (const [namespace, names] of unseen) names.forEach(name => this.#forget(namespace, name));
        unseen.clear();
        this.#state = "complete";
      },
      seen: (object: PodObject) => {
        const { namespace, name } = object.metadata;
        unseen.get(namespace)?.delete(name);
        const pods = this.#known.get(namespace) ?? new Map<string, Pod>();
        this.#known.set(namespace, pods.set(name, podOf(object)));
      },
      gone: ({ metadata: { namespace, name } }: PodObject) => this.#forget(namespace, name),
      failed: (error: unknown) => {
        this.#state = "incomplete";
        log.warn(errorFields(error), "the watch of pods broke, it is begun anew; until then pods are listed");
      },
    };
    void watchObjects(this.api, { path: "/api/v1/pods", schema: podSchema }, handler, this.#running);
  }

  #forget(namespace: string, name: string): void {
    const pods = this.#known.get(namespace);
    pods?.delete(name);
    if (pods?.size === 0) this.#known.delete(namespace);
  }
}

/**
 * All pods that `selector` finds, those too that are being deleted or have ended. Read from the API server's own watch
 * cache (resourceVersion 0): cheap, and at most a moment old. Throws ApiError.
 */
export async function listPods(api: Api, namespace: string, selector: string, timeoutSeconds?: number): Promise<Pod[]> {
  const query = { labelSelector: selector, resourceVersion: "0" };
  const request = { query, timeoutSeconds };
  const { items } = podListSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/pods`, request));
  return items.map(podOf);
}

/** A pod as the pod template of the workload `name` has it. Throws ZodError when it is no template. */
export const podOfTemplate = (name: string, template: object): Pod =>
  podOf(podSchema.parse({ ...template, metadata: { name } }));

/** Whether a pod is there to stay: neither being deleted nor at its end. */
export const stays = ({ deleting, phase }: Pod): boolean => !deleting && phase !== "Failed" && phase !== "Succeeded";

function podOf({ metadata, spec, status }: PodObject): Pod {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const containers = [...spec.containers, ...spec.initContainers.filter(one => one.restartPolicy === "Always")];
  return {
    name: metadata.name,
    labels: metadata.labels,
    phase: status.phase,
    deleting: metadata.deletionTimestamp !== undefined,
    createdAt: Date.parse(metadata.creationTimestamp) || undefined,
    ready: ready && { status: ready.status === "True", since: Date.parse(ready.lastTransitionTime ?? "") || 0 },
    startedAt: status.startTime ? Date.parse(status.startTime) : undefined,
    requests: wholeRequests(spec),
    containers: containers.map(({ name, resources }) => ({ name, requests: milliValues(resources.requests) })),
    revision: metadata.labels["pod-template-hash"] ?? metadata.labels["controller-revision-hash"],
  };
}

/** What a pod requests as a whole, which the API server completes from its containers; absent when it asks for nothing so. */
function wholeRequests({ resources, overhead }: PodObject["spec"]): Pod["requests"] {
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
