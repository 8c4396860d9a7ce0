import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { Api, ApiError, isStatus, mayPass } from "./api";
import { applyStatus } from "./apply";
import { Finding, withTransitions } from "./conditions";
import { EventRecorder, EventText } from "./events";
import { addFinalizer, removeFinalizer } from "./finalizer";
import { errorFields, log } from "./log";
import { Metadata, metadataSchema, ObjectReference } from "./objects";
import { CommonStatus, collectionPath, crdOf, Names, objectPath, referenceTo, Resource } from "./resource";
import { checkObject } from "./check";
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
  /** Told that a list was without an object that is known: what was seen of it counts no more. */
  missed(key: string): void;
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
  /** For so long what the watch told of an object counts; by default each sync reads it anew. */
  trustWatchSeconds?: number;
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

interface Stored<Spec, Status> {
  metadata: Metadata;
  /** Absent when it is invalid; then `faults` say why. */
  spec?: Spec;
  faults: string[];
  status?: Status;
}

/** What the watch, a list or an answer told last of an object, and when it was last read or told (performance.now). */
interface Told<Spec, Status> {
  stored: Stored<Spec, Status>;
  at: number;
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
  readonly #object: z.ZodType<Stored<Spec, Status>>;
  readonly #told = new Map<string, Told<Spec, Status>>();

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
    this.#object = z
      .object({ metadata: metadataSchema, spec: z.unknown(), status })
      .transform(({ metadata, spec, status }) => ({ metadata, status, ...checkObject(resource, metadata.name, spec) }));
  }

  start(signal: AbortSignal): void {
    this.own.start?.(signal);
  }

  async flush(): Promise<void> {
    await this.own.flush?.();
  }

  seen(object: unknown): void {
    const stored = this.#object.parse(object);
    const { metadata, spec } = stored;
    if (this.own.trustWatchSeconds !== undefined) this.#hear(stored);
    this.own.seen?.(metadata, spec);
  }

  known(): string[] {
    return this.own.known?.() ?? [];
  }

  missed(key: string): void {
    this.#told.delete(key);
  }

  /** One sync of the object `key` ("namespace/name"). Throws ApiError when the API server fails, to be tried again. */
  async sync(key: string): Promise<Outcome> {
    try {
      return await this.#sync(key);
    } catch (error) {
      // Whatever it was: the next sync looks for itself.
      this.#told.delete(key);
      throw error;
    }
  }

  async #sync(key: string): Promise<Outcome> {
    mustLead(this.around);
    const { resource, finalizer } = this.own;
    const [namespace = "", name = ""] = key.split("/");
    const path = objectPath(resource, { namespace, name });
    const stored = this.#newest(key) ?? (await this.#read(key, path));
    if (stored === undefined) return this.#forget(key);
    mustLead(this.around);
    const { metadata, spec, faults } = stored;
    const instance = <Checked>(checked: Checked): Instance<Checked, Status> =>
      new Instance(this.around, resource, path, metadata, checked, stored.status ?? ({} as Status), new Date());

    if (metadata.deletionTimestamp) return this.#finalize(instance(spec));
    if (!spec) return this.#refuse(instance(spec), faults);
    const withFinalizer = finalizer && (await addFinalizer(this.around.api, path, metadata, finalizer));
    if (withFinalizer) this.#heard(key, withFinalizer);

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

  async #read(key: string, path: string): Promise<Stored<Spec, Status> | undefined> {
    const found = await this.around.api.find(path);
    if (found === undefined) return undefined;
    const stored = this.#object.parse(found);
    // Only what the watch tells of is kept: it is told of changes.
    if (this.#told.has(key)) this.#told.set(key, { stored, at: performance.now() });
    return stored;
  }

  /** The object `key` as it was last told or read, unless that was too long ago for a watch that may have broken unheard. */
  #newest(key: string): Stored<Spec, Status> | undefined {
    const told = this.#told.get(key);
    const lasts = 1000 * (this.own.trustWatchSeconds ?? 0);
    return told && performance.now() - told.at < lasts ? told.stored : undefined;
  }

  #hear(stored: Stored<Spec, Status>): void {
    const { namespace, name, resourceVersion } = stored.metadata;
    const key = `${namespace}/${name}`;
    const before = this.#told.get(key);
    // A list that was under way may be behind the watch, and the watch behind the answer to our own write.
    if (Number(resourceVersion) < Number(before?.stored.metadata.resourceVersion)) return;
    // Nobody tells that an object is gone at last.
    if (stored.metadata.deletionTimestamp) this.#told.delete(key);
    else this.#told.set(key, { stored, at: performance.now() });
  }

  /** Takes note of the API server's answer to our own write, which is the object as it is now. */
  #heard(key: string, answer: unknown): void {
    if (!this.#told.has(key)) return;
    const parsed = this.#object.safeParse(answer);
    if (parsed.success) this.#hear(parsed.data);
    else this.#told.delete(key);
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
      this.#heard(object.key, await applyStatus(this.around.api, object.path, body, own.fieldManager));
    } catch (error) {
      // Deleted meanwhile: to an apply that names a uid the API server answers this with a conflict.
      const gone = isStatus(error, 404) || (isStatus(error, 409) && errorFields(error).error.includes("uid mismatch"));
      if (!gone) throw error;
      this.#told.delete(object.key);
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
    this.#told.delete(key);
    this.own.forget?.(key, "gone");
    return { next: "forget" };
  }
}
