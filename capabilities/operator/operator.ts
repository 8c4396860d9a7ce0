import * as z from "zod";
import { Api, isStatus, moduleNamespace } from "../kubernetes/api";
import { EventRecorder } from "../kubernetes/events";
import { processIdentity } from "./identity";
import { watchInstalled } from "./installed";
import { Lease } from "../kubernetes/lease";
import { errorFields, log } from "../kubernetes/log";
import { metadataSchema, ObjectReference } from "../kubernetes/metadata";
import { actsIn } from "../kubernetes/namespaces";
import { Kind, Context } from "./reconciler";
import { Scheduler } from "./scheduler";
import * as telemetry from "./telemetry";
import { listAll } from "../kubernetes/watch";

const component = "mlscaler";

const ownedSchema = z.object({ metadata: metadataSchema });

/** The interval of full passes by LIST, in ms. They find changes that watches lost. */
const fullPassMilliseconds = 300_000;

/** The pause after a failed list, in ms. */
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

/**
 * Runs the controllers for the life of the process: leader election, CRD checks, full passes and an orderly shutdown.
 * The scheduler decides when each object is synced.
 */
export class Operator {
  readonly scheduler: Scheduler;
  /** What all controllers share. */
  readonly context: Context;
  readonly #identity = processIdentity();
  readonly #lease: Lease;
  readonly #kinds: Kind[] = [];
  /** CRDs that the last check found missing. */
  readonly #missingCrds = new Set<string>();
  /** Kinds that the last pass could not list. */
  readonly #unlisted = new Set<Kind>();
  readonly #running = new AbortController();
  #anotherPass?: NodeJS.Timeout;

  /** @param leaseApi connections for the Lease alone, so that a burst of other requests cannot delay it */
  constructor(
    readonly api: Api,
    leaseApi = api,
  ) {
    this.scheduler = scheduler();
    const events = new EventRecorder(api, component, this.#identity.process, (error, object, event) =>
      // Events are forbidden in a namespace that is being deleted; the sync continues.
      log.warn({ ...object, event: event.reason, ...errorFields(error) }, "could not write Event"),
    );
    this.#lease = new Lease(
      leaseApi,
      moduleNamespace(),
      component,
      this.#identity,
      leading => (leading ? this.#lead() : this.#standBack()),
      error => log.warn(errorFields(error), "could not renew Lease"),
    );
    this.context = {
      api,
      events,
      leading: () => this.#lease.held,
      term: () => this.#lease.term,
      wake: (name, key, when = "now") => this.#wake(name, key, when),
    };
  }

  /** Starts to reconcile `kinds`. */
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

  /** Handles a created or changed object. Wakes it if its spec changed or it is being deleted. */
  changed(kind: Kind, object: unknown): void {
    const { uid, namespace, name, generation, deletionTimestamp } = ownedSchema.parse(object).metadata;
    if (!actsIn(namespace)) return;
    kind.seen(object);
    if (!this.#lease.held) return;
    const version = `${uid} ${generation} ${deletionTimestamp ?? ""}`;
    this.scheduler.wake(kind.kind, `${namespace}/${name}`, kind, version);
  }

  /**
   * Stops starting syncs, waits for the running ones, flushes, and releases the Lease, each within its grace period.
   */
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
    log.info({ identity: this.#identity }, "acquired Lease, starting syncs");
    telemetry.leader.set(1);
    void this.#fullPass("all");
  }

  #standBack(): void {
    log.warn({ identity: this.#identity }, "lost Lease, stopping syncs");
    telemetry.leader.set(0);
    void this.scheduler.close().then(() => {
      // The new holder of the Lease has the series of objects.
      if (!this.#lease.held) telemetry.objectRegistry.resetMetrics();
    });
  }

  /**
   * Lists every kind, and wakes all objects, or only unknown and removed ones. The first pass of a leader opens the
   * scheduler: all objects have been seen before any is synced.
   */
  async #fullPass(which: "all" | "known", kinds: readonly Kind[] = this.#kinds): Promise<void> {
    for (const kind of kinds) {
      this.#unlisted.delete(kind);
      const listed = new Set<string>();
      let complete = true;
      try {
        await listAll(this.api, kind.path, object => {
          const { namespace, name } = ownedSchema.parse(object).metadata;
          if (!actsIn(namespace)) return;
          kind.seen(object);
          listed.add(`${namespace}/${name}`);
        });
      } catch (error) {
        complete = false;
        log.warn({ kind: kind.kind, ...errorFields(error) }, "full pass: list failed");
        // List again soon, unless the kind does not exist.
        if (which === "all" && !isStatus(error, 404)) this.#passAgain(kind);
      }
      if (!this.#lease.held) return;
      const gone = complete ? kind.known().filter(key => !listed.has(key)) : [];
      const due = [...listed].filter(key => which === "all" || !this.scheduler.knows(kind.kind, key));
      // A list of many pages has the state of its first page, so a listed object may be gone. A sync reads it.
      const doubtful = which === "known" ? [...gone, ...due] : gone;
      doubtful.forEach(key => kind.invalidate(key));
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
    // At the start the first pass of the leader lists all kinds.
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

/** Creates the scheduler of an operator, with metrics and logs. */
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
