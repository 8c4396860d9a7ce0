import * as z from "zod";
import { collectionPath, crdOf } from "../definition/resource";
import { Api, isStatus, moduleNamespace } from "../kubernetes/api";
import { EventRecorder } from "../kubernetes/events";
import { Identity } from "./identity";
import { watchInstalled } from "./installed";
import { errorFields, log } from "../kubernetes/log";
import { Metadata, metadataSchema, namespaceOf, ObjectReference } from "../kubernetes/metadata";
import { moduleName } from "../kubernetes/names";
import { Namespaces, shardOf } from "../kubernetes/namespaces";
import { untilPhase } from "./phase";
import { Kind, Context, leaseLost } from "./reconciler";
import { Scheduler } from "./scheduler";
import { Shards } from "./shards";
import * as telemetry from "./telemetry";
import { Turns } from "./turns";
import { listAll } from "../kubernetes/watch";

const ownedSchema = z.object({ metadata: metadataSchema });

/** The interval of full passes by LIST, in ms. They find changes that watches lost. */
const fullPassMilliseconds = 300_000;

const listAgainMilliseconds = 5_000;

/**
 * Grace periods after SIGTERM, in ms: for running syncs, for `flush`, and for the Lease. Kubernetes gives Pepr's pods 5
 * s.
 */
const syncGraceMilliseconds = 3_000;
const flushGraceMilliseconds = 500;
const leaseGraceMilliseconds = 1_000;

/**
 * The delay of a wake by a child, in ms. Children often change together; one sync handles all changes within this time.
 */
const soonMilliseconds = 100;

/** The pause in which several shards may come or go, in ms. One pass then handles all. */
const moveMilliseconds = 100;

const grace = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Runs the controllers for the life of the process: leader election, CRD checks, full passes and an orderly shutdown.
 * The scheduler decides when each object is synced.
 */
export class Operator {
  readonly scheduler: Scheduler;
  readonly context: Context;
  readonly #shards: Shards;
  readonly #kinds: Kind[] = [];
  readonly #missingCrds = new Set<string>();
  /** Kinds whose Pepr watch has delivered an object. */
  readonly #delivered = new Set<Kind>();
  /** Kinds whose list is under way because their Pepr watch has delivered nothing. */
  readonly #listing = new Set<Kind>();
  /** Kinds that the last pass could not list. */
  readonly #failedLists = new Set<Kind>();
  readonly #running = new AbortController();
  #regularPass?: NodeJS.Timeout;
  #anotherPass?: NodeJS.Timeout;
  /** Shards whose objects were not all listed yet. Their part of the scheduler is closed. */
  readonly #unlistedShards = new Set<number>();
  #moving?: NodeJS.Timeout;

  /**
   * @param leaseApi connections for the Lease alone, so that a burst of other requests cannot delay it
   * @param total the number of shards that all namespaces are divided into
   * @param identity who this process is; the time of its regular lists follows from it
   */
  constructor(
    readonly api: Api,
    leaseApi: Api,
    readonly namespaces: Namespaces,
    total: number,
    readonly identity: Identity,
  ) {
    telemetry.shards.set(total);
    this.scheduler = new Scheduler({
      partOf: namespace => shardOf(namespace, total),
      processes: () => this.#shards.watchers,
      failed: (kind, key, error) => this.#failed(kind, key, error),
      started: (kind, lagSeconds) => telemetry.syncLag.observe({ kind }, lagSeconds),
      ended: (kind, durationSeconds, { next }) => telemetry.syncDuration.observe({ kind, next }, durationSeconds),
    });
    const events = new EventRecorder(api, moduleName, this.identity.process, (error, object, event) =>
      // Events are forbidden in a namespace that is being deleted; the sync continues.
      log.warn({ ...object, event: event.reason, ...errorFields(error) }, "could not write Event"),
    );
    this.#shards = new Shards(leaseApi, moduleNamespace(), moduleName, this.identity, total, {
      gained: shard => this.#gain(shard),
      lost: shard => this.#lose(shard),
      ending: shard => this.#end(this.scheduler.close(shard), this.#isIn([shard])),
      failed: error => log.warn(errorFields(error), "could not renew Lease"),
    });
    this.context = {
      ...{ api, events, namespaces, turns: new Turns() },
      holdsAnyLease: () => this.#shards.held.length > 0,
      holdsLease: namespace => this.#shards.holdsLease(namespace),
      term: namespace => this.#shards.term(namespace),
      starting: () => this.scheduler.starting,
      scalable: () => this.#kinds.map(({ resource }) => resource).filter(({ scale }) => scale),
      wake: (name, key, when = "now") => this.#wake(name, key, when),
    };
  }

  start(kinds: Kind[]): void {
    this.#kinds.push(...kinds);
    const { signal } = this.#running;
    const crds = kinds.map(({ resource }) => crdOf(resource));
    void watchInstalled(
      this.api,
      crds,
      {
        looked: missing => telemetry.crdsMissing.set(missing),
        missing: (crd, message) => void this.#missing(crd, message),
        installed: crd => this.#installed(crd),
        used: crd => this.#used(crd),
      },
      signal,
    );
    for (const kind of kinds) kind.start(signal);
    this.#shards.run();
    if (this.#shards.total > 1) this.#move();
    // The regular lists of watchers that start together do not coincide.
    this.#passFrom(untilPhase(this.identity.process, fullPassMilliseconds / 1000, Date.now()));
  }

  /** Handles a created or changed object. Wakes it if its spec changed or it is being deleted. */
  changed(kind: Kind, object: unknown): void {
    const { metadata } = ownedSchema.parse(object);
    const { namespace, name } = metadata;
    this.#delivered.add(kind);
    if (!this.namespaces.part.includes(namespace)) return;
    kind.onWatched(object);
    if (!this.#shards.holdsLease(namespace)) return;
    this.scheduler.wake(kind.kind, `${namespace}/${name}`, kind, versionOf(metadata));
  }

  /**
   * Stops starting syncs, waits for the running ones, flushes, and releases the Lease, each within its grace period.
   */
  async stop(): Promise<void> {
    this.#running.abort();
    clearTimeout(this.#regularPass);
    clearTimeout(this.#anotherPass);
    clearTimeout(this.#moving);
    await this.#end(this.scheduler.closeAll(), () => true);
    await Promise.race([this.#shards.release(), grace(leaseGraceMilliseconds)]);
  }

  #failed(kind: string, key: string, error: unknown): void {
    const fields = errorFields(error);
    telemetry.syncErrors.inc({ kind, reason: telemetry.reasonLabel(fields.reason) });
    const [namespace = "", name] = key.split("/");
    // The loss of a Lease ends many syncs, and has a line of its own.
    const level = fields.reason === leaseLost && !this.#shards.holdsLease(namespace) ? "debug" : "error";
    log[level]({ kind, namespace, name, ...fields }, "sync failed");
  }

  #wake(name: string, key: string, when: "now" | "soon"): void {
    const kind = this.#kinds.find(candidate => candidate.kind === name);
    if (!kind || !this.#shards.holdsLease(namespaceOf(key))) return;
    if (when === "soon") this.scheduler.wakeSoon(name, key, kind, soonMilliseconds);
    else this.scheduler.wake(name, key, kind);
  }

  #gain(shard: number): void {
    log.info({ identity: this.identity, ...this.#named(shard) }, "acquired Lease, starting syncs");
    this.#unlistedShards.add(shard);
    this.#move();
  }

  #lose(shard: number): void {
    log.warn({ identity: this.identity, ...this.#named(shard) }, "lost Lease, stopping syncs");
    this.#unlistedShards.delete(shard);
    this.#move();
    void this.scheduler.close(shard).then(() => {
      if (this.#shards.holds(shard)) return;
      // The new holder of the Lease has the series of objects.
      if (this.#shards.held.length === 0) telemetry.objectRegistry.resetMetrics();
      else for (const kind of this.#kinds) kind.onLeaseLost(this.#isIn([shard]));
    });
  }

  /** Drops the state of shards in which another process acts. One with a single shard stays a hot spare. */
  #evictOthers(): void {
    const { elsewhere, total } = this.#shards;
    if (total > 1) for (const kind of this.#kinds) kind.evict(this.#isIn(elsewhere));
  }

  #isIn(shards: number[]): (namespace: string) => boolean {
    return namespace => shards.includes(shardOf(namespace, this.#shards.total));
  }

  /**
   * Waits for the running syncs of namespaces, and stores their state, before another process acts there. The state
   * has what the syncs leave of their grace period.
   */
  async #end(closed: Promise<void>, isIn: (namespace: string) => boolean): Promise<void> {
    const until = performance.now() + syncGraceMilliseconds + flushGraceMilliseconds;
    await Promise.race([closed, grace(syncGraceMilliseconds)]);
    const flushed = Promise.all(this.#kinds.map(kind => kind.flush(isIn)));
    await Promise.race([flushed, grace(until - performance.now())]);
  }

  /** The shard in a log line; nothing if there is only one. */
  #named(shard: number): { shard?: string } {
    const { total } = this.#shards;
    return total === 1 ? {} : { shard: `${shard} of ${total}` };
  }

  /** Follows the objects of the shards that are held now, and lists all objects of new ones before it opens them. */
  #move(): void {
    telemetry.leader.set(this.#shards.held.length > 0 ? 1 : 0);
    telemetry.shardsHeld.set(this.#shards.held.length);
    if (this.#shards.total === 1) return void this.#openShards();
    clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      this.namespaces.follow(new Set(this.#shards.held), this.#shards.total);
      void this.#openShards();
    }, moveMilliseconds);
  }

  async #openShards(): Promise<void> {
    if (this.#unlistedShards.size === 0) return;
    const unlisted = [...this.#unlistedShards];
    await this.#fullPass("all", this.#kinds, unlisted);
    for (const shard of unlisted)
      if (this.#unlistedShards.delete(shard) && this.#shards.holds(shard)) this.scheduler.open(shard);
  }

  /** Lists every kind, and wakes all objects of these shards, or only unknown, changed and removed ones. */
  async #fullPass(
    which: "all" | "changed",
    kinds: readonly Kind[] = this.#kinds,
    shards = this.#shards.held,
  ): Promise<void> {
    const isIn = this.#isIn(shards);
    for (const kind of kinds) {
      const hadFailed = this.#failedLists.delete(kind);
      /** The versions of the listed objects, by key. */
      const listed = new Map<string, string>();
      let complete = true;
      try {
        await listAll(this.api, collectionPath(kind.resource), object => {
          const { metadata } = ownedSchema.parse(object);
          const { namespace, name } = metadata;
          if (!this.namespaces.acts(namespace) || !isIn(namespace)) return;
          kind.onListed(object);
          listed.set(`${namespace}/${name}`, versionOf(metadata));
        });
      } catch (error) {
        complete = false;
        log.warn({ kind: kind.kind, ...errorFields(error) }, "full pass: list failed");
        // List again soon, unless the kind does not exist. A regular pass must not end the retries of one that failed.
        if ((which === "all" || hadFailed) && !isStatus(error, 404)) this.#passAgain(kind);
      }
      if (this.#shards.held.length === 0) return;
      const tracked = kind.trackedKeys().filter(key => isIn(namespaceOf(key)));
      const gone = complete ? tracked.filter(key => !listed.has(key)) : [];
      const isKnown = (key: string): boolean => this.scheduler.knows(kind.kind, key, listed.get(key));
      const changed = [...listed.keys()].filter(key => !isKnown(key));
      const others = which === "all" ? [...listed.keys()].filter(isKnown) : [];
      // A list of many pages has the state of its first page, so a listed object may be gone. A sync reads it.
      const doubtful = which === "changed" ? [...gone, ...changed] : gone;
      doubtful.forEach(key => kind.dropFromCache(key));
      const isOurs = (key: string): boolean => this.#shards.holdsLease(namespaceOf(key));
      for (const key of changed.filter(isOurs)) this.scheduler.wake(kind.kind, key, kind, listed.get(key));
      // A wake without a version also ends the wait for a retry.
      for (const key of [...gone, ...others].filter(isOurs)) this.scheduler.wake(kind.kind, key, kind);
    }
  }

  /** Makes a full pass after a number of milliseconds, and regularly from then on. */
  #passFrom(milliseconds: number): void {
    this.#regularPass = setTimeout(() => {
      this.#passFrom(fullPassMilliseconds);
      this.#evictOthers();
      if (this.#shards.held.length > 0) void this.#fullPass("changed");
    }, milliseconds);
  }

  /**
   * Finds new and changed objects of a kind that has some and whose watch has delivered none, or not what this process
   * wrote. Pepr opens a watch after it has read its stores and listed the kind, lists again when the watch has ended,
   * and waits five minutes for an answer that hangs.
   */
  #used(crd: string): void {
    for (const kind of this.#kinds) {
      const isWatched = this.#delivered.has(kind) && !kind.isWatchSilent();
      if (crdOf(kind.resource) !== crd || isWatched || this.#listing.has(kind)) continue;
      if (this.#running.signal.aborted || this.#shards.held.length === 0) continue;
      this.#listing.add(kind);
      void this.#fullPass("changed", [kind]).finally(() => this.#listing.delete(kind));
    }
  }

  #passAgain(kind: Kind): void {
    this.#failedLists.add(kind);
    clearTimeout(this.#anotherPass);
    this.#anotherPass = setTimeout(
      () => this.#shards.held.length > 0 && void this.#fullPass("all", [...this.#failedLists]),
      listAgainMilliseconds,
    );
    this.#anotherPass.unref();
  }

  #installed(crd: string): void {
    log.info({ crd }, "CRD is installed");
    // At the start the first pass of the leader lists all kinds.
    if (this.#missingCrds.delete(crd) && this.#shards.held.length > 0)
      void this.#fullPass(
        "all",
        this.#kinds.filter(kind => crdOf(kind.resource) === crd),
      );
  }

  async #missing(crd: string, message: string): Promise<void> {
    this.#missingCrds.add(crd);
    log.error({ crd, reason: "CRDMissing" }, message);
    const self = await this.#ownDeployment();
    const event = { type: "Warning", reason: "CRDMissing", message, action: "Start" } as const;
    if (self) await this.context.events.record(self, event, new Date());
  }

  async #ownDeployment(): Promise<ObjectReference | undefined> {
    const namespace = moduleNamespace();
    const name = process.env.MLSCALER_DEPLOYMENT ?? "pepr-mlscaler-watcher";
    try {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
      const { metadata } = ownedSchema.parse(await this.api.get(path));
      return { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid: metadata.uid };
    } catch (error) {
      log.warn({ namespace, name, ...errorFields(error) }, "could not read the module's own Deployment");
      return undefined;
    }
  }
}

/** What a sync depends on. A change of the status alone is no other version. */
const versionOf = ({ uid, generation, deletionTimestamp }: Metadata): string =>
  `${uid} ${generation} ${deletionTimestamp ?? ""}`;
