import * as z from "zod";
import { Api } from "../../../kubernetes/api";
import { statedConditions } from "../../../kubernetes/conditions";
import { errorFields, log } from "../../../kubernetes/log";
import { keyOf, metadataSchema } from "../../../kubernetes/metadata";
import { Namespaces } from "../../../kubernetes/namespaces";
import { instantOf } from "../../../kubernetes/time";
import { watchObjects } from "../../../kubernetes/watch";
import { requestsIn, requestsInSpec, requestsInStatus } from "./pod-requests";
import { Pod } from "../reading";
import { revisionOf } from "./revision";
import { Selector } from "./selectors";

const podSchema = z.object({
  metadata: metadataSchema
    .pick({ name: true, namespace: true, creationTimestamp: true, deletionTimestamp: true, ownerReferences: true })
    .extend({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z
    .object({ ...requestsInSpec, nodeName: z.string().optional() })
    .default({ containers: [], initContainers: [], overhead: {} }),
  status: z
    .object({
      ...requestsInStatus,
      phase: z.string().default(""),
      startTime: z.string().nullish(),
      conditions: statedConditions,
    })
    .default({ phase: "", conditions: [], allocatedResources: {}, containerStatuses: [], initContainerStatuses: [] }),
});

type PodObject = z.output<typeof podSchema>;

/** The pods of the cluster, from one watch, which starts with the first target: a list a sync would cost too much. */
export class Pods {
  readonly #known = new Map<string, Map<string, Pod>>();
  #running?: AbortSignal;
  #state: "idle" | "incomplete" | "complete" = "idle";

  constructor(
    readonly api: Api,
    readonly namespaces: Namespaces,
  ) {}

  start(signal: AbortSignal): void {
    this.#running = signal;
  }

  /** All pods that `selector` matches, also deleted and ended ones, at most a moment old. Throws ApiError. */
  async of(namespace: string, { text, selects }: Selector): Promise<Pod[]> {
    this.#watch();
    if (this.#state !== "complete") return listPods(this.api, namespace, text);
    return [...(this.#known.get(namespace)?.values() ?? [])].filter(({ labels }) => selects(labels));
  }

  #watch(): void {
    if (!this.#running || this.#state !== "idle") return;
    this.#state = "incomplete";
    const handler = {
      keys: () => this.#keys(),
      seen: (object: PodObject) => {
        const { namespace, name } = object.metadata;
        const pods = this.#known.get(namespace) ?? new Map<string, Pod>();
        this.#known.set(namespace, pods.set(name, podOf(object)));
      },
      gone: (key: string) => this.#remove(key),
      complete: (isComplete: boolean) => void (this.#state = isComplete ? "complete" : "incomplete"),
      moved: () => void (this.#state = "incomplete"),
      failed: (error: unknown) =>
        log.warn(errorFields(error), "the watch of pods broke; each sync lists its pods until the watch is back"),
    };
    const watched = { path: "/api/v1/pods", schema: podSchema, namespaces: this.namespaces };
    void watchObjects(this.api, watched, handler, this.#running);
  }

  *#keys(): Generator<string> {
    for (const [namespace, pods] of this.#known) for (const name of pods.keys()) yield keyOf({ namespace, name });
  }

  #remove(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    const pods = this.#known.get(namespace);
    pods?.delete(name);
    if (pods?.size === 0) this.#known.delete(namespace);
  }
}

/** Lists all pods that a selector matches, from the API server's watch cache (resourceVersion 0). Throws ApiError. */
export async function listPods(api: Api, namespace: string, selector: string, timeoutSeconds?: number): Promise<Pod[]> {
  const query = { labelSelector: selector, resourceVersion: "0" };
  const request = { query, timeoutSeconds };
  const pods: Pod[] = [];
  await api.list(`/api/v1/namespaces/${namespace}/pods`, pod => pods.push(parsedPod(pod)), request);
  return pods;
}

/** The pod that the pod template of the workload `name` creates. Throws ZodError if `template` is no pod template. */
export const podOfTemplate = (name: string, template: object): Pod =>
  podOf(podSchema.parse({ ...template, metadata: { name } }));

/** A pod as the API server returns it. Throws ZodError if `object` is no pod. */
export const parsedPod = (object: unknown): Pod => podOf(podSchema.parse(object));

function podOf({ metadata, spec, status }: PodObject): Pod {
  const ready = status.conditions.find(({ type }) => type === "Ready");
  const scheduled = status.conditions.find(({ type }) => type === "PodScheduled");
  const resize = status.conditions.find(({ type }) => type === "PodResizePending");
  const createdAt = instantOf(metadata.creationTimestamp);
  const scheduling = scheduled && schedulingOf(scheduled);
  const waited = (scheduling?.scheduledAt ?? NaN) - (createdAt ?? NaN) > shortestWaitMilliseconds;
  return {
    name: metadata.name,
    labels: metadata.labels,
    phase: status.phase,
    deleting: metadata.deletionTimestamp !== undefined,
    createdAt,
    ready: ready && { status: ready.status === "True", since: instantOf(ready.lastTransitionTime) ?? 0 },
    ...scheduling,
    ...(waited && { waitedFor: spec.nodeName }),
    startedAt: instantOf(status.startTime),
    ...requestsIn(spec, status),
    ...(resize?.reason === "Infeasible" && { unresizable: shortened(resize.message) }),
    revision: revisionOf(metadata),
  };
}

/** A scheduler with room takes less, in ms. */
const shortestWaitMilliseconds = 10_000;

const longestWords = 256;

function schedulingOf(scheduled: PodObject["status"]["conditions"][number]): Pick<Pod, "scheduledAt" | "waits"> {
  const since = instantOf(scheduled.lastTransitionTime);
  if (since === undefined) return {};
  if (scheduled.status === "True") return { scheduledAt: since };
  const reason = scheduled.reason === "SchedulingGated" ? scheduled.reason : "Unschedulable";
  // What follows says the same about preemption.
  const [words = ""] = shortened(scheduled.message).split(" preemption:");
  return { waits: { since, reason, message: words.replace(/\.$/, "") } };
}

const shortened = (words: string): string => words.slice(0, longestWords);
