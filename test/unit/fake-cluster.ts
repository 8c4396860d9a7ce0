import { Api } from "../../capabilities/common/api";
import { Call, conflict, FakeApi, notFound } from "./fake-api";
import { start } from "./time";

interface Meta {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  finalizers?: string[];
}

export interface StoredMLScaler {
  metadata: Meta;
  spec: Record<string, unknown>;
  status?: {
    conditions?: { type: string; status: string; reason: string; message: string }[];
    [field: string]: unknown;
  };
}

export interface StoredDeployment {
  replicas: number;
  version: number;
  selector: string;
}

interface Fault {
  matches: (call: Call) => boolean;
  error: Error;
  times: number;
}

/**
 * What an MLScaler needs of a cluster, in memory: MLScalers with status and finalizers, Deployments with their scale,
 * one pod a replica, and a CPU load (cores) that is shared by them.
 */
export class FakeCluster {
  readonly api: FakeApi;
  readonly mlscalers = new Map<string, StoredMLScaler>();
  readonly deployments = new Map<string, StoredDeployment>();
  readonly events: { reason: string; type: string; message: string }[] = [];
  /** Counts of replicas that were written, in order. */
  readonly scaled: number[] = [];
  readonly #faults: Fault[] = [];
  #version = 100;
  /** Cores that all pods use together. */
  load = 0.5;
  /** Deployments that an HPA is on. */
  autoscaled = new Set<string>();
  /** Pods, by their index, that have no sample. */
  unsampled = new Set<number>();

  constructor() {
    this.api = new FakeApi(call => this.#serve(call));
  }

  /** Makes calls of this method to a path that ends so fail, `times` times. */
  fail(method: Call["method"], end: string, error: Error, times = Infinity): void {
    this.#faults.push({ matches: call => call.method === method && call.path.endsWith(end), error, times });
  }

  /** Ends all faults. */
  heal(): void {
    this.#faults.length = 0;
  }

  /** Stores an MLScaler "shop/NAME" on the Deployment web; returns its key. */
  create(name: string, spec: Record<string, unknown> = {}, metadata: Partial<Meta> = {}): string {
    const key = `shop/${name}`;
    this.mlscalers.set(key, {
      metadata: {
        name,
        namespace: "shop",
        uid: `uid-${name}`,
        resourceVersion: String(++this.#version),
        generation: 1,
        creationTimestamp: start.toISOString(),
        ...metadata,
      },
      spec: { target_deployment: "web", min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5, ...spec },
    });
    return key;
  }

  deploy(name: string, replicas: number): StoredDeployment {
    const deployment = { replicas, version: 1, selector: `app=${name}` };
    this.deployments.set(name, deployment);
    return deployment;
  }

  stored(key: string): StoredMLScaler {
    const object = this.mlscalers.get(key);
    if (!object) throw new Error(`there is no ${key}`);
    return object;
  }

  condition(key: string, type: string): { status: string; reason: string; message: string } | undefined {
    return this.stored(key).status?.conditions?.find(condition => condition.type === type);
  }

  #serve(call: Call): unknown {
    const fault = this.#faults.find(({ matches, times }) => times > 0 && matches(call));
    if (fault) {
      fault.times--;
      throw fault.error;
    }
    const { method, path, body } = call;
    const [, name = "", subresource] = /\/mlscalers\/([^/]+)(\/status)?$/.exec(path) ?? [];
    if (name) return this.#mlscaler(method, `shop/${name}`, body, subresource !== undefined);
    const [, target] = /\/deployments\/([^/]+)\/scale$/.exec(path) ?? [];
    if (target) return this.#scale(method, target, body);
    if (path === "/api/v1/namespaces/shop/pods") return { items: this.#pods(call.query?.labelSelector ?? "") };
    if (path === "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods") return { items: this.#podMetrics() };
    if (path.startsWith("/api/v1/namespaces/shop/events")) {
      if (method === "POST") this.events.push(body as FakeCluster["events"][number]);
      return {};
    }
    if (path === "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers") {
      return { items: [...this.autoscaled].map(name => ({ spec: { scaleTargetRef: { kind: "Deployment", name } } })) };
    }
    throw notFound(`${method} ${path}`);
  }

  #mlscaler(method: Call["method"], key: string, body: unknown, status: boolean): unknown {
    const object = this.mlscalers.get(key);
    if (!object) throw notFound(key);
    if (method === "PATCH" && status) {
      object.status = merged(object.status, (body as { status: unknown }).status) as StoredMLScaler["status"];
    } else if (method === "PATCH") {
      this.#finalizers(object, body as { op: string; path: string; value?: unknown }[]);
      if (object.metadata.deletionTimestamp && !object.metadata.finalizers?.length) this.mlscalers.delete(key);
    }
    if (method === "PATCH") object.metadata.resourceVersion = String(++this.#version);
    return structuredClone(object);
  }

  #finalizers({ metadata }: StoredMLScaler, operations: { op: string; path: string; value?: unknown }[]): void {
    for (const { op, path, value } of operations) {
      const index = Number(/finalizers\/(\d+)$/.exec(path)?.[1] ?? NaN);
      const list = metadata.finalizers ?? [];
      if (op === "test") {
        if ((Number.isNaN(index) ? metadata.resourceVersion : list[index]) !== value) throw conflict();
      } else if (op === "remove") {
        metadata.finalizers = list.filter((_, at) => at !== index);
      } else {
        metadata.finalizers = [...list, ...(Array.isArray(value) ? (value as string[]) : [String(value)])];
      }
    }
  }

  #scale(method: Call["method"], name: string, body: unknown): unknown {
    const deployment = this.deployments.get(name);
    if (!deployment) throw notFound(`deployments.apps "${name}"`);
    if (method === "PUT") {
      const { metadata, spec } = body as { metadata: { resourceVersion: string }; spec: { replicas: number } };
      if (metadata.resourceVersion !== String(deployment.version)) throw conflict();
      deployment.version++;
      deployment.replicas = spec.replicas;
      this.scaled.push(spec.replicas);
    }
    const { replicas, selector, version } = deployment;
    return {
      metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version) },
      spec: { replicas },
      status: { replicas, selector },
    };
  }

  #pods(selector: string): object[] {
    return [...this.deployments]
      .filter(([, deployment]) => deployment.selector === selector)
      .flatMap(([name, { replicas }]) =>
        Array.from({ length: replicas }, (_, index) => ({
          metadata: { name: `${name}-${index}` },
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
        })),
      );
  }

  #podMetrics(): object[] {
    return [...this.deployments].flatMap(([name, { replicas }]) =>
      Array.from({ length: replicas }, (_, index) => index)
        .filter(index => !this.unsampled.has(index))
        .map(index => ({
          metadata: { name: `${name}-${index}` },
          containers: [{ usage: { cpu: `${Math.floor((this.load / replicas) * 1e9)}n`, memory: "64Mi" } }],
        })),
    );
  }
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === "object" ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** The writes among the calls of `api`, as "METHOD path". */
export const writesOf = (api: Api & { calls: Call[] }): string[] =>
  api.calls
    .filter(({ method }) => method !== "GET" && method !== "STREAM")
    .map(({ method, path }) => `${method} ${path}`);
