import * as z from "zod";
import { isStatus, mayPass } from "../common/api";
import { apply } from "../common/apply";
import { watchChildren } from "../common/children";
import { asError, errorFields } from "../common/log";
import { isControlledBy, Metadata, metadataSchema, nameTaken } from "../common/objects";
import { Instance, Reconciliation, Round, Surroundings } from "../common/reconciler";
import { childSelector, deploymentOf, deploymentPath, serviceOf, servicePath } from "./manifests";
import { easyservice, Spec, Status } from "./schema";
import { Child, deploymentSchema, isSettled, Service, serviceSchema, statusOf } from "./status";

/** After success the children are looked at again after this, for what watches lost. */
const periodSeconds = 300;

const foundSchema = z.object({ metadata: metadataSchema });

type EasyService = Instance<Spec, Status>;

interface Wanted<Observed> {
  kind: "Deployment" | "Service";
  path: string;
  manifest: { metadata: object };
  schema: z.ZodType<Observed>;
}

/** What EasyServices do: each has a Deployment and, with ports, a Service, both of its own name. */
export class EasyServiceController implements Reconciliation<Spec, Status> {
  readonly resource = easyservice;
  readonly fieldManager = "easyservice-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 60 };

  constructor(readonly around: Surroundings) {}

  start(signal: AbortSignal): void {
    for (const path of [deploymentPath(), servicePath()])
      watchChildren(this.around, easyservice, path, childSelector, signal);
  }

  /** One round: put the Deployment, put or remove the Service, report. What becomes of one does not hold up the other. */
  async reconcile(object: EasyService): Promise<Round<Status>> {
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
    return {
      status: statusOf(object, deployment, service),
      next: isSettled(deployment, service)
        ? { next: "sync", periodSeconds }
        : { next: "soon", afterSeconds: 10, periodSeconds },
      failure: passing(deployment) ?? passing(service),
    };
  }

  /** Applies one child, unless something stands there that is not this EasyService's. Never throws. */
  async #put<Observed>(object: EasyService, wanted: Wanted<Observed>): Promise<Child<Observed>> {
    const { kind, path, manifest, schema } = wanted;
    try {
      const found = await this.#find(path);
      if (found && !isControlledBy(found, object.reference)) return await this.#taken(object, kind, found);
      object.mustLead();
      // With the uid, what stands there by now instead of what was found is not touched either.
      const metadata = { ...manifest.metadata, ...(found && { uid: found.uid }) };
      const { api } = this.around;
      const { object: stored, takenBack } = await apply(api, path, { ...manifest, metadata }, this.fieldManager);
      if (takenBack) {
        const message = `${kind} ${object.metadata.name}: took back ${takenBack.fields.join(", ")} from ${takenBack.from.join(", ")}; change the EasyService instead`;
        await object.record({ type: "Warning", reason: "TakenBack", message, action: "Apply" });
      }
      return { observed: schema.parse(stored) };
    } catch (error) {
      return await this.#failed(object, kind, "Apply", error);
    }
  }

  /** Removes the Service, if it is this EasyService's. Never throws. */
  async #removeService(object: EasyService): Promise<Child<Service>> {
    const path = servicePath(object.reference);
    try {
      const found = await this.#find(path);
      if (!found || found.deletionTimestamp || !isControlledBy(found, object.reference)) return { unwanted: true };
      object.mustLead();
      const { uid, resourceVersion } = found;
      await this.around.api.delete(path, { preconditions: { uid, resourceVersion } });
      const message = `Service ${object.metadata.name} was removed, because spec.ports is empty`;
      await object.record({ type: "Normal", reason: "ServiceRemoved", message, action: "Delete" });
      return { unwanted: true };
    } catch (error) {
      if (isStatus(error, 404)) return { unwanted: true };
      return await this.#failed(object, "Service", "Delete", error);
    }
  }

  async #find(path: string): Promise<Metadata | undefined> {
    return foundSchema.optional().parse(await this.around.api.find(path))?.metadata;
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
    // A conflict is with another's write at the same moment.
    if (mayPass(error) || isStatus(error, 409)) return { trouble, passing: asError(error) };
    await object.record({ type: "Warning", reason: `Failed${action}`, message: trouble.message, action });
    return { trouble };
  }
}

const passing = (child: Child<unknown>): Error | undefined => ("trouble" in child ? child.passing : undefined);
