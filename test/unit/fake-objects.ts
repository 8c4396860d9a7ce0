import { Call, FakeApi, notFound } from "./fake-api";

export interface StoredObject {
  metadata: { uid: string; finalizers?: string[]; deletionTimestamp?: string; [field: string]: unknown };
  spec?: Record<string, unknown>;
  status?: object;
}

/** An API server with objects by their path, as far as the controller of a kind with children goes. */
export class FakeObjects {
  readonly stored = new Map<string, StoredObject>();
  readonly api = new FakeApi(call => this.instead(call) ?? this.#serve(call));
  /** Answers instead where it has something to say. */
  instead: (call: Call) => unknown = () => undefined;

  /** @param assigned what the API server adds to the spec of an object that it creates, by path */
  constructor(readonly assigned: Record<string, object> = {}) {}

  #serve({ method, path, body }: Call): unknown {
    if (path.endsWith("/events")) return {};
    const at = path.replace(/\/status$/, "");
    if (method === "PATCH" && at === path && !Array.isArray(body)) this.#apply(path, body as StoredObject);
    const found = this.stored.get(at);
    if (!found) throw notFound(path);
    if (at !== path) found.status = (body as StoredObject).status;
    if (Array.isArray(body)) this.#finalize(path, found, body as { op: string; value?: string[] }[]);
    const answer = structuredClone(found);
    if (method === "DELETE" && found.metadata.finalizers?.length)
      found.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    else if (method === "DELETE") this.stored.delete(path);
    return answer;
  }

  /** A server-side apply, whose fields nobody else has. */
  #apply(path: string, { metadata, spec, ...rest }: StoredObject): void {
    const { metadata: before, ...kept } = this.stored.get(path) ?? { spec: this.assigned[path] };
    this.stored.set(path, {
      ...{ ...kept, ...rest, spec: { ...kept.spec, ...spec } },
      metadata: { generation: 1, ...before, ...metadata, uid: before?.uid ?? `uid-${path}` },
    });
  }

  #finalize(path: string, { metadata }: StoredObject, operations: { op: string; value?: string[] }[]): void {
    const isRemoved = operations.some(({ op }) => op === "remove");
    metadata.finalizers = isRemoved ? [] : operations.at(-1)?.value;
    if (isRemoved && metadata.deletionTimestamp) this.stored.delete(path);
  }
}
