import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { isStatus, mayPass } from "../kubernetes/api";
import { applyStatus } from "../kubernetes/apply";
import { addFinalizer, removeFinalizer } from "../kubernetes/finalizer";
import { errorFields } from "../kubernetes/log";
import { keyOf, Metadata, metadataSchema, namespaceOf } from "../kubernetes/metadata";
import { Monotonic } from "../kubernetes/time";
import { CommonStatus, Names, objectPath, Resource } from "../definition/resource";
import { checkObject } from "../definition/check";
import { Context, CustomObject, leaseLost, mustHoldLease, slowMilliseconds } from "./custom-object";
import { Task } from "./scheduler";
import { hasError, lostChangesSeconds, Outcome } from "./outcome";
import * as telemetry from "./telemetry";

/** A watch delivers each write of a status within this time, in ms. */
const deliveredMilliseconds = 30_000;

export type Kind = Omit<Reconciler<unknown, CommonStatus>, "context" | "controller">;

export interface Result<Status> {
  status: Status;
  next: Outcome;
}

/** The part of a sync that differs between kinds. */
export interface Controller<Spec, Status extends CommonStatus> {
  resource: Resource<Spec, Status>;
  fieldManager: string;
  /** Added to every object, so that `finalize` runs before its deletion. */
  finalizer?: string;
  /** The first pause after an error that is thrown, and the longest, as pauses double. */
  retry: { firstSeconds: number; atMostSeconds: number };
  /** How long a cached object may be used, in seconds. By default each sync reads the object. */
  cacheSeconds?: number;
  /** Compares the desired and the current state, and repairs. Level-based: reads all that it needs. Throws ApiError. */
  reconcile(object: CustomObject<Spec, Status>): Promise<Result<Status>>;
  /** Cleans up before a deletion; the spec may be invalid. Returns whether that is done. Throws ApiError. */
  finalize?(object: CustomObject<Spec | undefined, Status>): Promise<boolean>;
  /** Called with every object of a list or a watch, before it is synced. */
  onObserved?(metadata: Metadata, spec: Spec | undefined): void;
  trackedKeys?(): string[];
  /** Called when an object is gone, or another process acts on it: drops its state. */
  onDeleted?(key: string): void;
  /** Called when the spec of an object is invalid, so that nothing is done for it. */
  onInvalid?(key: string): void;
  /** Called when another process may act on an object: its series are no longer ours. */
  onLeaseLost?(key: string): void;
  start?(signal: AbortSignal): void;
  /** Stores its state of these namespaces before another process acts there. Never throws. */
  flush?(isIn: (namespace: string) => boolean): Promise<void>;
  /** Fields of the status, beside the conditions, for an object that is not ready. */
  notReady?: Partial<Status>;
  /** Whether a new status need not be written; by default whether it equals the one before. */
  sameStatus?(before: Status, after: Status): boolean;
}

const syncSlow = "SyncSlow";

interface Parsed<Spec, Status> {
  metadata: Metadata;
  /** Absent when it is invalid; `faults` name the reasons. */
  spec?: Spec;
  faults: string[];
  status?: Status;
}

/** The last known state of an object; cachedAt is -Infinity while it is in doubt, as after a watch alone has told of it. */
interface Cached<Spec, Status> {
  object: Parsed<Spec, Status>;
  cachedAt: Monotonic;
}

/** The sync that all kinds share: read the object, finalize or refuse it, reconcile, write the status. */
export class Reconciler<Spec, Status extends CommonStatus> implements Task {
  readonly kind: string;
  readonly resource: Names & Pick<Resource<unknown, CommonStatus>, "scale">;
  readonly #object: z.ZodType<Parsed<Spec, Status>>;
  readonly #cache = new Map<string, Cached<Spec, Status>>();
  readonly #slow = new Map<string, string[]>();
  /** When a watch last delivered an object, and the first write of a status since then. */
  #watchedAt: Monotonic = -Infinity;
  #wroteAt: Monotonic = -Infinity;

  constructor(
    readonly context: Context,
    readonly controller: Controller<Spec, Status>,
  ) {
    const { resource } = controller;
    this.kind = resource.kind;
    this.resource = resource;
    // A status that does not match the schema counts as none: it was written by hand or by an older version.
    const status: z.ZodType<Status | undefined> = resource.status.optional().catch(undefined);
    this.#object = z
      .object({ metadata: metadataSchema, spec: z.unknown(), status })
      .transform(({ metadata, spec, status }) => ({ metadata, status, ...this.#checked(metadata, spec) }));
  }

  /** Checks a spec, unless it is the cached one: each change of a spec is another generation. */
  #checked(metadata: Metadata, spec: unknown): Pick<Parsed<Spec, Status>, "spec" | "faults"> {
    const cached = this.#cache.get(keyOf(metadata))?.object;
    const { uid, generation } = metadata;
    const isSame = generation > 0 && cached?.metadata.uid === uid && cached.metadata.generation === generation;
    if (isSame) return { spec: cached.spec, faults: cached.faults };
    return checkObject(this.controller.resource, metadata.name, spec);
  }

  start(signal: AbortSignal): void {
    this.controller.start?.(signal);
  }

  async flush(isIn: (namespace: string) => boolean = () => true): Promise<void> {
    await this.controller.flush?.(isIn);
  }

  onListed(object: unknown): void {
    this.#observe(object, true);
  }

  /** Called with every object that a watch delivers. A watch that starts again may deliver deleted objects. */
  onWatched(object: unknown): void {
    this.#watchedAt = performance.now();
    this.#observe(object, false);
  }

  #observe(object: unknown, isListed: boolean): void {
    const parsed = this.#object.parse(object);
    const { metadata, spec } = parsed;
    // The next sync reads an object that only a watch has delivered, because it may be deleted.
    const { cachedAt = -Infinity } = this.#cache.get(keyOf(metadata)) ?? {};
    const isSure = isListed || cachedAt > -Infinity;
    if (this.controller.cacheSeconds !== undefined) this.#cacheNewer(parsed, isSure ? performance.now() : -Infinity);
    this.controller.onObserved?.(metadata, spec);
  }

  /** Whether this process wrote a status 30 s ago or longer, and no watch has delivered an object since then. */
  isWatchSilent(): boolean {
    return this.#wroteAt > this.#watchedAt && performance.now() - this.#wroteAt > deliveredMilliseconds;
  }

  trackedKeys(): string[] {
    return this.controller.trackedKeys?.() ?? [];
  }

  /** Makes the next sync read the object, which may have changed or be gone. */
  doubt(key: string): void {
    const cached = this.#cache.get(key);
    if (cached) cached.cachedAt = -Infinity;
  }

  /** This process no longer acts in these namespaces. It may act there again, so the kind keeps its state of them. */
  onLeaseLost(isIn: (namespace: string) => boolean): void {
    for (const key of this.trackedKeys()) if (isIn(namespaceOf(key))) this.controller.onLeaseLost?.(key);
  }

  /** Drops its state of these namespaces, because another process acts there. */
  evict(isIn: (namespace: string) => boolean): void {
    for (const key of new Set([...this.#cache.keys(), ...this.trackedKeys()]))
      if (isIn(namespaceOf(key))) this.#drop(key);
  }

  /** Syncs the object `key` ("namespace/name"). Never throws: an error is part of the outcome. */
  async sync(key: string): Promise<Outcome> {
    const failed = (error: unknown): Outcome => ({ next: "retry", ...this.controller.retry, error });
    const outcome = await this.#sync(key).catch(failed);
    // After any error the next sync reads the object.
    if (hasError(outcome)) this.doubt(key);
    return outcome;
  }

  async #sync(key: string): Promise<Outcome> {
    const { resource, finalizer } = this.controller;
    const [namespace = "", name = ""] = key.split("/");
    mustHoldLease(this.context, namespace);
    const path = objectPath(resource, { namespace, name });
    const parsed = this.#newest(key) ?? (await this.#read(key, path));
    if (parsed === undefined) return this.#drop(key);
    mustHoldLease(this.context, namespace);
    const { metadata, spec, faults } = parsed;
    const status = parsed.status ?? ({} as Status);
    const now = new Date(this.context.api.clock.time);
    const checked = new CustomObject(this.context, resource, path, metadata, spec, status, now);
    if (metadata.deletionTimestamp) return this.#finalize(checked);
    if (!spec) return this.#refuse(checked, faults);
    const withFinalizer = finalizer && (await addFinalizer(this.context.api, path, metadata, finalizer));
    if (withFinalizer) this.#cacheAnswer(key, withFinalizer);

    const object = checked.withSpec(spec);
    let result: Result<Status>;
    try {
      result = await this.controller.reconcile(object);
    } catch (error) {
      const acts = this.context.holdsLease(namespace) && errorFields(error).reason !== leaseLost;
      if (acts) await this.#reportFailure(object, error).catch(() => undefined);
      throw error;
    }
    await this.#reportSlow(object);
    await this.#writeStatus(object, result.status).catch((error: unknown) => {
      // The first error is the one to report.
      if (!hasError(result.next)) throw error;
    });
    return result.next;
  }

  async #read(key: string, path: string): Promise<Parsed<Spec, Status> | undefined> {
    const found = await this.context.api.find(path);
    if (found === undefined) return undefined;
    const parsed = this.#object.parse(found);
    // Only cache objects that a watch updates. It may have delivered a newer version during the read.
    if (this.#cache.has(key)) this.#cacheNewer(parsed);
    return parsed;
  }

  /** The cached object `key`, unless it is older than `cacheSeconds`: the watch may have broken unnoticed. */
  #newest(key: string): Parsed<Spec, Status> | undefined {
    const cached = this.#cache.get(key);
    const lasts = 1000 * (this.controller.cacheSeconds ?? 0);
    return cached && performance.now() - cached.cachedAt < lasts ? cached.object : undefined;
  }

  #cacheNewer(parsed: Parsed<Spec, Status>, cachedAt = performance.now()): void {
    const { resourceVersion } = parsed.metadata;
    const key = keyOf(parsed.metadata);
    const before = this.#cache.get(key);
    // A list may be older than the watch, and the watch older than the answer to our own write.
    if (Number(resourceVersion) < Number(before?.object.metadata.resourceVersion)) return;
    // The reconciler does not see the final deletion.
    if (parsed.metadata.deletionTimestamp) this.#cache.delete(key);
    else this.#cache.set(key, { object: parsed, cachedAt });
  }

  #cacheAnswer(key: string, answer: unknown): void {
    if (!this.#cache.has(key)) return;
    const parsed = this.#object.safeParse(answer);
    if (parsed.success) this.#cacheNewer(parsed.data);
    else this.#cache.delete(key);
  }

  /** Reports an invalid spec that passed admission. The object waits for its next change. */
  async #refuse(object: CustomObject<unknown, Status>, faults: string[]): Promise<Outcome> {
    const { kind } = this.controller.resource;
    this.controller.onInvalid?.(object.key);
    const message = `Invalid ${kind} spec: ${faults.map(fault => fault.replace(/^spec\./, "")).join("; ")}`;
    await object.record({ type: "Warning", reason: "InvalidSpec", message, action: "Reconcile" });
    await this.#writeStatus(object, this.#notReady(object, "InvalidSpec", message));
    return { next: "sync", periodSeconds: lostChangesSeconds };
  }

  /** Counts slow steps, and reports those that were slow in the sync before, too: the first run of code is slow. */
  async #reportSlow(object: CustomObject<Spec, Status>): Promise<void> {
    const { key, slow } = object;
    const before = this.#slow.get(key) ?? [];
    const steps = [...slow.keys()];
    if (slow.size === 0) this.#slow.delete(key);
    else this.#slow.set(key, steps);
    if (slow.size === 0) return;
    telemetry.slowSyncs.inc({ kind: this.kind });
    object.log("debug", syncSlow, "steps used much CPU in one turn", { milliseconds: Object.fromEntries(slow) });
    const lasting = steps.filter(step => before.includes(step));
    if (lasting.length === 0) return;
    const message =
      `the step ${lasting.join(", ")} used more than ${slowMilliseconds} ms of CPU at once in two syncs in a row; ` +
      "other syncs of its namespace wait longer for it, make the spec smaller";
    await object.record({ type: "Warning", reason: syncSlow, message, action: "Sync" });
  }

  /** Reports a failed sync in the status, which otherwise would still report success. */
  async #reportFailure(object: CustomObject<Spec, Status>, error: unknown): Promise<void> {
    const { reason, error: message } = errorFields(error);
    // The scheduler logs it. An API server that does not answer cannot store an Event.
    if (!mayPass(error)) {
      const event = { type: "Warning", reason, message, action: "Reconcile" } as const;
      await this.context.events.record(object.reference, event, object.now);
    }
    await this.#writeStatus(object, this.#notReady(object, reason, message));
  }

  #notReady(object: CustomObject<unknown, Status>, reason: string, message: string): Status {
    const { status, metadata } = object;
    const conditions = object.conditions([{ type: "Ready", status: "False", reason, message }]);
    return { ...status, ...this.controller.notReady, observedGeneration: metadata.generation, conditions };
  }

  async #writeStatus(object: CustomObject<unknown, Status>, status: Status): Promise<void> {
    const { controller } = this;
    // Compare as JSON, without undefined fields.
    const same =
      controller.sameStatus?.(object.status, status) ??
      isDeepStrictEqual(object.status, JSON.parse(JSON.stringify(status)));
    if (same) return;
    object.mustHoldLease();
    const { apiVersion, kind, namespace, name, uid } = object.reference;
    const body = { apiVersion, kind, metadata: { namespace, name, uid }, status };
    const sentAt = performance.now();
    try {
      this.#cacheAnswer(object.key, await applyStatus(this.context.api, object.path, body, controller.fieldManager));
      if (this.#wroteAt <= this.#watchedAt) this.#wroteAt = sentAt;
    } catch (error) {
      // The object was deleted: the API server answers an apply with a stale uid with a conflict.
      const gone = isStatus(error, 404) || (isStatus(error, 409) && errorFields(error).error.includes("uid mismatch"));
      if (!gone) throw error;
      this.#cache.delete(object.key);
    }
  }

  async #finalize(object: CustomObject<Spec | undefined, Status>): Promise<Outcome> {
    const { finalizer } = this.controller;
    if (finalizer === undefined || !object.metadata.finalizers.includes(finalizer)) return this.#drop(object.key);
    // A watch reports when the obstacle is gone; the retry is for a lost event.
    if (this.controller.finalize && !(await this.controller.finalize(object)))
      return { next: "soon", afterSeconds: 30, periodSeconds: lostChangesSeconds };
    object.mustHoldLease();
    await removeFinalizer(this.context.api, object.path, object.metadata, finalizer);
    return this.#drop(object.key);
  }

  #drop(key: string): Outcome {
    this.#cache.delete(key);
    this.#slow.delete(key);
    this.controller.onDeleted?.(key);
    return { next: "forget" };
  }
}
