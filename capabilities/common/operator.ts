import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { z } from "zod";
import { Api, isStatus, moduleNamespace } from "./api";
import { EventRecorder } from "./events";
import { watchInstalled } from "./installed";
import { Lease } from "./lease";
import { errorFields, log } from "./log";
import { metadataSchema, ObjectReference } from "./objects";
import { Scheduler, Work } from "./scheduler";
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
const leaseGraceMilliseconds = 1_000;

/** A kind of object that this module reconciles. */
export interface Controller extends Work {
  kind: string;
  /** "mlscalers.example.com/v1": plural.group/version. */
  crd: string;
  /** The path of all its objects in the API: "/apis/example.com/v1/mlscalers". */
  path: string;
  /** Told of every object, before any of them is synced. */
  seen?(object: unknown): void;
  /** The objects that it remembers anything of. */
  known?(): string[];
  /** Starts its own watches, until `signal`. */
  start?(signal: AbortSignal): void;
}

export const api = new Api();

const identity = `${process.env.HOSTNAME ?? hostname()}_${randomUUID().slice(0, 8)}`;

export const events = new EventRecorder(api, component, identity, (error, object, event) =>
  // In a namespace being deleted Events are forbidden; that must not stop anything.
  log.warn({ ...object, event: event.reason, ...errorFields(error) }, "an Event could not be written"),
);

export const scheduler = new Scheduler({
  failed: (kind, key, error) => {
    const fields = errorFields(error);
    telemetry.syncErrors.inc({ kind, reason: fields.reason });
    log.error({ kind, key, ...fields }, "sync failed");
    return { next: "retry", atMostSeconds: 30 };
  },
  started: (kind, lagSeconds) => {
    telemetry.syncLag.observe({ kind }, lagSeconds);
    telemetry.queueDepth.set(scheduler.size.queued);
    telemetry.objects.set(scheduler.size.objects);
  },
  ended: (kind, durationSeconds, outcome) =>
    telemetry.syncDuration.observe({ kind, next: outcome.next }, durationSeconds),
});

const lease = new Lease(
  api,
  moduleNamespace(),
  component,
  identity,
  leading => (leading ? lead() : standBack()),
  error => log.warn(errorFields(error), "the Lease could not be renewed"),
);

/** Whether this process holds the Lease, and so may write. */
export const leading = (): boolean => lease.held;

let anotherPass: NodeJS.Timeout | undefined;

const running = new AbortController();
const controllers: Controller[] = [];

/** Runs `reconciled` for as long as the process lives: election, CRD checks, full passes, and an end on SIGTERM. */
export function run(reconciled: Controller[]): void {
  controllers.push(...reconciled);
  telemetry.exposeMetrics();
  // Pepr's own handler exits at once, before the Lease is released.
  process.removeAllListeners("SIGTERM");
  process.once("SIGTERM", () => void shutDown());
  process.on("unhandledRejection", error => {
    log.fatal(errorFields(error), "unhandled rejection");
    process.exit(1);
  });
  const crds = controllers.map(controller => controller.crd);
  void watchInstalled(
    api,
    crds,
    { looked: missing => telemetry.crdsMissing.set(missing), missing, installed },
    running.signal,
  );
  for (const controller of controllers) controller.start?.(running.signal);
  lease.run();
  const pass = setInterval(() => void fullPass("known"), fullPassMilliseconds);
  running.signal.addEventListener("abort", () => clearInterval(pass), { once: true });
}

/** An object was created or changed: it is synced now if its spec changed or it is being deleted. */
export function changed(controller: Controller, object: unknown): void {
  controller.seen?.(object);
  if (!leading()) return;
  const { uid, namespace, name, generation, deletionTimestamp } = ownedSchema.parse(object).metadata;
  const version = `${uid} ${generation} ${deletionTimestamp ?? ""}`;
  scheduler.wake(controller.kind, `${namespace}/${name}`, controller, version);
}

function lead(): void {
  log.info({ identity }, "holds the Lease, acts");
  telemetry.leader.set(1);
  void fullPass("all");
}

function standBack(): void {
  log.warn({ identity }, "lost the Lease, stands back");
  telemetry.leader.set(0);
  void scheduler.close();
}

/**
 * Lists every kind and wakes all objects, or only those that are not known yet, and those that are no more. The first
 * pass of a leader opens the scheduler: nothing is synced before all objects have been seen.
 */
async function fullPass(which: "all" | "known"): Promise<void> {
  clearTimeout(anotherPass);
  for (const controller of controllers) {
    const listed = new Set<string>();
    let complete = true;
    try {
      await listAll(api, controller.path, object => {
        const { namespace, name } = ownedSchema.parse(object).metadata;
        controller.seen?.(object);
        listed.add(`${namespace}/${name}`);
      });
    } catch (error) {
      complete = false;
      log.warn({ kind: controller.kind, ...errorFields(error) }, "the full pass could not list");
      // What was not listed is listed again soon, unless there is nothing to list it from.
      if (which === "all" && !isStatus(error, 404)) {
        clearTimeout(anotherPass);
        anotherPass = setTimeout(() => leading() && void fullPass("all"), listAgainMilliseconds);
        anotherPass.unref();
      }
    }
    if (!leading()) return;
    const gone = complete ? (controller.known?.() ?? []).filter(key => !listed.has(key)) : [];
    const due = [...listed].filter(key => which === "all" || !scheduler.knows(controller.kind, key));
    for (const key of [...gone, ...due]) scheduler.wake(controller.kind, key, controller);
  }
  scheduler.open();
}

function installed(crd: string): void {
  log.info({ crd }, "CRD is installed");
  if (leading()) void fullPass("all");
}

function missing(crd: string, message: string): void {
  log.error({ crd, reason: "CRDMissing" }, message);
  void (async () => {
    const self = await ownDeployment();
    if (self)
      await events.record(self, { type: "Warning", reason: "CRDMissing", message, action: "Start" }, new Date());
  })();
}

async function ownDeployment(): Promise<ObjectReference | undefined> {
  const namespace = moduleNamespace();
  const name = "pepr-mlscaler-watcher";
  try {
    const { metadata } = ownedSchema.parse(await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`));
    return { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid: metadata.uid };
  } catch (error) {
    log.warn({ namespace, name, ...errorFields(error) }, "the module's own Deployment could not be read");
    return undefined;
  }
}

async function shutDown(): Promise<void> {
  log.info("SIGTERM: takes no new work");
  running.abort();
  const grace = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds));
  await Promise.race([scheduler.close(), grace(syncGraceMilliseconds)]);
  await Promise.race([lease.release(), grace(leaseGraceMilliseconds)]);
  log.info("shutdown completed");
  process.exit(0);
}
