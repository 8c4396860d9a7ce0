import { PassThrough } from "node:stream";
import { Api, ApiError } from "../../capabilities/kubernetes/api";
import type { ObjectReference } from "../../capabilities/kubernetes/metadata";
import { parseSelector } from "../../capabilities/kubernetes/selector";
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

interface StoredMLScaler {
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
  /** What its status tells instead of all replicas. */
  observed?: number;
  /** Its `spec.template`, where it can be read. */
  template?: object;
  /** Instead of one settled pod a replica, which share the load. */
  pods?: StoredPod[];
}

export interface StoredPod {
  name: string;
  /** What it uses; without it it has no sample. */
  cores?: number;
  /** The time of its sample; now where it is absent. */
  sampledAt?: Date;
  revision: string;
  ready: boolean;
  /** When it was started, and became as ready as it is. */
  since: Date;
  /** When it was created, where it says so. */
  created?: Date;
  /** When it was started, where that is not when it became as ready as it is. */
  started?: Date;
  /** Why it has found no node since it was started. */
  unschedulable?: string;
  /** The node that was found for it, and when. */
  scheduled?: { node: string; at: Date };
}

export interface TargetReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

interface StoredAutoscaler {
  metadata: Pick<Meta, "name" | "namespace" | "uid"> & {
    resourceVersion?: string;
    annotations?: Record<string, string>;
    ownerReferences?: object[];
    managedFields?: object[];
  };
  spec: { scaleTargetRef: TargetReference; minReplicas?: number; minReplicaCount?: number; maxReplicas?: number };
}

/** The Deployment web, as an HPA names it. */
export const deployment: TargetReference = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

/** An HPA of the namespace shop. */
export const autoscaler = (name: string, scaleTargetRef = deployment, metadata: object = {}): StoredAutoscaler => ({
  metadata: { name, namespace: "shop", uid: name, resourceVersion: "1", ...metadata },
  spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 20 },
});

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
  "/apis/argoproj.io/v1alpha1": [
    { name: "rollouts", kind: "Rollout", namespaced: true },
    { name: "rollouts/scale", kind: "Scale", namespaced: true },
  ],
  "/apis/other.example.com/v1": [{ name: "deployments", kind: "Deployment", namespaced: true }],
};

const configMapsPath = "/api/v1/namespaces/pepr-system/configmaps";
const autoscalersPaths = ["", "/namespaces/shop"].map(part => `/apis/autoscaling/v2${part}/horizontalpodautoscalers`);
const externalPath = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/";

/** When pods began that nothing else is said of. */
const longAgo = new Date(start.getTime() - 86_400_000);

interface Owned {
  metadata: { name: string; uid: string; ownerReferences?: object[] };
}

export interface StoredBuffer extends Owned {
  spec: Record<string, unknown>;
  status?: { conditions: object[] };
}

export interface StoredTemplate extends Owned {
  template: object;
}

const buffersApi = "/apis/autoscaling.x-k8s.io";
const templatesPath = "/api/v1/namespaces/shop/podtemplates/";
const rolloutsPath = "/apis/argoproj.io/v1alpha1/namespaces/shop/";

interface StoredConfigMap {
  metadata: { name: string; labels: Record<string, string>; resourceVersion?: string };
}

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
  readonly events: {
    reason: string;
    type: string;
    message: string;
    action: string;
    involvedObject: ObjectReference;
  }[] = [];
  /** ConfigMaps in the module's namespace, by name. */
  readonly configMaps = new Map<string, object>();
  /** Counts of replicas that were written, in order. */
  readonly scaled: number[] = [];
  readonly #faults: Fault[] = [];
  #version = 100;
  /** HPAs by name, and ScaledObjects by "scaledobjects/NAME". */
  readonly #autoscalers = new Map<string, StoredAutoscaler>();
  readonly #autoscalerWatches: PassThrough[] = [];
  /** Cores that all pods use together. */
  load = 0.5;
  /** What each container asks for. */
  request = "500m";
  /** What each container has, where a resize waits; and why the nodes can never resize it, if they cannot. */
  resize?: { actual: string; infeasible?: string };
  /** External metrics of the namespace, by name. */
  readonly external = new Map<string, string>();
  /** The time of all external metrics; now where it is absent, none where it is null. */
  externalAt?: Date | null;
  /** When each node was made, by name. */
  readonly nodes = new Map<string, Date>();
  /** The versions in which the cluster has CapacityBuffers. */
  bufferVersions: string[] = [];
  /** CapacityBuffers of the namespace shop, by name. */
  readonly buffers = new Map<string, StoredBuffer>();
  /** PodTemplates of the namespace shop, by name. */
  readonly templates = new Map<string, StoredTemplate>();
  /** Pods, by their index, that have no sample. */
  unsampled = new Set<number>();

  constructor() {
    this.api = new FakeApi(call => this.#serve(call));
  }

  /** Stores an HPA, anew or another under its name, and tells those who watch. */
  putAutoscaler(object: StoredAutoscaler): void {
    const type = this.#autoscalers.has(object.metadata.name) ? "MODIFIED" : "ADDED";
    this.#autoscalers.set(object.metadata.name, object);
    this.#tell(type, object);
  }

  /** An HPA, or a ScaledObject as "scaledobjects/NAME". */
  autoscaler(name: string): StoredAutoscaler {
    const object = this.#autoscalers.get(name);
    if (!object) throw notFound(name);
    return object;
  }

  /** Stores a ScaledObject of the namespace shop. */
  putScaledObject(name: string, spec: Partial<StoredAutoscaler["spec"]>): void {
    const metadata = { name, namespace: "shop", uid: `so-${name}`, resourceVersion: String(++this.#version) };
    this.#autoscalers.set(`scaledobjects/${name}`, { metadata, spec: { scaleTargetRef: deployment, ...spec } });
  }

  /** A JSON merge patch of metadata.annotations and spec. */
  #patchAutoscaler(name: string, patch: unknown, manager: string): StoredAutoscaler {
    const before = this.autoscaler(name);
    const { metadata = {}, spec = {} } = patch as Partial<Record<"metadata" | "spec", Record<string, unknown>>>;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== before.metadata.resourceVersion)
      throw conflict();
    const annotations = Object.entries({ ...before.metadata.annotations, ...(metadata.annotations as object) });
    const owned = Object.fromEntries(Object.keys(spec).map(field => [`f:${field}`, {}]));
    const object = {
      metadata: {
        ...before.metadata,
        resourceVersion: String(++this.#version),
        annotations: Object.fromEntries(annotations.filter(([, text]) => text !== null)) as Record<string, string>,
        managedFields: (metadata.managedFields as object[] | undefined)?.filter(one => "manager" in one) ?? [
          { manager, operation: "Update", fieldsV1: { "f:spec": owned } },
        ],
      },
      spec: { ...before.spec, ...spec },
    };
    this.#autoscalers.set(name, object);
    if (!name.includes("/")) this.#tell("MODIFIED", object);
    return object;
  }

  #autoscaler({ method, body, query }: Call, name: string): unknown {
    if (method === "PATCH") this.#patchAutoscaler(name, body, query?.fieldManager ?? "");
    const answer = structuredClone(this.autoscaler(name));
    // A new spec makes its controller write the status at once.
    if ((body as Partial<StoredAutoscaler> | undefined)?.spec)
      this.autoscaler(name).metadata.resourceVersion = String(++this.#version);
    return answer;
  }

  /** Deletes an HPA, and tells those who watch. */
  removeAutoscaler(name: string): void {
    const object = this.#autoscalers.get(name);
    if (!object) throw new Error(`there is no HPA ${name}`);
    this.#autoscalers.delete(name);
    this.#tell("DELETED", object);
  }

  #tell(type: string, object: StoredAutoscaler): void {
    for (const stream of this.#autoscalerWatches) stream.write(`${JSON.stringify({ type, object })}\n`);
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

  /** Deploys web with so many replicas, and stores the MLScaler "shop/web" on it; returns its key. */
  createOn(replicas: number, spec: Record<string, unknown> = {}, metadata: Partial<Meta> = {}): string {
    this.deploy("web", replicas);
    return this.create("web", spec, metadata);
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
    if (path === "/apis/metrics.k8s.io") return { versions: [{ groupVersion: "metrics.k8s.io/v1beta1" }] };
    if (path === "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods") return { items: this.#podMetrics() };
    if (path.startsWith("/api/v1/namespaces/shop/events")) {
      if (method === "POST") this.events.push(body as FakeCluster["events"][number]);
      return {};
    }
    const [, ofKind = "", autoscaler = ""] =
      /\/namespaces\/shop\/(horizontalpodautoscalers|scaledobjects)\/([^/]+)$/.exec(path) ?? [];
    if (autoscaler) return this.#autoscaler(call, ofKind === "scaledobjects" ? `${ofKind}/${autoscaler}` : autoscaler);
    if (autoscalersPaths.includes(path)) return this.#listAutoscalers(method);
    if (path.startsWith(externalPath)) return this.#externalMetric(path.slice(externalPath.length));
    if (path.startsWith(buffersApi) && this.bufferVersions.length > 0) return this.#buffer(call);
    if (path.startsWith(templatesPath)) return this.#owned(call, this.templates, path.slice(templatesPath.length));
    const { template } = this.others.get(path.slice(rolloutsPath.length)) ?? {};
    if (path.startsWith(rolloutsPath) && template) return { spec: { template } };
    if (path.startsWith(configMapsPath)) return this.#configMap(call, path.slice(configMapsPath.length + 1));
    const madeAt = this.nodes.get(path.replace("/api/v1/nodes/", ""));
    if (madeAt) return { metadata: { creationTimestamp: madeAt.toISOString() } };
    throw notFound(`${method} ${path}`);
  }

  #listAutoscalers(method: Call["method"]): unknown {
    const items = [...this.#autoscalers].flatMap(([name, object]) => (name.includes("/") ? [] : object));
    if (method === "GET") return { metadata: { resourceVersion: "1" }, items };
    const stream = new PassThrough();
    this.#autoscalerWatches.push(stream);
    return stream;
  }

  /** The versions of the group, the kinds of one, or a CapacityBuffer with the status that it had. */
  #buffer(call: Call): unknown {
    const { path } = call;
    const [, , , version, ...rest] = path.split("/");
    const versions = this.bufferVersions.map(one => ({ groupVersion: `autoscaling.x-k8s.io/${one}` }));
    if (version === undefined) return { versions };
    if (!this.bufferVersions.includes(version)) throw notFound(path);
    const kinds = [{ name: "capacitybuffers", kind: "CapacityBuffer", namespaced: true }];
    if (rest.length === 0) return { resources: kinds };
    return this.#owned(call, this.buffers, rest.at(-1) ?? "");
  }

  /** An object with an owner: one that is applied without force conflicts with what others manage. */
  #owned<Kept extends Owned>({ method, path, body, query }: Call, kept: Map<string, Kept>, name: string): Kept {
    const before = kept.get(name);
    if (method === "PATCH") {
      const applied = structuredClone(body) as Kept;
      const isOther = applied.metadata.uid !== undefined && applied.metadata.uid !== before?.metadata.uid;
      if (isOther || (before && query?.force !== "true")) throw conflict();
      const uid = before?.metadata.uid ?? `uid-${++this.#version}`;
      kept.set(name, { ...before, ...applied, metadata: { ...applied.metadata, uid } });
    }
    const found = kept.get(name);
    if (!found) throw notFound(path);
    if (method === "DELETE") kept.delete(name);
    return structuredClone(found);
  }

  #externalMetric(name: string): unknown {
    const value = this.external.get(name);
    if (value === undefined) throw notFound(name);
    const timestamp = this.externalAt === undefined ? new Date() : this.externalAt;
    return { items: [{ metricName: name, metricLabels: {}, timestamp: timestamp?.toISOString() ?? null, value }] };
  }

  #configMap({ method, body, query }: Call, name: string): unknown {
    if (method === "GET" && name === "") return this.#listConfigMaps(query?.labelSelector ?? "");
    const stored = this.configMaps.get(name) as StoredConfigMap | undefined;
    if (method !== "POST" && !stored) throw notFound(name);
    if (method === "DELETE") this.configMaps.delete(name);
    if (method !== "POST" && method !== "PUT") return structuredClone(stored ?? {});
    const object = structuredClone(body as StoredConfigMap);
    const { metadata } = object;
    if (method === "POST" && this.configMaps.has(metadata.name)) throw conflict();
    if (method === "PUT" && metadata.resourceVersion !== stored?.metadata.resourceVersion) throw conflict();
    metadata.resourceVersion = String(++this.#version);
    this.configMaps.set(metadata.name, object);
    return object;
  }

  #listConfigMaps(selector: string): unknown {
    const items = [...this.configMaps.values()] as StoredConfigMap[];
    const selected = items.filter(({ metadata }) => parseSelector(selector)?.selects(metadata.labels));
    return {
      metadata: { resourceVersion: "1" },
      items: selected.map(({ metadata }) => ({ metadata: { uid: `uid-${metadata.name}`, ...metadata } })),
    };
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
    const { replicas, observed = replicas, selector, version } = target;
    return {
      metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version) },
      spec: { replicas },
      status: { replicas: observed, selector },
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
    const resources = { requests: { cpu: this.request, memory: "128Mi" } };
    return this.#targets()
      .flatMap(([name, target]) => this.#podsOf(name, target).map(pod => ({ ...pod, labels: labelsOf(target) })))
      .filter(({ labels }) => parseSelector(selector)?.selects(labels))
      .map(({ name, labels, revision, ready, since, created, started = since, unschedulable, scheduled }) => ({
        metadata: {
          name,
          labels: { ...labels, "pod-template-hash": revision },
          creationTimestamp: created?.toISOString(),
        },
        spec: { containers: [{ name: "web", resources }], nodeName: scheduled?.node },
        status: {
          ...(this.resize && {
            containerStatuses: [{ name: "web", resources: { requests: { cpu: this.resize.actual } } }],
          }),
          phase: unschedulable === undefined ? "Running" : "Pending",
          startTime: unschedulable === undefined ? started.toISOString() : undefined,
          conditions: [
            { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since.toISOString() },
            ...(this.resize?.infeasible === undefined
              ? []
              : [
                  {
                    ...{ type: "PodResizePending", status: "True", reason: "Infeasible" },
                    message: this.resize.infeasible,
                  },
                ]),
            ...(scheduled
              ? [{ type: "PodScheduled", status: "True", lastTransitionTime: scheduled.at.toISOString() }]
              : []),
            ...(unschedulable === undefined
              ? []
              : [
                  {
                    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable },
                    lastTransitionTime: since.toISOString(),
                  },
                ]),
          ],
        },
      }));
  }

  #podMetrics(): object[] {
    return this.#targets()
      .flatMap(([name, target]) => this.#podsOf(name, target))
      .flatMap(({ name, cores, sampledAt = new Date() }) => {
        if (cores === undefined) return [];
        const usage = { cpu: `${Math.floor(cores * 1e9)}n`, memory: "64Mi" };
        return [
          {
            metadata: { name },
            timestamp: sampledAt.toISOString(),
            window: "15s",
            containers: [{ name: "web", usage }],
          },
        ];
      });
  }

  #podsOf(name: string, { replicas, pods }: StoredTarget): StoredPod[] {
    if (pods) return pods;
    return Array.from({ length: replicas }, (_, index) => ({
      name: `${name}-${index}`,
      cores: this.unsampled.has(index) ? undefined : this.load / replicas,
      revision: "1",
      ready: true,
      since: longAgo,
    }));
  }
}

/** The labels of a target's pods: those of its selector. */
const labelsOf = ({ selector }: StoredTarget): Record<string, string> =>
  Object.fromEntries(
    selector.split(",").map((pair): [string, string] => [pair.split("=")[0] ?? "", pair.split("=")[1] ?? ""]),
  );

/** The writes among the calls of `api`, as "METHOD path", but for what is remembered of MLScalers. */
export const writesOf = (api: Api & { calls: Call[] }): string[] =>
  api.calls
    .filter(({ method, path }) => method !== "GET" && method !== "STREAM" && !path.startsWith(configMapsPath))
    .map(({ method, path }) => `${method} ${path}`);
