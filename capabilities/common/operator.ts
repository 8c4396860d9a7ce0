import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import * as z from "zod";
import { Api, isStatus, moduleNamespace } from "./api";
import { EventRecorder } from "./events";
import { watchInstalled } from "./installed";
import { Lease } from "./lease";
import { errorFields, log } from "./log";
import { metadataSchema, ObjectReference } from "./objects";
import { Kind, Surroundings } from "./reconciler";
import { Scheduler } from "./scheduler";
import * as telemetry from "./telemetry";
import { listAll } from "./watch";

const component = "mlscaler";

const ownedSchema = z.object({ metadata: metadataSchema });

/** A full pass by LIST this often, for what watches lost. */
const fullPassMilliseconds = 300_000;

/** When a list failed, it is tried again after this. */
const listAgainMilliseconds = 5_000;

/** How long SIGTERM waits for syncs under way, and then for the Lease; Pepr's pods get 5 s from Kubernetes. */
const syncGraceMilliseconds = 3_000;
const flushGraceMilliseconds = 500;
const leaseGraceMilliseconds = 1_000;

/** A child that changes seldom does so alone; what follows within this time is seen by the same sync. */
const soonMilliseconds = 100;

/**
 * Reconciles some kinds of objects for as long as the process lives: election, CRD checks, full passes, and an orderly
 * end. Which object is due when is the scheduler's.
 */
export class Operator {
  readonly scheduler: Scheduler;
  /** What the kinds share. */
  readonly surroundings: Surroundings;
  readonly #identity = `${process.env.HOSTNAME ?? hostname()}_${randomUUID().slice(0, 8)}`;
  readonly #lease: Lease;
  readonly #kinds: Kind[] = [];
  /** CRDs that were missing when they were looked for last. */
  readonly #missingCrds = new Set<string>();
  /** Kinds that the last pass could not list. */
  readonly #unlisted = new Set<Kind>();
  readonly #running = new AbortController();
  #anotherPass?: NodeJS.Timeout;

  /** @param leaseApi connections of the Lease's own: a burst of other requests must not hold it up */
  constructor(
    readonly api: Api,
    leaseApi = api,
  ) {
    this.scheduler = scheduler();
    const events = new EventRecorder(api, component, this.#identity, (error, object, event) =>
      // In a namespace being deleted Events are forbidden; that must not stop anything.
      log.warn({ ...object, event: event.reason, ...errorFields(error) }, "an Event could not be written"),
    );
    this.#lease = new Lease(
      leaseApi,
      moduleNamespace(),
      component,
      this.#identity,
      leading => (leading ? this.#lead() : this.#standBack()),
      error => log.warn(errorFields(error), "the Lease could not be renewed"),
    );
    this.surroundings = {
      api,
      events,
      leading: () => this.#lease.held,
      term: () => this.#lease.term,
      wake: (name, key, when = "now") => this.#wake(name, key, when),
    };
  }

  /** Begins to reconcile `kinds`. */
  start(kinds: Kind[]): void {
    this.#kinds.push(...kinds);
    const { signal } = this.#running;
    const crds = kinds.map(({ crd }) => crd);
    void watchInstalled(
      this.api,
      crds,
      {
        looked: missing => telemetry.crdsMissing.set(missing),
        missing: (crd, message) => void this.#missing(crd, message),
        installed: crd => this.#installed(crd),
      },
      signal,
    );
    for (const kind of kinds) kind.start(signal);
    this.#lease.run();
    const pass = setInterval(() => void this.#fullPass("known"), fullPassMilliseconds);
    signal.addEventListener("abort", () => clearInterval(pass), { once: true });
  }

  /** An object was created or changed: it is synced now if its spec changed or it is being deleted. */
  changed(kind: Kind, object: unknown): void {
    kind.seen(object);
    if (!this.#lease.held) return;
    const { uid, namespace, name, generation, deletionTimestamp } = ownedSchema.parse(object).metadata;
    const version = `${uid} ${generation} ${deletionTimestamp ?? ""}`;
    this.scheduler.wake(kind.kind, `${namespace}/${name}`, kind, version);
  }

  /** Takes no new work, lets the syncs under way end, and releases the Lease; each within its grace. */
  async stop(): Promise<void> {
    this.#running.abort();
    clearTimeout(this.#anotherPass);
    const grace = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));
    await Promise.race([this.scheduler.close(), grace(syncGraceMilliseconds)]);
    await Promise.race([Promise.all(this.#kinds.map(async kind => kind.flush?.())), grace(flushGraceMilliseconds)]);
    await Promise.race([this.#lease.release(), grace(leaseGraceMilliseconds)]);
  }

  #wake(name: string, key: string, when: "now" | "soon"): void {
    const kind = this.#kinds.find(candidate => candidate.kind === name);
    if (!kind || !this.#lease.held) return;
    if (when === "soon") this.scheduler.wakeSoon(name, key, kind, soonMilliseconds);
    else this.scheduler.wake(name, key, kind);
  }

  #lead(): void {
    log.info({ identity: this.#identity }, "holds the Lease, acts");
    telemetry.leader.set(1);
    void this.#fullPass("all");
  }

  #standBack(): void {
    log.warn({ identity: this.#identity }, "lost the Lease, stands back");
    telemetry.leader.set(0);
    void this.scheduler.close().then(() => {
      // Who acts now has them.
      if (!this.#lease.held) telemetry.objectRegistry.resetMetrics();
    });
  }

  /**
   * Lists every kind and wakes all objects, or only those that are not known yet, and those that are no more. The first
   * pass of a leader opens the scheduler: nothing is synced before all objects have been seen.
   */
  async #fullPass(which: "all" | "known", kinds: readonly Kind[] = this.#kinds): Promise<void> {
    for (const kind of kinds) {
      this.#unlisted.delete(kind);
      const listed = new Set<string>();
      let complete = true;
      try {
        await listAll(this.api, kind.path, object => {
          const { namespace, name } = ownedSchema.parse(object).metadata;
          kind.seen(object);
          listed.add(`${namespace}/${name}`);
        });
      } catch (error) {
        complete = false;
        log.warn({ kind: kind.kind, ...errorFields(error) }, "the full pass could not list");
        // What was not listed is listed again soon, unless there is nothing to list it from.
        if (which === "all" && !isStatus(error, 404)) this.#passAgain(kind);
      }
      if (!this.#lease.held) return;
      const gone = complete ? kind.known().filter(key => !listed.has(key)) : [];
      const due = [...listed].filter(key => which === "all" || !this.scheduler.knows(kind.kind, key));
      // A list of many pages is of the time of its first: what is in it may be gone. A sync reads it.
      const doubtful = which === "known" ? [...gone, ...due] : gone;
      doubtful.forEach(key => kind.missed(key));
      for (const key of [...gone, ...due]) this.scheduler.wake(kind.kind, key, kind);
    }
    if (kinds === this.#kinds) this.scheduler.open();
  }

  #passAgain(kind: Kind): void {
    this.#unlisted.add(kind);
    clearTimeout(this.#anotherPass);
    this.#anotherPass = setTimeout(
      () => this.#lease.held && void this.#fullPass("all", [...this.#unlisted]),
      listAgainMilliseconds,
    );
    this.#anotherPass.unref();
  }

  #installed(crd: string): void {
    log.info({ crd }, "CRD is installed");
    // At the start the leader's own pass takes in all there is.
    if (this.#missingCrds.delete(crd) && this.#lease.held)
      void this.#fullPass(
        "all",
        this.#kinds.filter(kind => kind.crd === crd),
      );
  }

  async #missing(crd: string, message: string): Promise<void> {
    this.#missingCrds.add(crd);
    log.error({ crd, reason: "CRDMissing" }, message);
    const self = await this.#ownDeployment();
    const event = { type: "Warning", reason: "CRDMissing", message, action: "Start" } as const;
    if (self) await this.surroundings.events.record(self, event, new Date());
  }

  async #ownDeployment(): Promise<ObjectReference | undefined> {
    const namespace = moduleNamespace();
    const name = "pepr-mlscaler-watcher";
    try {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
      const { metadata } = ownedSchema.parse(await this.api.get(path));
      return { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid: metadata.uid };
    } catch (error) {
      log.warn({ namespace, name, ...errorFields(error) }, "the module's own Deployment could not be read");
      return undefined;
    }
  }
}

/** The scheduler of an operator, telling of its work in metrics and log. */
function scheduler(): Scheduler {
  const self: Scheduler = new Scheduler({
    failed: (kind, key, error) => {
      const fields = errorFields(error);
      telemetry.syncErrors.inc({ kind, reason: telemetry.reasonLabel(fields.reason) });
      const [namespace, name] = key.split("/");
      log.error({ kind, namespace, name, ...fields }, "sync failed");
    },
    started: (kind, lagSeconds) => telemetry.syncLag.observe({ kind }, lagSeconds),
    ended: (kind, durationSeconds, outcome) =>
      telemetry.syncDuration.observe({ kind, next: outcome.next }, durationSeconds),
  });
  telemetry.scheduledBy(() => self.size);
  return self;
}

/** The operator of this process. */
export const operator = new Operator(new Api(), new Api());
