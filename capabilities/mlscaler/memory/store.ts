import pMap from "p-map";
import * as z from "zod";
import { ApiError, mayPass } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { metadataSchema } from "../../kubernetes/metadata";
import { pause } from "../../kubernetes/pause";
import { CustomObject, Context } from "../../operator/reconciler";
import { listAll, listOfMetadata } from "../../kubernetes/watch";
import { collectionPath, CommonStatus, Names } from "../../definition/resource";
import { historyName, HistoryStore } from "./history-store";
import { ConfigMaps } from "./config-maps";
import { Memory, memoryOf, RememberedSpec } from "./memory";
import { Tail, tailsFrom, tailsText } from "../history/segments";
import { decodeState, encodeState, decodeFault, isDue, Kept, keptOf } from "./codec";

const prefix = "mlscaler-state-";

/** The name of the ConfigMap with the state of an MLScaler. */
export const stateName = (uid: string): string => `${prefix}${uid}`;

/** Failed syncs because of an unreadable store, before a sync continues without the stored state. */
const readAttempts = 3;

const sweepMilliseconds = 3_600_000;
/** The pause without the Lease, and after a failed sweep. */
const sweepRetryMilliseconds = 60_000;

const ownedSchema = z.object({ metadata: metadataSchema });
const stateSchema = z.object({ data: z.object({ state: z.string() }) });
/** The newest slots of coarse grids in the ConfigMap of a state. Missing or malformed data has none. */
export const tailsSchema = z.object({ data: z.object({ tails: z.string().default("[]") }).catch({ tails: "[]" }) });
/** The consequence of an unreadable state, as its Event names it. */
const unknownState = "the current count counts as recommended";

/** The part of the context that the store uses. */
type StoreContext = Pick<Context, "api" | "leading" | "term">;

interface Entry {
  term: number;
  namespace: string;
  name: string;
  memory: Memory;
  /** The last write; absent when nothing is stored or the content is unknown. */
  kept?: Kept;
}

type Scaler = Pick<CustomObject<RememberedSpec, CommonStatus>, "key" | "metadata" | "spec" | "record" | "now">;

/**
 * Keeps the memory of MLScalers across restarts, in one ConfigMap per MLScaler in the module's namespace. The ConfigMap
 * is named by uid and holds the state and the newest slots of the coarse grids. `HistoryStore` keeps older slots. The
 * finalizer removes the ConfigMaps, and a sweep removes those without an MLScaler.
 */
export class Store {
  readonly #entries = new Map<string, Entry>();
  readonly #unread = new Map<string, number>();
  readonly #configMaps: ConfigMaps;
  readonly #histories: HistoryStore;

  /** @param names of the resource whose objects have a memory */
  constructor(
    readonly context: StoreContext,
    readonly names: Names,
  ) {
    this.#configMaps = new ConfigMaps(context.api);
    this.#histories = new HistoryStore(this.#configMaps);
  }

  /** The keys of the MLScalers with a memory. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** The memory of an MLScaler; undefined before its first sync. */
  peek(key: string): Memory | undefined {
    return this.#entries.get(key)?.memory;
  }

  /**
   * The memory of an MLScaler. The first sync under each Lease term reads it from the store. The older slots of coarse
   * grids may follow at a later sync. Throws ApiError for a read failure that may pass, so that a short outage loses no
   * memory. After three such syncs, after any other failure and for unreadable content, the sync continues with a new
   * state: the current count counts as recommended, and the next write replaces the ConfigMap.
   */
  async memoryOf(scaler: Scaler): Promise<Memory> {
    const { key, metadata, spec, now } = scaler;
    const { uid, namespace, name } = metadata;
    const term = this.context.term();
    let entry = this.#entries.get(key);
    if (entry?.term !== term || entry.memory.uid !== uid) {
      const { stored, tails } = await this.#read(scaler);
      const before = stored && { uid, state: stored.state, session: { storedAt: stored.writtenAt } };
      const memory = memoryOf(before, key, uid, spec);
      for (const { of, from, loads } of tails) memory.grids.get(of)?.fill(from, loads, now.getTime());
      entry = { term, namespace, name, memory, kept: stored && keptOf(memory, stored.writtenAt) };
    }
    entry.memory = memoryOf(entry.memory, key, uid, spec);
    this.#entries.set(key, entry);
    await this.#histories.restore(scaler, entry.memory.grids);
    return entry.memory;
  }

  /**
   * Keeps a memory, and writes it when a write is due: at once after a scaling or a higher recommendation, one minute
   * after recommendations fall, and every five minutes otherwise. Writes the days of coarse grids once a day. The next
   * sync retries a failed write. Never throws.
   */
  async keep(key: string, memory: Memory, now: Date): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.memory = memory;
    const { namespace, name } = entry;
    const owner = { uid: memory.uid, namespace, name };
    await this.#histories.keep(owner, memory.grids, now.getTime(), () => this.#mayWrite(entry));
    if (isDue(memory, entry.kept, now.getTime())) await this.#write(entry, now.getTime());
  }

  /** Writes each memory that changed since its last write, before the process ends. Never throws. */
  async flush(now: Date): Promise<void> {
    const changed = [...this.#entries.values()].filter(
      ({ memory: { session }, kept }) => session.lastSync !== undefined && session.lastSync > (kept?.at ?? -Infinity),
    );
    await pMap(changed, entry => this.#write(entry, now.getTime()), { concurrency: 16 });
  }

  /** Removes the ConfigMaps of a deleted MLScaler. Never throws: the sweep removes leftovers. */
  async remove(uid: string): Promise<void> {
    await this.#configMaps.remove(`${prefix}${uid}`);
    try {
      for (const name of await this.#configMaps.list(uid)) await this.#configMaps.remove(name);
    } catch (error) {
      log.warn({ uid, ...errorFields(error) }, "the stored ConfigMaps could not be listed for removal");
    }
  }

  /** Forgets a deleted MLScaler. */
  forget(key: string): void {
    this.#entries.delete(key);
    this.#unread.delete(key);
  }

  /** Sweeps every hour while this process holds the Lease, until `signal`. Never throws. */
  async sweepUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let swept = false;
      try {
        if (this.context.leading()) {
          await this.sweep();
          swept = true;
        }
      } catch (error) {
        log.warn(errorFields(error), "the sweep of stored states failed");
      }
      await pause(swept ? sweepMilliseconds : sweepRetryMilliseconds, signal);
    }
  }

  /**
   * Removes the ConfigMaps of deleted MLScalers, and of loads that are no longer forecast. Marks grids without a
   * ConfigMap for the next write. Throws ApiError.
   */
  async sweep(): Promise<void> {
    const { api, leading } = this.context;
    const stored = await this.#configMaps.list();
    // Listed after the ConfigMaps, so that the list has every living MLScaler that owns one of them.
    const living = new Set<string>();
    const seen = (object: unknown): void => void living.add(ownedSchema.parse(object).metadata.uid);
    await listAll(api, collectionPath(this.names), seen, { accept: listOfMetadata });
    const histories = this.#forecastHistories();
    for (const name of stored)
      if (this.#isOrphan(name, living, histories) && leading()) await this.#configMaps.remove(name);
    const listed = new Set(stored);
    for (const { memory } of this.#entries.values()) this.#histories.reconsider(memory.uid, memory.grids, listed);
  }

  /** The names of the ConfigMaps of coarse grids, by uid, for the MLScalers that were synced in this Lease term. */
  #forecastHistories(): ReadonlyMap<string, string[]> {
    const synced = [...this.#entries.values()].filter(({ term }) => term === this.context.term());
    return new Map(
      synced.map(({ memory: { uid, grids } }) => [uid, [...grids.keys()].map(of => historyName(uid, of))]),
    );
  }

  #isOrphan(name: string, living: ReadonlySet<string>, histories: ReadonlyMap<string, string[]>): boolean {
    if (name.startsWith(prefix)) return !living.has(name.slice(prefix.length));
    const uid = this.#histories.ownerOf(name);
    if (uid === undefined) return false;
    // The forecast loads of an MLScaler are unknown before its first sync.
    return !living.has(uid) || histories.get(uid)?.includes(name) === false;
  }

  async #read(scaler: Scaler): Promise<{ stored?: ReturnType<typeof decodeState>; tails: Tail[] }> {
    const { key, metadata } = scaler;
    let found: unknown;
    try {
      found = await this.#configMaps.find(`${prefix}${metadata.uid}`);
      this.#unread.delete(key);
    } catch (error) {
      const failures = (this.#unread.get(key) ?? 0) + 1;
      this.#unread.set(key, failures);
      if (error instanceof ApiError && mayPass(error) && failures <= readAttempts) throw error;
      this.#unread.delete(key);
      await this.#unreadable(scaler, error, unknownState);
    }
    if (found === undefined) return { tails: [] };
    const parsed = async <Parsed>(parse: () => Parsed, consequence: string): Promise<Parsed | undefined> => {
      try {
        return parse();
      } catch (error) {
        await this.#unreadable(scaler, error, consequence);
        return undefined;
      }
    };
    const stored = await parsed(() => decodeState(stateSchema.parse(found).data.state), unknownState);
    const tails = await parsed(() => tailsFrom(tailsSchema.parse(found).data.tails), "the newest loads are gaps");
    return { stored, tails: tails ?? [] };
  }

  async #unreadable(scaler: Scaler, error: unknown, consequence: string): Promise<void> {
    const configMap = this.#configMaps.displayName(`${prefix}${scaler.metadata.uid}`);
    const message = `${configMap} cannot be read, it is written anew, and ${consequence}: ${decodeFault(error)}`;
    await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  async #write(entry: Entry, now: number): Promise<void> {
    if (!this.#mayWrite(entry)) return;
    const { namespace, name, memory } = entry;
    const { uid, grids } = memory;
    const kept = keptOf(memory, now);
    const tails = this.#histories.tailsOf(grids);
    const data = { state: encodeState(memory.state, now), ...(tails.length > 0 && { tails: tailsText(tails) }) };
    const written = await this.#configMaps.write(`${prefix}${uid}`, { uid, namespace, name }, { data });
    entry.kept = written ? kept : undefined;
  }

  #mayWrite({ term }: Entry): boolean {
    return this.context.leading() && term === this.context.term();
  }
}
