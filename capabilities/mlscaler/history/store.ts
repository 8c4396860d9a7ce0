import pMap from "p-map";
import { Counter } from "prom-client";
import { z } from "zod";
import { ApiError, isStatus, mayPass, moduleNamespace } from "../../common/api";
import { errorFields, log } from "../../common/log";
import { metadataSchema } from "../../common/objects";
import { pause } from "../../common/pause";
import { Instance, Surroundings } from "../../common/reconciler";
import { collectionPath } from "../../common/resource";
import { registry } from "../../common/telemetry";
import { listAll, listOfMetadata, metadataOnly } from "../../common/watch";
import { mlscaler, Spec, Status } from "../schema";
import { Memory, memoryOf } from "./memory";
import { isDue, Kept, keptOf, memoryFrom, stateOf } from "./state";

const component = "mlscaler";
const uidLabel = "mlscaler.example.com/uid";
const prefix = "mlscaler-state-";

/** How often a sync fails because the store cannot be read, before it goes on without. */
const readAttempts = 3;

/** A write that takes longer is given up, so that the next sync need not wait for it. */
const writeSeconds = 4;

const sweepMilliseconds = 3_600_000;
/** While another process acts, or a sweep failed, it is looked again after this. */
const sweepAgainMilliseconds = 60_000;

const ownedSchema = z.object({ metadata: metadataSchema });
const configMapSchema = z.object({ data: z.object({ state: z.string() }) });

const writeFailures = new Counter({
  name: "mlscaler_state_write_failures_total",
  help: "Writes of what is remembered of an MLScaler that failed, by the API server's reason",
  labelNames: ["reason"],
  registers: [registry],
});

/** What the store needs of its surroundings. */
type Around = Pick<Surroundings, "api" | "leading" | "term">;

interface Entry {
  term: number;
  namespace: string;
  name: string;
  memory: Memory;
  /** What is known to be stored; absent when nothing is, or it is not known. */
  kept?: Kept;
  /** Why the last write failed, if it did. */
  failing?: string;
}

type Scaler = Pick<Instance<Spec, Status>, "key" | "metadata" | "spec" | "record">;

/**
 * What is remembered of MLScalers, beyond the life of this process: a ConfigMap each in the module's own namespace,
 * named by uid. It has no owner reference, which across namespaces would have it deleted; the finalizer removes it, and
 * a sweep what no MLScaler has any more.
 */
export class Store {
  readonly #entries = new Map<string, Entry>();
  readonly #unread = new Map<string, number>();
  readonly #namespace = moduleNamespace();
  readonly #path = `/api/v1/namespaces/${this.#namespace}/configmaps`;

  constructor(readonly around: Around) {}

  /** The MLScalers of which anything is remembered, by key. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** What is remembered of an MLScaler without reading it. */
  peek(key: string): Memory | undefined {
    return this.#entries.get(key)?.memory;
  }

  /**
   * What is remembered of an MLScaler: read at its first sync since this process took the Lease. Throws ApiError while
   * a read fails that may pass, lest the memory be lost for a moment's trouble; after three such syncs, as after any
   * other failure and for what cannot be read, it goes on without: then the current count counts as recommended, and
   * what is stored is written anew.
   */
  async memoryOf(scaler: Scaler): Promise<Memory> {
    const { key, metadata, spec } = scaler;
    const { uid, namespace, name } = metadata;
    const term = this.around.term();
    let entry = this.#entries.get(key);
    if (entry?.term !== term || entry.memory.uid !== uid) {
      const stored = await this.#read(scaler);
      const memory = memoryOf(stored, key, uid, spec);
      entry = { term, namespace, name, memory, kept: stored && keptOf(stored, stored.storedAt) };
    }
    entry.memory = memoryOf(entry.memory, key, uid, spec);
    this.#entries.set(key, entry);
    return entry.memory;
  }

  /**
   * Stores what is remembered, when it must: at once after a scaling and a higher recommendation, after a minute when
   * they went down, and every five minutes otherwise. Never throws: a write that failed is tried again at the next sync.
   */
  async keep(key: string, now: Date): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry && isDue(entry.memory, entry.kept, now.getTime())) await this.#write(entry, now.getTime());
  }

  /** Stores all that changed since it was stored, for a process that ends. Never throws. */
  async flush(now: Date): Promise<void> {
    const changed = [...this.#entries.values()].filter(
      ({ memory, kept }) => memory.lastSync !== undefined && memory.lastSync > (kept?.at ?? -Infinity),
    );
    await pMap(changed, entry => this.#write(entry, now.getTime()), { concurrency: 16 });
  }

  /** Removes what is stored of an MLScaler that is being deleted. Never throws: what it leaves is swept. */
  async remove(uid: string): Promise<void> {
    try {
      await this.around.api.delete(`${this.#path}/${prefix}${uid}`);
    } catch (error) {
      if (!isStatus(error, 404)) log.warn({ uid, ...errorFields(error) }, "the state could not be removed");
    }
  }

  /** Forgets an MLScaler that is gone. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#unread.delete(key);
  }

  /** Sweeps every hour while this process acts, until `signal`. Never throws. */
  async sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let swept = false;
      try {
        if (this.around.leading()) {
          await this.sweep();
          swept = true;
        }
      } catch (error) {
        log.warn(errorFields(error), "states that no MLScaler has could not be swept");
      }
      await pause(swept ? sweepMilliseconds : sweepAgainMilliseconds, signal);
    }
  }

  /** Removes what is stored of MLScalers that are no more. Throws ApiError. */
  async sweep(): Promise<void> {
    const { api, leading } = this.around;
    const stored: string[] = [];
    const labelSelector = `app.kubernetes.io/managed-by=${component},${uidLabel}`;
    const states = { accept: listOfMetadata, labelSelector };
    await listAll(api, this.#path, object => stored.push(ownedSchema.parse(object).metadata.name), states);
    // Listed after the states, so that every one whose state was seen is among them, if it is still there.
    const living = new Set<string>();
    const seen = (object: unknown): void => void living.add(`${prefix}${ownedSchema.parse(object).metadata.uid}`);
    await listAll(api, collectionPath(mlscaler), seen, { accept: listOfMetadata });
    for (const name of stored) {
      if (name.startsWith(prefix) && !living.has(name) && leading()) await this.remove(name.slice(prefix.length));
    }
  }

  async #read(scaler: Scaler): Promise<ReturnType<typeof memoryFrom> | undefined> {
    const { key, metadata } = scaler;
    const name = `${prefix}${metadata.uid}`;
    try {
      const found = await this.around.api.find(`${this.#path}/${name}`);
      this.#unread.delete(key);
      return found === undefined ? undefined : memoryFrom(configMapSchema.parse(found).data.state, metadata.uid);
    } catch (error) {
      const failures = (this.#unread.get(key) ?? 0) + 1;
      this.#unread.set(key, failures);
      if (error instanceof ApiError && mayPass(error) && failures <= readAttempts) throw error;
      this.#unread.delete(key);
      const message = `ConfigMap ${this.#namespace}/${name} cannot be read, it is written anew, and the current count counts as recommended: ${faultOf(error)}`;
      await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
      return undefined;
    }
  }

  async #write(entry: Entry, now: number): Promise<void> {
    const { api, leading, term } = this.around;
    if (!leading() || entry.term !== term()) return;
    const kept = keptOf(entry.memory, now);
    const path = `${this.#path}/${prefix}${entry.memory.uid}`;
    const body = this.#configMap(entry, stateOf(entry.memory, now));
    const request = { accept: metadataOnly, timeoutSeconds: writeSeconds };
    try {
      await api.replace(path, body, request).catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error;
        return api.create(this.#path, body, request);
      });
      Object.assign(entry, { kept, failing: undefined });
    } catch (error) {
      const { reason, error: message } = errorFields(error);
      writeFailures.inc({ reason });
      const { namespace, name, memory, failing } = entry;
      if (failing !== reason)
        log.warn({ namespace, name, uid: memory.uid, reason, error: message }, "the state could not be stored");
      Object.assign(entry, { kept: undefined, failing: reason });
    }
  }

  #configMap({ memory, namespace, name }: Entry, state: string): object {
    const metadata = {
      name: `${prefix}${memory.uid}`,
      namespace: this.#namespace,
      labels: { "app.kubernetes.io/managed-by": component, [uidLabel]: memory.uid },
      annotations: { "mlscaler.example.com/namespace": namespace, "mlscaler.example.com/name": name },
    };
    return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { state } };
  }
}

/** What is wrong with what was read: the first fault and its field. */
function faultOf(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : errorFields(error).error;
}
