import { Context } from "../../../../capabilities/operator/custom-object";
import { Call, conflict, FakeApi, notFound } from "../../fake-api";

export const configMapsPath = "/api/v1/namespaces/pepr-system/configmaps";

export interface ConfigMap {
  metadata: {
    name: string;
    namespace: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    resourceVersion?: string;
  };
  data: Record<string, string>;
  binaryData?: Record<string, string>;
}

/** ConfigMaps and MLScalers as the API server has them. */
export class Cluster {
  readonly configMaps = new Map<string, ConfigMap>();
  /** The uids of the MLScalers. */
  mlscalers: string[] = [];
  holdsLease = true;
  term = 1;
  fault?: (call: Call) => Error | undefined;
  #version = 100;
  readonly api = new FakeApi(call => this.#serve(call));
  readonly context: Pick<Context, "api" | "holdsAnyLease" | "holdsLease" | "term"> = {
    api: this.api,
    holdsAnyLease: () => this.holdsLease,
    holdsLease: () => this.holdsLease,
    term: () => this.term,
  };

  /** The methods of all calls but reads. */
  get writes(): string[] {
    return this.api.calls.filter(({ method }) => method !== "GET").map(({ method }) => method);
  }

  /** What is stored of the MLScaler with the uid "uid-web". */
  get state(): string {
    return this.configMaps.get("mlscaler-state-uid-web")?.data.state ?? "";
  }

  #serve(call: Call): unknown {
    const fault = this.fault?.(call);
    if (fault) throw fault;
    const { method, body } = call;
    const name = call.path.slice(configMapsPath.length + 1);
    if (call.path === "/apis/example.com/v1/mlscalers")
      return this.#list(this.mlscalers.map(uid => ({ uid, name: "web" })));
    if (call.path === configMapsPath && method === "GET") return this.#list(this.#labelled(call));
    if (method !== "POST" && !this.configMaps.has(name)) throw notFound(name);
    const stored = this.configMaps.get(name)?.metadata.resourceVersion;
    if (method === "GET") return structuredClone(this.configMaps.get(name));
    if (method === "DELETE") {
      const { preconditions } = (body ?? {}) as { preconditions?: { resourceVersion?: string } };
      if ((preconditions?.resourceVersion ?? stored) !== stored) throw conflict();
      this.configMaps.delete(name);
      return {};
    }
    const object = body as ConfigMap;
    if (method === "POST" && this.configMaps.has(object.metadata.name)) throw conflict();
    if (method === "PUT" && (object.metadata.resourceVersion ?? stored) !== stored) throw conflict();
    return { metadata: this.put(object).metadata };
  }

  /** Stores a ConfigMap in a new version, as another process would. */
  put(object: ConfigMap): ConfigMap {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = structuredClone({ ...object, metadata });
    this.configMaps.set(metadata.name, stored);
    return stored;
  }

  #labelled({ query }: Call): object[] {
    const wanted = (query?.labelSelector ?? "").split(",").map(term => term.split("="));
    return [...this.configMaps.values()]
      .filter(({ metadata: { labels } }) =>
        wanted.every(
          ([label = "", value]) => labels[label] !== undefined && (value ?? labels[label]) === labels[label],
        ),
      )
      .map(({ metadata }) => ({ uid: "x", ...metadata }));
  }

  #list(items: object[]): object {
    return { metadata: { resourceVersion: "1" }, items: items.map(metadata => ({ metadata })) };
  }
}
