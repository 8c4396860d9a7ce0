import { crdOf } from "../definition/resource";
import { Api, moduleNamespace } from "../kubernetes/api";
import { EventRecorder } from "../kubernetes/events";
import { Identity } from "./identity";
import { watchInstalled } from "./installed";
import { errorFields, log } from "../kubernetes/log";
import { namespaceOf, objectSchema, ObjectReference } from "../kubernetes/metadata";
import { moduleName } from "../kubernetes/names";
import { Namespaces, shardOf } from "../kubernetes/namespaces";
import { fullPassMilliseconds, Passes, versionOf } from "./passes";
import { untilPhase } from "./phase";
import { Context, leaseLost } from "./custom-object";
import { Kind } from "./reconciler";
import { Scheduler } from "./scheduler";
import { Shards } from "./shards";
import * as telemetry from "./telemetry";
import { Turns } from "./turns";

// Grace periods after SIGTERM, in ms: for syncs, `flush` and the Lease. Kubernetes gives Pepr's pods 5 s.
const syncGraceMilliseconds = 3_000;
const flushGraceMilliseconds = 500;
const leaseGraceMilliseconds = 1_000;

// The delay of a wake by a child, in ms, within which other children often change, too.
const soonMilliseconds = 100;

/** The pause in which several shards may come or go, in ms. One pass then handles all. */
const moveMilliseconds = 100;

const grace = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Runs the controllers of the process: leader election, CRD checks, full passes, and an orderly shutdown. */
export class Operator {
  readonly scheduler: Scheduler;
  readonly context: Context;
  readonly #shards: Shards;
  readonly #kinds: Kind[] = [];
  readonly #missingCrds = new Set<string>();
  readonly #passes: Passes;
  readonly #running = new AbortController();
  /** Shards whose objects were not all listed yet. Their part of the scheduler is closed. */
  readonly #unlistedShards = new Set<number>();
  #moving?: NodeJS.Timeout;

  /** @param leaseApi connections for the Lease alone, so that a burst of other requests cannot delay it */
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
      ending: shard => this.#end(this.scheduler.close(shard), this.#shards.isIn([shard])),
      failed: error => log.warn(errorFields(error), "could not renew Lease"),
    });
    this.#passes = new Passes(api, namespaces, this.#shards, this.scheduler, this.#kinds);
    this.context = {
      ...{ api, events, namespaces, turns: new Turns() },
      holdsAnyLease: () => this.#shards.held.length > 0,
      holdsLease: namespace => this.#shards.holdsLease(namespace),
      term: namespace => this.#shards.term(namespace),
      starting: () => this.#unlistedShards.size > 0 || this.scheduler.starting,
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
        used: crd => this.#passes.onUsed(crd),
      },
      signal,
    );
    for (const kind of kinds) kind.start(signal);
    this.#shards.run();
    if (this.#shards.total > 1) this.#move();
    // The regular lists of watchers that start together do not coincide.
    const first = untilPhase(this.identity.process, fullPassMilliseconds / 1000, Date.now());
    this.#passes.regularly(first, () => this.#evictOthers());
  }

  /** Handles a created or changed object. Wakes it if its spec changed or it is being deleted. */
  changed(kind: Kind, object: unknown): void {
    const { metadata } = objectSchema.parse(object);
    const { namespace, name } = metadata;
    this.#passes.onDelivered(kind);
    if (!this.namespaces.part.includes(namespace)) return;
    kind.onWatched(object);
    if (!this.#shards.holdsLease(namespace)) return;
    this.scheduler.wake(kind.kind, `${namespace}/${name}`, kind, versionOf(metadata));
  }

  /** Stops starting syncs, waits for the running ones, flushes and releases the Lease, each within its grace period. */
  async stop(): Promise<void> {
    this.#running.abort();
    this.#passes.stop();
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
      else for (const kind of this.#kinds) kind.onLeaseLost(this.#shards.isIn([shard]));
    });
  }

  /** Drops the state of shards in which another process acts. One with a single shard stays a hot spare. */
  #evictOthers(): void {
    const { elsewhere, total } = this.#shards;
    if (total > 1) for (const kind of this.#kinds) kind.evict(this.#shards.isIn(elsewhere));
  }

  // Before another process acts there. The flush has what syncs leave of their grace period.
  async #end(closed: Promise<void>, isIn: (namespace: string) => boolean): Promise<void> {
    const until = performance.now() + syncGraceMilliseconds + flushGraceMilliseconds;
    await Promise.race([closed, grace(syncGraceMilliseconds)]);
    const flushed = Promise.all(this.#kinds.map(kind => kind.flush(isIn)));
    await Promise.race([flushed, grace(until - performance.now())]);
  }

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
    await this.#passes.pass("all", this.#kinds, unlisted);
    for (const shard of unlisted)
      if (this.#unlistedShards.delete(shard) && this.#shards.holds(shard)) this.scheduler.open(shard);
  }

  #installed(crd: string): void {
    log.info({ crd }, "CRD is installed");
    // At the start the first pass of the leader lists all kinds.
    if (this.#missingCrds.delete(crd) && this.#shards.held.length > 0)
      void this.#passes.pass(
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
      const { metadata } = objectSchema.parse(await this.api.get(path));
      return { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid: metadata.uid };
    } catch (error) {
      log.warn({ namespace, name, ...errorFields(error) }, "could not read the module's own Deployment");
      return undefined;
    }
  }
}
