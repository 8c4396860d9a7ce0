import * as z from "zod";
import { jsonIn } from "../kubernetes/json";
import { leaseDurationSeconds, renewDeadlineSeconds, retrySeconds } from "../kubernetes/lease";
import { Monotonic } from "../kubernetes/time";
import { Identity } from "./identity";

/** The annotation of a Lease that watchers hold together: JSON of the last time at which each renewed it. */
const annotation = "mlscaler.example.com/watchers";

/** A watcher that joined more recently may not yet take a lapsed Lease: it has to see it for 15 s itself. */
const newcomerSeconds = leaseDurationSeconds + retrySeconds;
/** Watchers that join so soon after the start of this one see each Lease for as long as it does: no newcomers. */
const togetherSeconds = 5;

const entriesSchema = z.record(z.string(), z.string()).catch({});

/** The watchers that share a Lease, by its annotation. Times of other clocks are compared with each other only. */
export class Watchers {
  readonly #others = new Map<string, { entry: string; since: Monotonic; joined: Monotonic }>();
  readonly #startedAt: Monotonic = performance.now();
  #isHere = true;

  constructor(readonly identity: Identity) {}

  get count(): number {
    return this.#present().length + 1;
  }

  /**
   * How many of `total` shards this watcher should hold. The shares of all watchers are `total` in sum. Without newcomers
   * they are more: one that joined later than this one may not take a lapsed Lease before it has seen it for 15 s itself.
   */
  shareOf(total: number, counted: "all" | "without newcomers" = "all"): number {
    const settled = Math.max(performance.now() - newcomerSeconds * 1000, this.#startedAt + togetherSeconds * 1000);
    const until = counted === "all" ? Infinity : settled;
    const present = this.#present().filter(([watcher]) => (this.#others.get(watcher)?.joined ?? Infinity) <= until);
    const count = present.length + 1;
    const rank = present.filter(([other]) => other < this.identity.process).length;
    return Math.floor(total / count) + (rank < total % count ? 1 : 0);
  }

  withdraw(): void {
    this.#isHere = false;
  }

  /** Reads the entries of all watchers. Returns the annotations with the entry of this one renewed. */
  renew(before: Record<string, string>): Record<string, string> {
    this.#read(entriesSchema.parse(jsonIn(before[annotation] ?? "")));
    const entries = Object.fromEntries(this.#present());
    if (this.#isHere) entries[this.identity.process] = new Date().toISOString();
    return { ...before, [annotation]: JSON.stringify(entries) };
  }

  #read(entries: Record<string, string>): void {
    for (const watcher of this.#others.keys()) if (entries[watcher] === undefined) this.#others.delete(watcher);
    const { process, pod } = this.identity;
    for (const [watcher, entry] of Object.entries(entries)) {
      // An earlier process of this pod has ended.
      if (watcher === process || (pod !== undefined && watcher.startsWith(pod))) continue;
      const before = this.#others.get(watcher);
      const now = performance.now();
      if (before?.entry !== entry) this.#others.set(watcher, { entry, since: now, joined: before?.joined ?? now });
    }
  }

  /** The other watchers that may act, with their entries. A lost one has left its share before its Leases expire. */
  #present(): [watcher: string, entry: string][] {
    const gone = performance.now() - renewDeadlineSeconds * 1000;
    return [...this.#others].flatMap(([watcher, { entry, since }]) => (since > gone ? [[watcher, entry]] : []));
  }
}
