import * as z from "zod";
import { isStatus, mayPass } from "../kubernetes/api";
import { apply } from "../kubernetes/apply";
import { watchChildren } from "../operator/children";
import { lostChangesSeconds, Outcome } from "../operator/outcome";
import { asError, errorFields } from "../kubernetes/log";
import { isControlledBy, Metadata, nameTaken, objectSchema } from "../kubernetes/metadata";
import { CustomObject, Context } from "../operator/custom-object";
import { Controller, Result } from "../operator/reconciler";
import { childSelector, deploymentOf, deploymentPath, serviceOf, servicePath } from "./manifests";
import { easyservice, Spec, Status } from "./schema";
import { Child, Deployment, deploymentSchema, isSettled, Service, serviceSchema, statusOf } from "./status";

type EasyService = CustomObject<Spec, Status>;

interface Wanted<Observed> {
  kind: "Deployment" | "Service";
  path: string;
  manifest: { metadata: object };
  schema: z.ZodType<Observed>;
}

/** Reconciles EasyServices: each has a Deployment and, with ports, a Service, both under its own name. */
export class EasyServiceController implements Controller<Spec, Status> {
  readonly resource = easyservice;
  readonly fieldManager = "easyservice-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 60 };

  constructor(readonly context: Context) {}

  start(signal: AbortSignal): void {
    for (const path of [deploymentPath(), servicePath()])
      watchChildren(this.context, easyservice, path, childSelector, signal);
  }

  /** Applies the Deployment, and applies or deletes the Service. A failure of one does not stop the other. */
  async reconcile(object: EasyService): Promise<Result<Status>> {
    const { spec, reference } = object;
    const [deployment, service] = await Promise.all([
      this.#put(object, {
        kind: "Deployment",
        path: deploymentPath(reference),
        manifest: deploymentOf(reference, spec),
        schema: deploymentSchema,
      }),
      spec.ports.length === 0
        ? this.#removeService(object)
        : this.#put(object, {
            kind: "Service",
            path: servicePath(reference),
            manifest: serviceOf(reference, spec),
            schema: serviceSchema,
          }),
    ]);
    return { status: statusOf(object, deployment, service), next: this.#nextRun(deployment, service) };
  }

  #nextRun(deployment: Child<Deployment>, service: Child<Service>): Outcome {
    const error = passing(deployment) ?? passing(service);
    if (error) return { next: "retry", ...this.retry, error };
    if (isSettled(deployment, service)) return { next: "sync", periodSeconds: lostChangesSeconds };
    return { next: "soon", afterSeconds: 10, periodSeconds: lostChangesSeconds };
  }

  /** Applies a child, unless another object has its name. Never throws. */
  async #put<Observed>(object: EasyService, wanted: Wanted<Observed>): Promise<Child<Observed>> {
    const { kind, path, manifest, schema } = wanted;
    try {
      const found = await this.#find(path);
      if (found && !isControlledBy(found, object.reference)) return await this.#taken(object, kind, found);
      object.mustHoldLease();
      // The uid keeps the apply off an object that was re-created since the read.
      const metadata = { ...manifest.metadata, ...(found && { uid: found.uid }) };
      const { api } = this.context;
      const { object: stored, takenBack } = await apply(api, path, { ...manifest, metadata }, this.fieldManager);
      if (takenBack) {
        const message =
          `${kind} ${object.metadata.name}: ` +
          `took back ${takenBack.fields.join(", ")} from ${takenBack.from.join(", ")}; ` +
          "change the EasyService instead";
        await object.record({ type: "Warning", reason: "TakenBack", message, action: "Apply" });
      }
      return { observed: schema.parse(stored) };
    } catch (error) {
      return await this.#failed(object, kind, "Apply", error);
    }
  }

  /** Deletes the Service if this EasyService controls it. Never throws. */
  async #removeService(object: EasyService): Promise<Child<Service>> {
    const path = servicePath(object.reference);
    try {
      const found = await this.#find(path);
      if (!found || found.deletionTimestamp || !isControlledBy(found, object.reference)) return { unwanted: true };
      object.mustHoldLease();
      const { uid, resourceVersion } = found;
      await this.context.api.delete(path, { preconditions: { uid, resourceVersion } });
      const message = `Service ${object.metadata.name} was removed, because spec.ports is empty`;
      await object.record({ type: "Normal", reason: "ServiceRemoved", message, action: "Delete" });
      return { unwanted: true };
    } catch (error) {
      if (isStatus(error, 404)) return { unwanted: true };
      return await this.#failed(object, "Service", "Delete", error);
    }
  }

  async #find(path: string): Promise<Metadata | undefined> {
    return objectSchema.optional().parse(await this.context.api.find(path))?.metadata;
  }

  async #taken(object: EasyService, kind: string, found: Metadata): Promise<Child<never>> {
    const reason = "NameTaken";
    const message = nameTaken(kind, found, easyservice);
    await object.record({ type: "Warning", reason, message, action: "Apply" });
    return { trouble: { reason, message } };
  }

  async #failed(object: EasyService, kind: string, action: "Apply" | "Delete", error: unknown): Promise<Child<never>> {
    const fields = errorFields(error);
    const trouble = { reason: fields.reason, message: `${kind} ${object.metadata.name}: ${fields.error}` };
    // A conflict means a concurrent write of another client.
    if (mayPass(error) || isStatus(error, 409)) return { trouble, passing: asError(error) };
    await object.record({ type: "Warning", reason: `Failed${action}`, message: trouble.message, action });
    return { trouble };
  }
}

const passing = (child: Child<unknown>): Error | undefined => ("trouble" in child ? child.passing : undefined);
