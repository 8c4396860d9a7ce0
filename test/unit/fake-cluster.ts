import { Api, ApiError } from "../../capabilities/common/api";
import { Call, conflict, FakeApi, noSuchUid, notFound } from "./fake-api";
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

export interface StoredTarget {
  replicas: number;
  version: number;
  selector: string;
  /** More replicas than this it refuses, as a Hello does. */
  ceiling?: number;
}

interface TargetReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

/** What the API server says of the kinds that it serves, by API. */
const served: Record<string, { name: string; kind: string; namespaced: boolean }[]> = {
  "/apis/apps/v1": [
    { name: "deployments", kind: "Deployment", namespaced: true },
    { name: "deployments/scale", kind: "Scale", namespaced: true },
    { name: "statefulsets", kind: "StatefulSet", namespaced: true },
    { name: "statefulsets/scale", kind: "Scale", namespaced: true },
  ],
  "/apis/fraim.co.jp/v1": [
    { name: "helloes", kind: "Hello", namespaced: true },
    { name: "helloes/scale", kind: "Scale", namespaced: true },
    { name: "greetings", kind: "Greeting", namespaced: false },
  ],
  "/apis/other.example.com/v1": [{ name: "deployments", kind: "Deployment", namespaced: true }],
};

interface Fault {
  matches: (call: Call) => boolean;
  error: Error;
  times: number;
}

/**
 * What an MLScaler needs of a cluster, in memory: MLScalers with status and finalizers, Deployments and other targets
 * with their scale, one pod a replica, and a CPU load (cores) that is shared by them.
 */
export class FakeCluster {
  readonly api: FakeApi;
  readonly mlscalers = new Map<string, StoredMLScaler>();
  readonly deployments = new Map<string, StoredTarget>();
  /** Targets of other kinds, by plural and name: "statefulsets/db". */
  readonly others = new Map<string, StoredTarget>();
  readonly events: { reason: string; type: string; message: string; action: string }[] = [];
  /** Counts of replicas that were written, in order. */
  readonly scaled: number[] = [];
  readonly #faults: Fault[] = [];
  #version = 100;
  /** Cores that all pods use together. */
  load = 0.5;
  /** What HPAs are on. */
  autoscaled: TargetReference[] = [];
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

  deploy(name: string, replicas: number): StoredTarget {
    const deployment = { replicas, version: 1, selector: `app=${name}` };
    this.deployments.set(name, deployment);
    return deployment;
  }

  /** Stores a target that is no Deployment: "statefulsets/db". */
  run(id: string, replicas: number, ceiling?: number): StoredTarget {
    const target = { replicas, version: 1, selector: `run=${id.split("/")[1]}`, ceiling };
    this.others.set(id, target);
    return target;
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
    if (name) return this.#mlscaler(call, `shop/${name}`, subresource !== undefined);
    if (method === "GET" && served[path]) return { kind: "APIResourceList", resources: served[path] };
    const [, base = "", plural = "", target = ""] =
      /^(\/apis\/[^/]+\/[^/]+)\/namespaces\/shop\/([^/]+)\/([^/]+)\/scale$/.exec(path) ?? [];
    if (served[base]?.some(resource => resource.name === `${plural}/scale`)) return this.#scale(call, plural, target);
    if (path === "/api/v1/namespaces/shop/pods") return { items: this.#pods(call.query?.labelSelector ?? "") };
    if (path === "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods") return { items: this.#podMetrics() };
    if (path.startsWith("/api/v1/namespaces/shop/events")) {
      if (method === "POST") this.events.push(body as FakeCluster["events"][number]);
      return {};
    }
    if (path === "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers") {
      return { items: this.autoscaled.map(scaleTargetRef => ({ spec: { scaleTargetRef } })) };
    }
    throw notFound(`${method} ${path}`);
  }

  #mlscaler({ method, body, contentType, query }: Call, key: string, status: boolean): unknown {
    const object = this.mlscalers.get(key);
    if (!object && method === "PATCH" && status) throw noSuchUid((body as StoredMLScaler).metadata.uid);
    if (!object) throw notFound(key);
    if (method === "PATCH" && status) {
      const applied = body as Pick<StoredMLScaler, "metadata" | "status"> & { apiVersion?: string; kind?: string };
      if (contentType !== "application/apply-patch+yaml" || !query?.fieldManager || query.force !== "true")
        throw new ApiError(415, "UnsupportedMediaType", `no server-side apply: ${contentType}`);
      if (applied.apiVersion !== "example.com/v1" || applied.kind !== "MLScaler")
        throw new ApiError(400, "BadRequest", "an apply names apiVersion and kind");
      if (applied.metadata.uid !== object.metadata.uid) throw conflict();
      // There is one writer, so what it leaves out is no more.
      object.status = JSON.parse(JSON.stringify(applied.status)) as StoredMLScaler["status"];
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

  #scale({ method, body, query }: Call, plural: string, name: string): unknown {
    const target = plural === "deployments" ? this.deployments.get(name) : this.others.get(`${plural}/${name}`);
    if (!target) throw notFound(`${plural} "${name}"`);
    if (method === "PUT") {
      const { metadata, spec } = body as { metadata: { resourceVersion: string }; spec: { replicas: number } };
      if (metadata.resourceVersion !== String(target.version)) throw conflict();
      if (spec.replicas > (target.ceiling ?? Infinity))
        throw new ApiError(422, "Invalid", `spec.size: ${spec.replicas} is out of range, use 1 to ${target.ceiling}`);
      if (query?.dryRun !== "All") {
        target.version++;
        target.replicas = spec.replicas;
        this.scaled.push(spec.replicas);
      }
    }
    const { replicas, selector, version } = target;
    return {
      metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version) },
      spec: { replicas },
      status: { replicas, selector },
    };
  }

  /** Every target, with the name that its pods begin with. */
  #targets(): [name: string, target: StoredTarget][] {
    return [
      ...this.deployments,
      ...[...this.others].map(([id, target]): [string, StoredTarget] => [id.replace("/", "-"), target]),
    ];
  }

  #pods(selector: string): object[] {
    return this.#targets()
      .filter(([, target]) => target.selector === selector)
      .flatMap(([name, { replicas }]) =>
        Array.from({ length: replicas }, (_, index) => ({
          metadata: { name: `${name}-${index}` },
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
        })),
      );
  }

  #podMetrics(): object[] {
    return this.#targets().flatMap(([name, { replicas }]) =>
      Array.from({ length: replicas }, (_, index) => index)
        .filter(index => !this.unsampled.has(index))
        .map(index => ({
          metadata: { name: `${name}-${index}` },
          containers: [{ usage: { cpu: `${Math.floor((this.load / replicas) * 1e9)}n`, memory: "64Mi" } }],
        })),
    );
  }
}

/** The writes among the calls of `api`, as "METHOD path". */
export const writesOf = (api: Api & { calls: Call[] }): string[] =>
  api.calls
    .filter(({ method }) => method !== "GET" && method !== "STREAM")
    .map(({ method, path }) => `${method} ${path}`);
