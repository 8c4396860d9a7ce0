import { Api, ApiError } from "../kubernetes/api";
import { ConditionUpdate, withTransitions } from "../kubernetes/conditions";
import { EventRecorder, EventText } from "../kubernetes/events";
import { log } from "../kubernetes/log";
import { Metadata, ObjectReference } from "../kubernetes/metadata";
import { Namespaces } from "../kubernetes/namespaces";
import { CommonStatus, Names, referenceTo } from "../definition/resource";
import { Turns } from "./turns";

export interface Context {
  api: Api;
  events: EventRecorder;
  namespaces: Namespaces;
  turns: Turns;
  holdsAnyLease: () => boolean;
  holdsLease: (namespace: string) => boolean;
  /** Higher for a later holder of its Lease. A change means that another process may have acted. */
  term: (namespace: string) => number;
  /** Whether objects wait for their first sync in this process, or the list before it. For two minutes at most. */
  starting: () => boolean;
  /** The kinds of this module that have a scale subresource. They set the replicas of what they own. */
  scalable: () => Names[];
  /** Wakes an object: now, or soon, so that one sync handles several changes. */
  wake: (kind: string, key: string, when?: "now" | "soon") => void;
}

/** The most CPU that a step should use in one turn of the event loop, in ms. */
export const slowMilliseconds = 50;

/** The reason of the ApiError that ends a sync because another process acts. */
export const leaseLost = "NotLeading";

/** Throws ApiError when this process may not act in a namespace. */
export function mustHoldLease({ holdsLease }: Context, namespace: string): void {
  if (!holdsLease(namespace)) throw new ApiError(0, leaseLost, "the Lease was lost, another process acts");
}

export class CustomObject<Spec, Status extends CommonStatus> {
  readonly key: string;
  readonly reference: ObjectReference;

  /** @param slow the steps of this sync that used much CPU in one turn of the event loop, with that CPU in ms */
  constructor(
    readonly context: Context,
    readonly resource: Names,
    readonly path: string,
    readonly metadata: Metadata,
    readonly spec: Spec,
    readonly status: Status,
    readonly now: Date,
    readonly slow = new Map<string, number>(),
  ) {
    this.key = `${metadata.namespace}/${metadata.name}`;
    this.reference = referenceTo(resource, metadata);
  }

  withSpec<Other>(spec: Other): CustomObject<Other, Status> {
    const { context, resource, path, metadata, status, now, slow } = this;
    return new CustomObject(context, resource, path, metadata, spec, status, now, slow);
  }

  /** Runs a step of the sync in a turn of the event loop of its own. Throws what `work` throws. */
  turn<Result>(step: string, work: () => Result): Promise<Result> {
    return this.context.turns.run(this.metadata.namespace, work, milliseconds => {
      if (milliseconds > slowMilliseconds) this.slow.set(step, Math.max(milliseconds, this.slow.get(step) ?? 0));
    });
  }

  /** Throws ApiError when this process may no longer write. Ends a sync that was running when the Lease was lost. */
  mustHoldLease(): void {
    mustHoldLease(this.context, this.metadata.namespace);
  }

  log(level: "debug" | "info" | "warn" | "error", reason: string, message: string, fields: object = {}): void {
    const { kind, namespace, name, uid } = this.reference;
    log[level]({ kind, namespace, name, uid, reason, ...fields }, message);
  }

  /** Records and logs an event; a warning told lately is logged for debugging. Never throws. */
  async record(event: EventText): Promise<void> {
    const isTold = await this.context.events.record(this.reference, event, this.now);
    const level = event.type === "Normal" ? "info" : isTold ? "warn" : "debug";
    this.log(level, event.reason, event.message);
  }

  conditions(updates: ConditionUpdate[]): NonNullable<CommonStatus["conditions"]> {
    return withTransitions(this.status.conditions ?? [], updates, this.now, this.metadata.generation);
  }
}
