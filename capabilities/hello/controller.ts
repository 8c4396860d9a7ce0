import { ignoring } from "../kubernetes/api";
import { apply } from "../kubernetes/apply";
import { watchChildren } from "../operator/children";
import { ConditionUpdate } from "../kubernetes/conditions";
import { isControlledBy, Metadata } from "../kubernetes/metadata";
import { CustomObject, Context } from "../operator/custom-object";
import { Controller, Result } from "../operator/reconciler";
import { deploymentOf, deploymentSelector, manager } from "./manifest";
import { hello, Spec, Status } from "./schema";
import {
  Deployment,
  deploymentSchema,
  nameTakenCondition,
  nothingTakenBack,
  podsOf,
  readyCondition,
  takenBackCondition,
  takenBackType,
} from "./status";

/** The period, in seconds: a sync finds changes that watches lost. */
const periodSeconds = 600;

/** Reconciles Helloes: each has a Deployment under its own name. */
export class HelloController implements Controller<Spec, Status> {
  readonly resource = hello;
  readonly fieldManager = manager;
  readonly finalizer = "fraim.co.jp/example-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 60 };

  constructor(readonly context: Context) {}

  start(signal: AbortSignal): void {
    watchChildren(this.context, hello, "/apis/apps/v1/deployments", deploymentSelector, signal);
  }

  async reconcile(object: CustomObject<Spec, Status>): Promise<Result<Status>> {
    const standing = await this.#read(object);
    if (standing && !isControlledBy(standing.metadata, object.reference)) return this.#nameTaken(object, standing);

    const { deployment, updates } = await this.#apply(object, standing);
    const ready = readyCondition(deployment);
    object.log("info", ready.reason, ready.message);
    return {
      status: {
        observedGeneration: object.metadata.generation,
        ...podsOf(deployment),
        conditions: object.conditions([ready, ...updates]),
      },
      next: { next: "sync", periodSeconds },
    };
  }

  async finalize(object: CustomObject<Spec | undefined, Status>): Promise<boolean> {
    const { name, finalizers } = object.metadata;
    const standing = await this.#read(object);
    const ours = standing !== undefined && isControlledBy(standing.metadata, object.reference);
    if (ours && !finalizers.includes("orphan") && !(await this.#delete(object, standing.metadata))) return false;
    await object.record({ type: "Normal", reason: "DeleteRequested", message: `Delete ${name}`, action: "Deleting" });
    return true;
  }

  async #read({ metadata }: CustomObject<unknown, Status>): Promise<Deployment | undefined> {
    return deploymentSchema.optional().parse(await this.context.api.find(deploymentPath(metadata)));
  }

  async #nameTaken(object: CustomObject<Spec, Status>, standing: Deployment): Promise<Result<Status>> {
    const taken = nameTakenCondition(standing);
    await object.record({ type: "Warning", reason: taken.reason, message: taken.message, action: "Reconcile" });
    const conditions = object.conditions([taken]);
    return {
      status: { observedGeneration: object.metadata.generation, replicas: 0, ready: 0, conditions },
      // No watch shows the deletion of a Deployment without our label.
      next: { next: "soon", afterSeconds: 10, periodSeconds },
    };
  }

  async #apply(
    object: CustomObject<Spec, Status>,
    standing: Deployment | undefined,
  ): Promise<{ deployment: Deployment; updates: ConditionUpdate[] }> {
    const wanted = deploymentOf(object.reference, object.spec);
    // The uid keeps the apply off a Deployment that was re-created since the read.
    const body = { ...wanted, metadata: { ...wanted.metadata, uid: standing?.metadata.uid } };
    object.mustHoldLease();
    const applied = await apply(this.context.api, deploymentPath(object.metadata), body, manager);
    const updates = applied.takenBack ? [takenBackCondition(applied.takenBack, object.spec)] : [];
    for (const { reason, message } of updates)
      await object.record({ type: "Warning", reason, message, action: "Reconcile" });
    // The condition stays until the Hello itself changes.
    const told = object.status.conditions?.find(({ type }) => type === takenBackType);
    if (!applied.takenBack && told && told.observedGeneration !== object.metadata.generation)
      updates.push(nothingTakenBack);
    return { deployment: deploymentSchema.parse(applied.object), updates };
  }

  /** Deletes the Deployment. Returns whether it is gone: finalizers of others may hold it. */
  async #delete(object: CustomObject<unknown, Status>, { uid, deletionTimestamp }: Metadata): Promise<boolean> {
    if (!deletionTimestamp) {
      object.mustHoldLease();
      const options = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid },
        propagationPolicy: "Background",
      };
      // The Deployment is gone or was re-created.
      await ignoring(this.context.api.delete(deploymentPath(object.metadata), options), 404, 409);
    }
    return (await this.#read(object))?.metadata.uid !== uid;
  }
}

const deploymentPath = ({ namespace, name }: Metadata): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
