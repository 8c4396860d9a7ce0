import pMap from "p-map";
import { ApiError } from "../../kubernetes/api";
import { leaseDurationSeconds } from "../../kubernetes/lease";
import { errorFields, log } from "../../kubernetes/log";
import { CustomObject, Context, leaseLost } from "../../operator/custom-object";
import { CommonStatus, Names } from "../../definition/resource";
import { historyName, HistoryStore, unreadText } from "./history-store";
import { ConfigMaps, Listed, Owner } from "./config-maps";
import { Memory, memoryOf, RememberedSpec, retimed, targetText, withAdopted, withStored } from "./memory";
import { replayDeadlineSeconds } from "../forecast/forecast";
import { Tail } from "../history/segments";
import { longestWindow } from "../scaling/rule/behavior";
import { decodeContent, encodeContent, isDue, Kept, keptOf } from "./codec";
import { Sweep, unownedMilliseconds } from "./sweep";

/** The name of the ConfigMap with the state of an MLScaler. */
export const stateName = (uid: string): string => `mlscaler-state-${uid}`;

const namesOf = (uid: string, { grids }: Pick<Memory, "grids">): string[] => [
  stateName(uid),
  ...[...grids.keys()].map(of => historyName(uid, of)),
];

/** The shortest jump of the clock in ms after which the times of decisions are moved. */
const jumpMilliseconds = 2000;

/** A process that holds the Lease for longer than this after it saw a newer term has the newest one. In ms. */
const fencedMilliseconds = leaseDurationSeconds * 1000;

interface MemoryEntry {
  term: number;
  owner: Owner;
  memory: Memory;
  /** The last write; absent when nothing is stored or the content is unknown. */
  kept?: Kept;
  /** What is known of the stored state: no write replaces one that is unknown, or that another process changed. */
  stored: "unknown" | "changed" | "read";
  /** Since when a stored state of a newer term is there, by the monotonic clock in ms. */
  fencedSince?: number;
  /** Since when something stored cannot be read, by the monotonic clock in ms. */
  unreadSince?: number;
  /** Whether a forecast of the MLScaler was trusted before this process read its state. */
  wasTrusted: boolean;
  adopted?: string;
  /** The grids that the spec no longer asks for, until they are stored. */
  left: Memory["grids"];
  /** The time of day minus the monotonic clock, in ms. It changes when the clock jumps. */
  clockOffset: number;
}

type Scaler = Pick<
  CustomObject<RememberedSpec, CommonStatus & { forecast?: { trusted?: boolean } }>,
  "key" | "metadata" | "spec" | "status" | "record" | "now" | "turn"
>;

/**
 * Keeps the memory of MLScalers across restarts: the state and the newest slots of the coarse grids in one ConfigMap,
 * older slots by `HistoryStore`. They are kept for a day after a deletion, for an MLScaler with the same namespace, name
 * and target. Nothing is written over what was not read, or what no sync has used yet: each write names the version that
 * it replaces, and a state has the Lease term of its writer.
 */
export class Store {
  readonly #entries = new Map<string, MemoryEntry>();
  readonly #configMaps: ConfigMaps;
  readonly #histories: HistoryStore;
  readonly sweep: Sweep;

  constructor(
    readonly context: Pick<Context, "api" | "holdsAnyLease" | "holdsLease" | "term">,
    names: Names,
  ) {
    this.#configMaps = new ConfigMaps(context.api);
    this.#histories = new HistoryStore(this.#configMaps);
    this.sweep = new Sweep(context, names, this.#configMaps, {
      expected: () => this.#expectedNames(),
      // A grid without a ConfigMap is written again.
      swept: listed =>
        this.#entries.forEach(({ memory }) => this.#histories.reconsider(memory.uid, memory.grids, listed)),
    });
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** The memory of an MLScaler; undefined before its first sync. */
  peek(key: string): Memory | undefined {
    return this.#entries.get(key)?.memory;
  }

  /**
   * The memory of an MLScaler. The first sync under each Lease term reads it. While it cannot be read, it is new and
   * has `unread`. Throws ApiError when a process with a newer term has written.
   */
  async memoryOf(scaler: Scaler): Promise<Memory> {
    const { key, metadata, spec } = scaler;
    const entry = this.#entryOf(scaler);
    // The monotonic clock has fractions, which no stored time may have.
    const jumped = Math.round(this.#clockOffset() - entry.clockOffset);
    if (Math.abs(jumped) > jumpMilliseconds) {
      entry.memory = retimed(entry.memory, jumped);
      entry.clockOffset += jumped;
    }
    const known = new Map([...entry.left, ...entry.memory.grids]);
    entry.memory = memoryOf({ ...entry.memory, grids: known }, key, metadata.uid, spec);
    const { grids } = entry.memory;
    entry.left = new Map([...known].filter(([of]) => !grids.has(of)));
    const stateFault = entry.stored === "read" ? undefined : await this.#restore(scaler, entry);
    const { owner, memory, adopted } = entry;
    const message = stateFault ?? (await this.#histories.restore(scaler, owner, memory.grids, adopted));
    if (message === undefined) entry.unreadSince = undefined;
    else entry.unreadSince ??= performance.now();
    const since = performance.now() - (entry.unreadSince ?? 0);
    // What is stored can ask for more as long as a window lasts, or as a forecast that was trusted is not there.
    const window = stateFault === undefined ? 0 : longestWindow(spec.behavior);
    const holds = since < Math.max(window, entry.wasTrusted ? 1000 * replayDeadlineSeconds : 0);
    entry.memory = { ...memory, unread: message === undefined ? undefined : { message, holds } };
    return entry.memory;
  }

  #entryOf({ key, metadata, spec, status }: Scaler): MemoryEntry {
    const { uid, namespace, name } = metadata;
    const term = this.context.term(namespace);
    const known = this.#entries.get(key);
    if (known?.term === term && known.owner.uid === uid) return known;
    const entry: MemoryEntry = {
      term,
      owner: { uid, namespace, name, target: targetText(spec) },
      memory: memoryOf(undefined, key, uid, spec),
      stored: "unknown",
      left: new Map(),
      wasTrusted: status.forecast?.trusted ?? false,
      clockOffset: this.#clockOffset(),
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #clockOffset(): number {
    return this.context.api.clock.time - performance.now();
  }

  /** Keeps a memory, and writes it when that is due; the next sync retries a failed write. Never throws. */
  async keep(key: string, memory: Memory, now: Date): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.memory = memory;
    await this.#histories.keep(entry.owner, memory.grids, now.getTime(), () => this.#mayWrite(entry));
    entry.left = await this.#histories.keepAll(entry.owner, entry.left, now.getTime(), () => this.#mayWrite(entry));
    if (isDue(memory, entry.kept, now.getTime())) await this.#write(entry, now.getTime());
  }

  /** Writes each memory in these namespaces that changed since its last write. Never throws. */
  async flush(now: Date, isIn: (namespace: string) => boolean = () => true): Promise<void> {
    const changed = [...this.#entries.values()].filter(
      ({ owner, memory: { session }, kept }) =>
        isIn(owner.namespace) && session.lastSync !== undefined && session.lastSync > (kept?.at ?? -Infinity),
    );
    await pMap(changed, entry => this.#write(entry, now.getTime()), { concurrency: 16 });
  }

  /** Keeps what is stored of a deleted MLScaler for a day, for one in its place. Never throws. */
  async release(key: string, uid: string, now: Date): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry?.memory.uid === uid) await this.#write(entry, now.getTime());
    try {
      for (const { name, namespace, unownedSince } of await this.#configMaps.ofUid(uid))
        if (Number.isNaN(unownedSince) && this.context.holdsLease(namespace))
          await this.#configMaps.markUnowned(name, now);
    } catch (error) {
      log.warn({ uid, ...errorFields(error) }, "the stored ConfigMaps of a deleted MLScaler could not be listed");
    }
  }

  evict(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (!entry) return;
    for (const name of namesOf(entry.owner.uid, entry.memory)) this.#configMaps.dropFromCache(name);
  }

  #expectedNames(): ReadonlyMap<string, ReadonlySet<string>> {
    const synced = [...this.#entries.values()].filter(entry => entry.term === this.context.term(entry.owner.namespace));
    return new Map(synced.map(({ memory }) => [memory.uid, new Set(namesOf(memory.uid, memory))]));
  }

  /** Adds what is stored to the memory of an entry. Returns why it could not be read, for people. */
  async #restore(scaler: Scaler, entry: MemoryEntry): Promise<string | undefined> {
    const name = stateName(entry.owner.uid);
    try {
      const found = await this.#configMaps.find(name);
      if (found === undefined) await this.#adopt(scaler, entry);
      else await this.#add(scaler, entry, name, found);
      entry.stored = "read";
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.reason === leaseLost) throw error;
      // A memory that was read before is whole. Only its writes wait.
      return entry.stored === "changed" ? undefined : unreadText(this.#configMaps.displayName(name), error);
    }
  }

  async #add(scaler: Scaler, entry: MemoryEntry, name: string, found: unknown): Promise<void> {
    const { stored, tails, fault } = decodeContent(found);
    if (stored) mustBeNewest(entry, stored.term);
    if (entry.stored === "changed" && stored?.term === entry.term) {
      // A write of this process, whose answer was lost: the memory has it all, and is written again.
      entry.kept = undefined;
      return;
    }
    if (fault !== undefined) {
      const copy = await this.#configMaps.copy(name, entry.owner, found, scaler.now);
      const consequence = stored ? "The newest loads are gaps" : "The current count counts as recommended";
      const message =
        `${this.#configMaps.displayName(name)} cannot be decoded: ${fault}. ${consequence}. ` +
        `A copy is kept for a day as ${this.#configMaps.displayName(copy)}`;
      await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
    }
    const begun = entry.memory.session.lastSync !== undefined;
    if (stored) entry.memory = withStored(entry.memory, stored.state, stored.writtenAt);
    entry.kept = stored && !begun ? keptOf(entry.memory, stored.writtenAt) : undefined;
    fillTails(entry.memory, tails, scaler.now);
  }

  /** Adds the loads of the newest earlier MLScaler with the same namespace, name and target. Throws ApiError. */
  async #adopt({ now }: Scaler, entry: MemoryEntry): Promise<void> {
    const age = ({ unownedSince }: Listed): number => (Number.isNaN(unownedSince) ? 0 : now.getTime() - unownedSince);
    const [newest] = (await this.#configMaps.ofHeir(entry.owner))
      .filter(one => one.name === stateName(one.uid) && one.uid !== entry.owner.uid && age(one) <= unownedMilliseconds)
      .sort((one, other) => age(one) - age(other));
    const found = newest && (await this.#configMaps.find(newest.name));
    if (found === undefined) return;
    const { stored, tails } = decodeContent(found);
    if (stored) entry.memory = withAdopted(entry.memory, stored.state);
    fillTails(entry.memory, tails, now);
    entry.adopted = newest?.uid;
  }

  async #write(entry: MemoryEntry, now: number): Promise<void> {
    const { memory, owner, adopted } = entry;
    // The days of an earlier MLScaler are found by its state, so all are read before this one has a state.
    const isAdopting = adopted !== undefined && !this.#histories.areRead(memory.grids);
    // What is stored holds the count until a sync has used it. A write before that would lose the hold.
    const isHolding = memory.session.stored !== undefined;
    if (entry.stored !== "read" || isAdopting || isHolding || !this.#mayWrite(entry)) return;
    const kept = keptOf(memory, now);
    const data = encodeContent(memory.state, this.#histories.tailsOf(memory.grids), now, entry.term);
    const written = await this.#configMaps.write(stateName(owner.uid), owner, { data }, () => this.#mayWrite(entry));
    entry.kept = written === "written" ? kept : undefined;
    if (written === "conflict") entry.stored = "changed";
    if (written !== "written" || adopted === undefined) return;
    // Days that are not in a ConfigMap of their own yet are in the state.
    for (const name of namesOf(adopted, memory)) if (this.#mayWrite(entry)) await this.#configMaps.remove(name);
    entry.adopted = undefined;
  }

  #mayWrite({ term, owner: { namespace } }: MemoryEntry): boolean {
    return this.context.holdsLease(namespace) && term === this.context.term(namespace);
  }
}

/** Throws ApiError when a stored state is of a newer Lease term, unless this process still holds the Lease later. */
function mustBeNewest(entry: MemoryEntry, storedTerm: number): void {
  const now = performance.now();
  entry.fencedSince ??= now;
  if (storedTerm <= entry.term || now - entry.fencedSince > fencedMilliseconds) {
    entry.fencedSince = undefined;
    return;
  }
  const message = `the stored state is of Lease term ${storedTerm}, this process has term ${entry.term}`;
  throw new ApiError(0, leaseLost, message);
}

function fillTails({ grids }: Memory, tails: Tail[], now: Date): void {
  for (const { of, from, loads } of tails) grids.get(of)?.fill(from, loads, now.getTime());
}
