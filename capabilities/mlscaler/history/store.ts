import pMap from "p-map";
import * as z from "zod";
import { ApiError, mayPass } from "../../common/api";
import { errorFields, log } from "../../common/log";
import { metadataSchema } from "../../common/objects";
import { pause } from "../../common/pause";
import { Instance, Surroundings } from "../../common/reconciler";
import { collectionPath } from "../../common/resource";
import { listAll, listOfMetadata } from "../../common/watch";
import { mlscaler, Spec, Status } from "../schema";
import { CoarseStore, historyName } from "./coarse-store";
import { ConfigMaps } from "./config-maps";
import { Memory, memoryOf } from "./memory";
import { Tail, tailsFrom, tailsText } from "./segments";
import { faultOf, isDue, Kept, keptOf, memoryFrom, stateOf } from "./state";

const prefix = "mlscaler-state-";

/** The name of the ConfigMap of the state of an MLScaler. */
export const stateName = (uid: string): string => `${prefix}${uid}`;

/** How often a sync fails because the store cannot be read, before it goes on without. */
const readAttempts = 3;

const sweepMilliseconds = 3_600_000;
/** While another process acts, or a sweep failed, it is looked again after this. */
const sweepAgainMilliseconds = 60_000;

const ownedSchema = z.object({ metadata: metadataSchema });
const stateSchema = z.object({ data: z.object({ state: z.string() }) });
export const tailsSchema = z.object({ data: z.object({ tails: z.string().default("[]") }).catch({ tails: "[]" }) });
const unknownState = "the current count counts as recommended";

/** What the store needs of its surroundings. */
type Around = Pick<Surroundings, "api" | "leading" | "term">;

interface Entry {
  term: number;
  namespace: string;
  name: string;
  memory: Memory;
  /** What is known to be stored; absent when nothing is, or it is not known. */
  kept?: Kept;
}

type Scaler = Pick<Instance<Spec, Status>, "key" | "metadata" | "spec" | "record" | "now">;

/**
 * What is remembered of MLScalers, beyond the life of this process: a ConfigMap each in the module's own namespace,
 * named by uid, with the state and the newest slots of the coarse grids, whose older ones `CoarseStore` keeps. The
 * finalizer removes them, and a sweep what no MLScaler has any more.
 */
export class Store {
  readonly #entries = new Map<string, Entry>();
  readonly #unread = new Map<string, number>();
  readonly #configMaps: ConfigMaps;
  readonly #coarse: CoarseStore;

  constructor(readonly around: Around) {
    this.#configMaps = new ConfigMaps(around.api);
    this.#coarse = new CoarseStore(this.#configMaps);
  }

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
   * what is stored is written anew. The older slots of coarse grids may come at a later sync.
   */
  async memoryOf(scaler: Scaler): Promise<Memory> {
    const { key, metadata, spec, now } = scaler;
    const { uid, namespace, name } = metadata;
    const term = this.around.term();
    let entry = this.#entries.get(key);
    if (entry?.term !== term || entry.memory.uid !== uid) {
      const { stored, tails } = await this.#read(scaler);
      const memory = memoryOf(stored, key, uid, spec);
      for (const { of, from, loads } of tails) memory.coarse.get(of)?.fill(from, loads, now.getTime());
      entry = { term, namespace, name, memory, kept: stored && keptOf(stored, stored.storedAt) };
    }
    entry.memory = memoryOf(entry.memory, key, uid, spec);
    this.#entries.set(key, entry);
    await this.#coarse.restore(scaler, entry.memory.coarse);
    return entry.memory;
  }

  /**
   * Stores what is remembered, when it must: at once after a scaling and a higher recommendation, after a minute when
   * they went down, and every five minutes otherwise; the days of coarse grids once a day. Never throws: a write that failed
   * is tried again at the next sync.
   */
  async keep(key: string, now: Date): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    const { namespace, name, memory } = entry;
    const owner = { uid: memory.uid, namespace, name };
    await this.#coarse.keep(owner, memory.coarse, now.getTime(), () => this.#mayWrite(entry));
    if (isDue(memory, entry.kept, now.getTime())) await this.#write(entry, now.getTime());
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
    await this.#configMaps.remove(`${prefix}${uid}`);
    try {
      for (const name of await this.#configMaps.list(uid)) await this.#configMaps.remove(name);
    } catch (error) {
      log.warn({ uid, ...errorFields(error) }, "what is stored could not be listed, to be removed");
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

  /**
   * Removes what is stored of MLScalers that are no more, and of loads that are no longer forecast; and sees which
   * coarse grids are to be stored anew. Throws ApiError.
   */
  async sweep(): Promise<void> {
    const { api, leading } = this.around;
    const stored = await this.#configMaps.list();
    // Listed after the states, so that every one whose state was seen is among them, if it is still there.
    const living = new Set<string>();
    const seen = (object: unknown): void => void living.add(ownedSchema.parse(object).metadata.uid);
    await listAll(api, collectionPath(mlscaler), seen, { accept: listOfMetadata });
    const wanted = this.#wantedHistories();
    for (const name of stored)
      if (this.#isOrphan(name, living, wanted) && leading()) await this.#configMaps.remove(name);
    const listed = new Set(stored);
    for (const { memory } of this.#entries.values()) this.#coarse.reconsider(memory.uid, memory.coarse, listed);
  }

  /** The ConfigMaps of the coarse grids of every MLScaler that was synced by now, by uid. */
  #wantedHistories(): ReadonlyMap<string, string[]> {
    const synced = [...this.#entries.values()].filter(({ term }) => term === this.around.term());
    return new Map(
      synced.map(({ memory: { uid, coarse } }) => [uid, [...coarse.keys()].map(of => historyName(uid, of))]),
    );
  }

  #isOrphan(name: string, living: ReadonlySet<string>, wanted: ReadonlyMap<string, string[]>): boolean {
    if (name.startsWith(prefix)) return !living.has(name.slice(prefix.length));
    const uid = this.#coarse.ownerOf(name);
    if (uid === undefined) return false;
    // Of one that was not synced yet it is not known which loads it forecasts.
    return !living.has(uid) || wanted.get(uid)?.includes(name) === false;
  }

  async #read(scaler: Scaler): Promise<{ stored?: ReturnType<typeof memoryFrom>; tails: Tail[] }> {
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
    const stored = await parsed(() => memoryFrom(stateSchema.parse(found).data.state, metadata.uid), unknownState);
    const tails = await parsed(() => tailsFrom(tailsSchema.parse(found).data.tails), "the newest loads are gaps");
    return { stored, tails: tails ?? [] };
  }

  async #unreadable(scaler: Scaler, error: unknown, consequence: string): Promise<void> {
    const configMap = this.#configMaps.called(`${prefix}${scaler.metadata.uid}`);
    const message = `${configMap} cannot be read, it is written anew, and ${consequence}: ${faultOf(error)}`;
    await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  async #write(entry: Entry, now: number): Promise<void> {
    if (!this.#mayWrite(entry)) return;
    const { namespace, name, memory } = entry;
    const { uid, coarse } = memory;
    const kept = keptOf(memory, now);
    const tails = this.#coarse.tailsOf(coarse);
    const data = { state: stateOf(memory, now), ...(tails.length > 0 && { tails: tailsText(tails) }) };
    const written = await this.#configMaps.write(`${prefix}${uid}`, { uid, namespace, name }, { data });
    entry.kept = written ? kept : undefined;
  }

  #mayWrite({ term }: Entry): boolean {
    return this.around.leading() && term === this.around.term();
  }
}
