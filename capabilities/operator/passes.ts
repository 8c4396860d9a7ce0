import { collectionPath, crdOf } from "../definition/resource";
import { Api, isStatus } from "../kubernetes/api";
import { errorFields, log } from "../kubernetes/log";
import { Metadata, namespaceOf, objectSchema } from "../kubernetes/metadata";
import { Namespaces } from "../kubernetes/namespaces";
import { listAll } from "../kubernetes/watch";
import type { Kind } from "./reconciler";
import type { Scheduler } from "./scheduler";
import type { Shards } from "./shards";

/** The interval of regular passes, in ms. */
export const fullPassMilliseconds = 300_000;

const listAgainMilliseconds = 5_000;

/** What a sync depends on. A change of the status alone is no other version. */
export const versionOf = ({ uid, generation, deletionTimestamp }: Metadata): string =>
  `${uid} ${generation} ${deletionTimestamp ?? ""}`;

/** Full passes: lists of all objects of a kind, which find changes that watches lost, and wake the objects. */
export class Passes {
  readonly #delivered = new Set<Kind>();
  /** Kinds whose list is under way because their Pepr watch has delivered nothing. */
  readonly #listing = new Set<Kind>();
  readonly #failedLists = new Set<Kind>();
  #regular?: NodeJS.Timeout;
  #another?: NodeJS.Timeout;
  #isStopped = false;

  constructor(
    readonly api: Api,
    readonly namespaces: Namespaces,
    readonly shards: Shards,
    readonly scheduler: Scheduler,
    readonly kinds: readonly Kind[],
  ) {}

  /** Makes a pass after a number of milliseconds, and regularly from then on; `before` is called before each. */
  regularly(milliseconds: number, before: () => void): void {
    this.#regular = setTimeout(() => {
      this.regularly(fullPassMilliseconds, before);
      before();
      if (this.shards.held.length > 0) void this.pass("changed");
    }, milliseconds);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#regular);
    clearTimeout(this.#another);
  }

  onDelivered(kind: Kind): void {
    this.#delivered.add(kind);
  }

  /** Lists every kind, and wakes all objects of these shards, or only unknown, changed and removed ones. */
  async pass(which: "all" | "changed", kinds: readonly Kind[] = this.kinds, shards = this.shards.held): Promise<void> {
    const isIn = this.shards.isIn(shards);
    await Promise.all(kinds.map(kind => this.#passOver(kind, which, isIn)));
  }

  async #passOver(kind: Kind, which: "all" | "changed", isIn: (namespace: string) => boolean): Promise<void> {
    const hadFailed = this.#failedLists.delete(kind);
    const listed = new Map<string, string>();
    let complete = true;
    try {
      await listAll(this.api, collectionPath(kind.resource), object => {
        const { metadata } = objectSchema.parse(object);
        const { namespace, name } = metadata;
        if (!this.namespaces.acts(namespace) || !isIn(namespace)) return;
        kind.onListed(object);
        listed.set(`${namespace}/${name}`, versionOf(metadata));
      });
    } catch (error) {
      complete = false;
      log.warn({ kind: kind.kind, ...errorFields(error) }, "full pass: list failed");
      // List again soon, unless the kind does not exist. A regular pass must not end the retries of one that failed.
      if ((which === "all" || hadFailed) && !isStatus(error, 404)) this.#again(kind);
    }
    if (this.shards.held.length === 0) return;
    const tracked = kind.trackedKeys().filter(key => isIn(namespaceOf(key)));
    const gone = complete ? tracked.filter(key => !listed.has(key)) : [];
    const isKnown = (key: string): boolean => this.scheduler.knows(kind.kind, key, listed.get(key));
    const changed = [...listed.keys()].filter(key => !isKnown(key));
    const others = which === "all" ? [...listed.keys()].filter(isKnown) : [];
    // A list of many pages has the state of its first page, so a listed object may be gone. A sync reads it.
    const doubtful = which === "changed" ? [...gone, ...changed] : gone;
    doubtful.forEach(key => kind.doubt(key));
    const isOurs = (key: string): boolean => this.shards.holdsLease(namespaceOf(key));
    for (const key of changed.filter(isOurs)) this.scheduler.wake(kind.kind, key, kind, listed.get(key));
    // A wake without a version also ends the wait for a retry.
    for (const key of [...gone, ...others].filter(isOurs)) this.scheduler.wake(kind.kind, key, kind);
  }

  // Finds objects of a kind whose watch delivers none, or not what this process wrote: Pepr reads its stores and a list
  // before it watches, lists again after a watch, and waits five minutes for an answer that hangs.
  onUsed(crd: string): void {
    for (const kind of this.kinds) {
      const isWatched = this.#delivered.has(kind) && !kind.isWatchSilent();
      if (crdOf(kind.resource) !== crd || isWatched || this.#listing.has(kind)) continue;
      if (this.#isStopped || this.shards.held.length === 0) continue;
      this.#listing.add(kind);
      void this.pass("changed", [kind]).finally(() => this.#listing.delete(kind));
    }
  }

  #again(kind: Kind): void {
    this.#failedLists.add(kind);
    clearTimeout(this.#another);
    this.#another = setTimeout(
      () => this.shards.held.length > 0 && void this.pass("all", [...this.#failedLists]),
      listAgainMilliseconds,
    );
    this.#another.unref();
  }
}
