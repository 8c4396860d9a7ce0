import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { Api, ApiError, isStatus, mayPass } from "./api";
import { applyStatus } from "./apply";
import { Finding, withTransitions } from "./conditions";
import { EventRecorder, EventText } from "./events";
import { addFinalizer, removeFinalizer } from "./finalizer";
import { errorFields, log } from "./log";
import { Metadata, metadataSchema, ObjectReference } from "./objects";
import { CommonStatus, collectionPath, crdOf, Names, objectPath, referenceTo, Resource } from "./resource";
import { checkObject } from "./rules";
import { Outcome, Work } from "./scheduler";

/** An object that got past admission with an invalid spec is looked at again after this. */
const invalidSeconds = 300;

/** What all controllers of this module share. */
export interface Surroundings {
  api: Api;
  events: EventRecorder;
  /** Whether this process may write. */
  leading: () => boolean;
  /** How often this process has taken the Lease: when it has changed, another may have acted meanwhile. */
  term: () => number;
  /** Wakes an object: as soon as there is a place, or after a moment in which more may happen to it. */
  wake: (kind: string, key: string, when?: "now" | "soon") => void;
}

/** A kind of object that this module reconciles. */
export interface Kind extends Work {
  kind: string;
  /** "mlscalers.example.com/v1": plural.group/version. */
  crd: string;
  /** The path of all its objects in the API: "/apis/example.com/v1/mlscalers". */
  path: string;
  /** Told of every object, before any of them is synced. */
  seen(object: unknown): void;
  /** The objects that it remembers anything of. */
  known(): string[];
  /** Starts its own watches, until `signal`. */
  start(signal: AbortSignal): void;
  /** Stores what is to outlive the process, which ends. Never throws. */
  flush?(): Promise<void>;
}

/** What one round found. */
export interface Round<Status> {
  status: Status;
  next: Outcome;
  /** What broke the round off after all, to be thrown once the status is written. */
  failure?: Error;
}

/** What a kind does of its own, within the sync that all kinds share. */
export interface Reconciliation<Spec, Status extends CommonStatus> {
  resource: Resource<Spec, Status>;
  /** Who the status is written as. */
  fieldManager: string;
  /** Put on every object, so that `finalize` runs before it goes. */
  finalizer?: string;
  /** How long the first pause after an error is, and the longest, as they double. */
  retry?: { firstSeconds: number; atMostSeconds: number };
  /** Compares what there is with what is wanted, and repairs. Level-based: it reads all it needs. Throws ApiError. */
  reconcile(object: Instance<Spec, Status>): Promise<Round<Status>>;
  /** What is to be done before an object goes, whose spec may be invalid. Returns whether it is done. Throws ApiError. */
  finalize?(object: Instance<Spec | undefined, Status>): Promise<boolean>;
  /** Told of every object, before any of them is synced. */
  seen?(metadata: Metadata, spec: Spec | undefined): void;
  /** The objects that it remembers anything of. */
  known?(): string[];
  /** Told that an object is gone, or that its spec is invalid. */
  forget?(key: string, why: "gone" | "invalid"): void;
  /** Starts its own watches, until `signal`. */
  start?(signal: AbortSignal): void;
  /** Stores what is to outlive the process, which ends. Never throws. */
  flush?(): Promise<void>;
  /** Fields of the status, beside the conditions, that say the object is not as it is wanted. */
  notReady?: Partial<Status>;
  /** Whether a new status says no more than the one before; by default whether they are equal. */
  sameStatus?(before: Status, after: Status): boolean;
}

function mustLead({ leading }: Surroundings): void {
  if (!leading()) throw new ApiError(0, "NotLeading", "the Lease was lost, another process acts");
}

/** One object, as a sync read it. */
export class Instance<Spec, Status extends CommonStatus> {
  readonly key: string;
  readonly reference: ObjectReference;

  constructor(
    readonly around: Surroundings,
    resource: Names,
    readonly path: string,
    readonly metadata: Metadata,
    readonly spec: Spec,
    /** As it was before this round. */
    readonly status: Status,
    readonly now: Date,
  ) {
    this.key = `${metadata.namespace}/${metadata.name}`;
    this.reference = referenceTo(resource, metadata);
  }

  /** Throws when this process may no longer write: a sync that was under way when the Lease was lost ends here. */
  mustLead(): void {
    mustLead(this.around);
  }

  /** Logs one line on this object. */
  log(level: "debug" | "info" | "warn" | "error", reason: string, message: string, fields: object = {}): void {
    const { kind, namespace, name, uid } = this.reference;
    log[level]({ kind, namespace, name, uid, reason, ...fields }, message);
  }

  /** Logs that something happened to this object, and records it as an Event. Never throws. */
  async record(event: EventText): Promise<void> {
    this.log(event.type === "Warning" ? "warn" : "info", event.reason, event.message);
    await this.around.events.record(this.reference, event, this.now);
  }

  /** The conditions to write, from what this round found; what it did not look at stays. */
  conditions(findings: Finding[]): NonNullable<CommonStatus["conditions"]> {
    return withTransitions(this.status.conditions ?? [], findings, this.now, this.metadata.generation);
  }
}

interface Stored<Status> {
  metadata: Metadata;
  spec?: unknown;
  status?: Status;
}

/**
 * The sync that all kinds share: read, let go or refuse, reconcile, write the status. `own` says what is done in
 * between.
 */
export class Reconciler<Spec, Status extends CommonStatus> implements Kind {
  readonly kind: string;
  readonly crd: string;
  readonly path: string;
  readonly retry: { firstSeconds: number; atMostSeconds: number } | undefined;
  readonly #object: z.ZodType<Stored<Status>>;

  constructor(
    readonly around: Surroundings,
    readonly own: Reconciliation<Spec, Status>,
  ) {
    const { resource } = own;
    this.kind = resource.kind;
    this.crd = crdOf(resource);
    this.path = collectionPath(resource);
    this.retry = own.retry;
    // A status that was written by hand, or by an older version, is as good as none.
    const status: z.ZodType<Status | undefined> = resource.status.optional().catch(undefined);
    this.#object = z.object({ metadata: metadataSchema, spec: z.unknown(), status });
  }

  start(signal: AbortSignal): void {
    this.own.start?.(signal);
  }

  async flush(): Promise<void> {
    await this.own.flush?.();
  }

  seen(object: unknown): void {
    const { metadata, spec } = this.#object.parse(object);
    this.own.seen?.(metadata, checkObject(this.own.resource, metadata.name, spec).spec);
  }

  known(): string[] {
    return this.own.known?.() ?? [];
  }

  /** One sync of the object `key` ("namespace/name"). Throws ApiError when the API server fails, to be tried again. */
  async sync(key: string): Promise<Outcome> {
    mustLead(this.around);
    const { resource, finalizer } = this.own;
    const [namespace = "", name = ""] = key.split("/");
    const path = objectPath(resource, { namespace, name });
    const found = await this.around.api.find(path);
    if (found === undefined) return this.#forget(key);
    mustLead(this.around);
    const stored = this.#object.parse(found);
    const { metadata } = stored;
    const { spec, faults } = checkObject(resource, name, stored.spec);
    const instance = <Checked>(checked: Checked): Instance<Checked, Status> =>
      new Instance(this.around, resource, path, metadata, checked, stored.status ?? ({} as Status), new Date());

    if (metadata.deletionTimestamp) return this.#finalize(instance(spec));
    if (!spec) return this.#refuse(instance(spec), faults);
    if (finalizer) await addFinalizer(this.around.api, path, metadata, finalizer);

    const object = instance(spec);
    let round: Round<Status>;
    try {
      round = await this.own.reconcile(object);
    } catch (error) {
      if (this.around.leading()) await this.#reportFailure(object, error).catch(() => undefined);
      throw error;
    }
    if (round.failure === undefined) await this.#writeStatus(object, round.status);
    else await this.#writeStatus(object, round.status).catch(() => undefined);
    if (round.failure !== undefined) throw round.failure;
    return round.next;
  }

  /** An invalid spec that got past admission: said, and left alone until it changes. */
  async #refuse(object: Instance<unknown, Status>, faults: string[]): Promise<Outcome> {
    const { kind } = this.own.resource;
    this.own.forget?.(object.key, "invalid");
    const message = `Invalid ${kind} spec: ${faults.map(fault => fault.replace(/^spec\./, "")).join("; ")}`;
    await object.record({ type: "Warning", reason: "InvalidSpec", message, action: "Reconcile" });
    await this.#writeStatus(object, this.#notReady(object, "InvalidSpec", message));
    return { next: "sync", periodSeconds: invalidSeconds };
  }

  /** Says in the status that a round broke off; otherwise it would go on saying that all is well. */
  async #reportFailure(object: Instance<Spec, Status>, error: unknown): Promise<void> {
    const { reason, error: message } = errorFields(error);
    // The scheduler logs it; while the API server does not answer there is nobody to keep an Event.
    if (!mayPass(error)) {
      const event = { type: "Warning", reason, message, action: "Reconcile" } as const;
      await this.around.events.record(object.reference, event, object.now);
    }
    await this.#writeStatus(object, this.#notReady(object, reason, message));
  }

  #notReady(object: Instance<unknown, Status>, reason: string, message: string): Status {
    const { status, metadata } = object;
    const conditions = object.conditions([{ type: "Ready", status: "False", reason, message }]);
    return { ...status, ...this.own.notReady, observedGeneration: metadata.generation, conditions };
  }

  async #writeStatus(object: Instance<unknown, Status>, status: Status): Promise<void> {
    const { own } = this;
    // As JSON, in which a field that is undefined is no field.
    const after = JSON.parse(JSON.stringify(status)) as Status;
    const same = own.sameStatus?.(object.status, after) ?? isDeepStrictEqual(object.status, after);
    if (same) return;
    object.mustLead();
    const { apiVersion, kind, namespace, name, uid } = object.reference;
    const body = { apiVersion, kind, metadata: { namespace, name, uid }, status: after };
    try {
      await applyStatus(this.around.api, object.path, body, own.fieldManager);
    } catch (error) {
      // Deleted meanwhile: to an apply that names a uid the API server answers this with a conflict.
      const gone = isStatus(error, 404) || (isStatus(error, 409) && errorFields(error).error.includes("uid mismatch"));
      if (!gone) throw error;
    }
  }

  async #finalize(object: Instance<Spec | undefined, Status>): Promise<Outcome> {
    const { finalizer } = this.own;
    if (finalizer === undefined || !object.metadata.finalizers.includes(finalizer)) return this.#forget(object.key);
    // What stands in the way of going is heard of by a watch; another look is for when that was lost.
    if (this.own.finalize && !(await this.own.finalize(object)))
      return { next: "soon", afterSeconds: 30, periodSeconds: 300 };
    object.mustLead();
    await removeFinalizer(this.around.api, object.path, object.metadata, finalizer);
    return this.#forget(object.key);
  }

  #forget(key: string): Outcome {
    this.own.forget?.(key, "gone");
    return { next: "forget" };
  }
}
