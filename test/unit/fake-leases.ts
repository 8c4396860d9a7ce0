import { expect } from "vitest";
import { Call, conflict, notFound } from "./fake-api";

export interface StoredLease {
  metadata: { name: string; resourceVersion: string; annotations?: Record<string, string> };
  spec: { holderIdentity?: string; leaseTransitions?: number; renewTime?: string; leaseDurationSeconds?: number };
}

const collection = "/apis/coordination.k8s.io/v1/namespaces/pepr-system/leases";

/** The Leases of the module's namespace, with optimistic locking. */
export class FakeLeases {
  readonly stored = new Map<string, StoredLease>();
  #writes = 0;

  serve({ method, path, body }: Pick<Call, "method" | "path" | "body">): unknown {
    expect(path.startsWith(collection)).toBe(true);
    const written = structuredClone(body) as StoredLease | undefined;
    const name = written?.metadata.name ?? path.slice(collection.length + 1);
    expect(path).toBe(method === "POST" ? collection : `${collection}/${name}`);
    const found = this.stored.get(name);
    if (!written) {
      if (!found) throw notFound();
      return structuredClone(found);
    }
    const version = found?.metadata.resourceVersion;
    if (method === "POST" ? found : version !== written.metadata.resourceVersion) throw conflict();
    written.metadata.resourceVersion = String(++this.#writes);
    this.stored.set(name, written);
    return structuredClone(written);
  }
}
