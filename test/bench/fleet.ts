import { setMaxListeners } from "node:events";
import pMap from "p-map";
import { z } from "zod";
import { Api, mergePatch } from "../../capabilities/kubernetes/api";
import { metadataSchema } from "../../capabilities/kubernetes/metadata";
import { watchObjects } from "../../capabilities/kubernetes/watch";
import { waitFor } from "../../sandbox/wait";
import { listed } from "../listed";

/**
 * The groups of targets: for a step in the load of this group alone, for a step at the same time as all others, and
 * the others.
 */
type Group = (typeof groups)[number] | "rest";

const groups = ["alone", "beside"] as const;

export interface Target {
  namespace: string;
  name: string;
  group: Group;
}

/** Pods of each Deployment without a scaler. */
export const podsEach = 2;

/** The CPU request of a pod, and its use before and after a step. */
const request = "200m";
const usage = { calm: "100m", raised: "200m" };

const usageAnnotation = "kwok.x-k8s.io/usage-cpu";
const groupLabel = "bench.example.com/group";

const perNamespace = 50;
const largestSample = 40;
const concurrency = 16;
/** A generous timeout: a scaler that exceeds it has failed. */
const timeoutMilliseconds = 600_000;

const podSchema = z.object({ metadata: metadataSchema });
const podMetricsSchema = z.object({ timestamp: z.string() });

const deploymentSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ replicas: z.number() }),
  status: z.object({ replicas: z.number().default(0), readyReplicas: z.number().default(0) }),
});

/** Deployments of fake pods, each with its own load, as targets of the scalers. */
export class Fleet {
  readonly targets: Target[];
  readonly namespaces: string[];
  readonly #api = new Api();

  constructor(
    count: number,
    readonly signal: AbortSignal,
  ) {
    // Many waiters listen to the signal at the same time.
    setMaxListeners(0, signal);
    this.namespaces = Array.from({ length: Math.ceil(count / perNamespace) }, (_, index) => `bench-${index}`);
    // Spreads each group evenly over the namespaces and over the time in which the scalers are created.
    const every = Math.max(2, Math.ceil(count / largestSample));
    this.targets = Array.from({ length: count }, (_, index) => ({
      namespace: `bench-${Math.floor(index / perNamespace)}`,
      name: `web-${index}`,
      group: groups[index % every] ?? "rest",
    }));
  }

  /** Creates the Deployments and waits until their pods are ready. */
  async create(): Promise<void> {
    await this.each(this.namespaces, name => this.#api.create("/api/v1/namespaces", { metadata: { name } }));
    await this.each(this.targets, target =>
      this.#api.create(deploymentsPath(target), manifest(target), { timeoutSeconds: 60 }),
    );
    await this.#calm();
  }

  /** Restores the initial state. */
  async reset(): Promise<void> {
    for (const group of groups) await this.setLoad(group, "calm");
    const grown = this.targets.filter(({ group }) => group !== "rest");
    await this.each(grown, target =>
      this.#api.patch(`${deploymentsPath(target)}/${target.name}`, mergePatch, { spec: { replicas: podsEach } }),
    );
    await this.#calm();
  }

  /** Sets the use of each pod in a group. Returns the time of the start (performance.now). */
  async setLoad(group: Group, load: keyof typeof usage): Promise<number> {
    const pods = await this.#pods(group);
    const body = { metadata: { annotations: { [usageAnnotation]: usage[load] } } };
    const began = performance.now();
    await this.each(pods, ({ namespace, name }) =>
      this.#api.patch(`/api/v1/namespaces/${namespace}/pods/${name}`, mergePatch, body),
    );
    return began;
  }

  /**
   * Raises the load of a group just after a scrape of metrics-server, so that every step starts at the same
   * point of its period. Returns the seconds until each Deployment was scaled.
   */
  async step(group: Group): Promise<number[]> {
    const wanted = this.targets.filter(target => target.group === group).length;
    const answeredAt = new Map<string, number>();
    let trouble: unknown;
    const handler = {
      seen: ({ metadata, spec }: z.infer<typeof deploymentSchema>) => {
        if (spec.replicas !== podsEach && !answeredAt.has(metadata.uid))
          answeredAt.set(metadata.uid, performance.now());
      },
      gone: () => undefined,
      keys: () => [],
      failed: (error: unknown) => (trouble = error),
    };
    const stopped = new AbortController();
    const watched = { path: "/apis/apps/v1/deployments", labelSelector: selector(group), schema: deploymentSchema };
    const watching = watchObjects(this.#api, watched, handler, stopped.signal);
    try {
      await this.#metricsRead(group);
      const raisedAt = await this.setLoad(group, "raised");
      await waitFor(() => answeredAt.size === wanted, {
        what: `${wanted} Deployments scaled after a step in their load`,
        timeoutMilliseconds,
        signal: this.signal,
        hopeless: () => {
          if (trouble) throw new Error("the benchmark's own watch failed", { cause: trouble });
        },
      });
      return [...answeredAt.values()].map(at => (at - raisedAt) / 1000);
    } finally {
      stopped.abort();
      await watching;
    }
  }

  /** Runs `work` on each item, several at a time. */
  async each<T>(items: T[], work: (item: T, index: number) => Promise<unknown>): Promise<void> {
    await pMap(items, work, { concurrency, signal: this.signal });
  }

  /** Waits until each Deployment has exactly its pods, all of them ready. */
  async #calm(): Promise<void> {
    await waitFor(
      async () => {
        const all = await listed(this.#api, "/apis/apps/v1/deployments", deploymentSchema, groupLabel);
        const calm = all.filter(({ spec, status }) =>
          [spec.replicas, status.replicas, status.readyReplicas].every(replicas => replicas === podsEach),
        );
        return calm.length === this.targets.length;
      },
      {
        what: `${this.targets.length} Deployments at rest`,
        timeoutMilliseconds,
        everyMilliseconds: 2000,
        signal: this.signal,
      },
    );
  }

  /** Waits for the next scrape of metrics-server. */
  async #metricsRead(group: Group): Promise<void> {
    const [pod] = await this.#pods(group);
    if (!pod) throw new Error(`group ${group} has no pod`);
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${pod.namespace}/pods/${pod.name}`;
    const read = async (): Promise<string> => podMetricsSchema.parse(await this.#api.get(path)).timestamp;
    const before = await read();
    await waitFor(async () => (await read()) !== before, {
      what: "new figures of metrics-server",
      timeoutMilliseconds: 60_000,
      signal: this.signal,
    });
  }

  async #pods(group: Group): Promise<{ namespace: string; name: string }[]> {
    const pods = await listed(this.#api, "/api/v1/pods", podSchema, selector(group));
    return pods.map(({ metadata }) => metadata);
  }
}

const selector = (group: Group): string => `${groupLabel}=${group}`;

const deploymentsPath = ({ namespace }: Target): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;

function manifest({ name, group }: Target): object {
  const labels = { app: name, [groupLabel]: group };
  const container = { name: "web", image: "nginx:1.27", resources: { requests: { cpu: request } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: {
      replicas: podsEach,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels, annotations: { [usageAnnotation]: usage.calm } },
        spec: { containers: [container] },
      },
    },
  };
}
