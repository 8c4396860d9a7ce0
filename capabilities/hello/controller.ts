import { isStatus } from "../common/api";
import { apply } from "../common/apply";
import { watchChildren } from "../common/children";
import { Finding } from "../common/conditions";
import { isControlledBy, Metadata } from "../common/objects";
import { Instance, Reconciliation, Round, Surroundings } from "../common/reconciler";
import { deploymentOf, deploymentSelector, manager } from "./manifest";
import { hello, Spec, Status } from "./schema";
import {
  Deployment,
  deploymentSchema,
  nameTakenFinding,
  nothingTakenBack,
  podsOf,
  readyFinding,
  takenBackFinding,
  takenBackType,
} from "./status";

/** A Deployment is looked at again after this, for what watches lost. */
const periodSeconds = 600;

/** What Helloes do: each keeps a Deployment of its name. */
export class HelloController implements Reconciliation<Spec, Status> {
  readonly resource = hello;
  readonly fieldManager = manager;
  readonly finalizer = "fraim.co.jp/example-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 60 };

  constructor(readonly around: Surroundings) {}

  start(signal: AbortSignal): void {
    watchChildren(this.around, hello, "/apis/apps/v1/deployments", deploymentSelector, signal);
  }

  /** One round: look at what stands there, apply the Deployment, say whose changes were undone, report. */
  async reconcile(object: Instance<Spec, Status>): Promise<Round<Status>> {
    const standing = await this.#read(object);
    if (standing && !isControlledBy(standing.metadata, object.reference)) return this.#nameTaken(object, standing);

    const { deployment, findings } = await this.#apply(object, standing);
    const ready = readyFinding(deployment);
    object.log("info", ready.reason, ready.message);
    return {
      status: {
        observedGeneration: object.metadata.generation,
        ...podsOf(deployment),
        conditions: object.conditions([ready, ...findings]),
      },
      next: { next: "sync", periodSeconds },
    };
  }

  /** A Hello is being deleted: its Deployment goes first, unless it is not ours or is to be left an orphan. */
  async finalize(object: Instance<Spec | undefined, Status>): Promise<boolean> {
    const { name, finalizers } = object.metadata;
    const standing = await this.#read(object);
    const ours = standing !== undefined && isControlledBy(standing.metadata, object.reference);
    if (ours && !finalizers.includes("orphan") && !(await this.#delete(object, standing.metadata))) return false;
    await object.record({ type: "Normal", reason: "DeleteRequested", message: `Delete ${name}`, action: "Deleting" });
    return true;
  }

  async #read({ metadata }: Instance<unknown, Status>): Promise<Deployment | undefined> {
    return deploymentSchema.optional().parse(await this.around.api.find(deploymentPath(metadata)));
  }

  async #nameTaken(object: Instance<Spec, Status>, standing: Deployment): Promise<Round<Status>> {
    const taken = nameTakenFinding(standing);
    await object.record({ type: "Warning", reason: taken.reason, message: taken.message, action: "Reconcile" });
    const conditions = object.conditions([taken]);
    return {
      status: { observedGeneration: object.metadata.generation, replicas: 0, ready: 0, conditions },
      // Nobody tells when a Deployment goes that does not carry our label.
      next: { next: "soon", afterSeconds: 10, periodSeconds },
    };
  }

  async #apply(
    object: Instance<Spec, Status>,
    standing: Deployment | undefined,
  ): Promise<{ deployment: Deployment; findings: Finding[] }> {
    const wanted = deploymentOf(object.reference, object.spec);
    // With its uid, so that one that has taken its place meanwhile is not touched.
    const body = { ...wanted, metadata: { ...wanted.metadata, uid: standing?.metadata.uid } };
    object.mustLead();
    const applied = await apply(this.around.api, deploymentPath(object.metadata), body, manager);
    const findings = applied.takenBack ? [takenBackFinding(applied.takenBack, object.spec)] : [];
    for (const { reason, message } of findings)
      await object.record({ type: "Warning", reason, message, action: "Reconcile" });
    // What was taken back is told until the Hello itself is changed.
    const told = object.status.conditions?.find(({ type }) => type === takenBackType);
    if (!applied.takenBack && told && told.observedGeneration !== object.metadata.generation)
      findings.push(nothingTakenBack);
    return { deployment: deploymentSchema.parse(applied.object), findings };
  }

  /** Deletes the Deployment, and says whether it is really gone: finalizers of others may hold it. */
  async #delete(object: Instance<unknown, Status>, { uid, deletionTimestamp }: Metadata): Promise<boolean> {
    if (!deletionTimestamp) {
      object.mustLead();
      const options = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        preconditions: { uid },
        propagationPolicy: "Background",
      };
      try {
        await this.around.api.delete(deploymentPath(object.metadata), options);
      } catch (error) {
        // Another has taken its place, or none.
        if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
      }
    }
    return (await this.#read(object))?.metadata.uid !== uid;
  }
}

const deploymentPath = ({ namespace, name }: Metadata): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
