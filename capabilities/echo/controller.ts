import pMap from "p-map";
import * as z from "zod";
import { isStatus, mayPass, mergePatch } from "../kubernetes/api";
import { asError, errorFields } from "../kubernetes/log";
import { isControlledBy, metadataSchema } from "../kubernetes/metadata";
import { CustomObject, Controller, Result, Context } from "../operator/reconciler";
import { active, isReady, Plan, plan, Pod } from "./plan";
import { labelsOf, podManifest, Pods, selectorOf } from "./pods";
import { echo, Spec, Status } from "./schema";

const periodSeconds = 300;

/** The time after the start in which an unfinished list of pods is no failure, in ms. */
const listMilliseconds = 30_000;

const concurrency = 16;

type EchoObject = CustomObject<Spec, Status>;

/** Reconciles Echoes: each has as many pods of its image as its spec says. */
export class EchoController implements Controller<Spec, Status> {
  readonly resource = echo;
  readonly fieldManager = "echo-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 5 };
  readonly notReady = { is_ready: false };
  readonly #pods: Pods;
  #startedAt = 0;

  constructor(readonly context: Context) {
    this.#pods = new Pods(context);
  }

  start(signal: AbortSignal): void {
    this.#startedAt = performance.now();
    this.#pods.start(signal);
  }

  async reconcile(object: EchoObject): Promise<Result<Status>> {
    const { spec, now, metadata } = object;
    if (!this.#pods.complete) return this.#notYet(object);
    await this.#recover(object);
    const work = plan(spec, this.#pods.of(metadata.uid), now.getTime());
    try {
      await this.#carryOut(object, work);
    } catch (error) {
      return { status: this.#status(object, asError(error)), next: { next: "retry", ...this.retry, error } };
    }
    const afterSeconds = ((work.nextAt ?? Infinity) - now.getTime()) / 1000;
    const isSoon = afterSeconds < periodSeconds;
    return {
      status: this.#status(object),
      next: isSoon ? { next: "soon", afterSeconds, periodSeconds } : { next: "sync", periodSeconds },
    };
  }

  /** Waits: before all pods have been listed an Echo seems to have none. */
  #notYet({ status }: EchoObject): Result<Status> {
    if (performance.now() - this.#startedAt > listMilliseconds) throw new Error("the pods could not be listed");
    return { status, next: { next: "soon", afterSeconds: 1, periodSeconds } };
  }

  async #recover(object: EchoObject): Promise<void> {
    const { uid, namespace } = object.metadata;
    for (const name of this.#pods.lost(object.key)) {
      const path = podPath(namespace, name);
      try {
        const { metadata } = z.object({ metadata: metadataSchema }).parse(await this.context.api.get(path));
        if (isControlledBy(metadata, { uid }) && !metadata.deletionTimestamp) await this.#relabel(object, name);
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
      }
      this.#pods.found(object.key, name);
    }
  }

  async #carryOut(object: EchoObject, work: Plan): Promise<void> {
    const { namespace } = object.metadata;
    for (const { name } of work.relabel) await this.#relabel(object, name);
    await pMap(work.delete, pod => this.#delete(object, pod), { concurrency });
    await this.#say(object, "SuccessfulDelete", "deleted", work.delete.length);
    let created = 0;
    const failures: Error[] = [];
    const create = async (pod: Plan["create"][number]): Promise<void> => {
      // A quota that refused one pod would refuse the others. Wait for the running creates.
      if (failures.length > 0) return;
      try {
        object.mustHoldLease();
        const manifest = podManifest(object.reference, object.spec, pod.failures);
        this.#pods.noted(await this.context.api.create(`/api/v1/namespaces/${namespace}/pods`, manifest));
        created++;
      } catch (error) {
        failures.push(asError(error));
      }
    };
    await pMap(work.create, create, { concurrency });
    await this.#say(object, "SuccessfulCreate", "created", created);
    const [failure] = failures;
    if (!failure) return;
    if (!mayPass(failure)) {
      const message = withoutPodNames(object, errorFields(failure).error);
      await object.record({ type: "Warning", reason: "FailedCreate", message, action: "Create" });
    }
    throw failure;
  }

  async #delete(object: EchoObject, pod: Pod): Promise<void> {
    object.mustHoldLease();
    try {
      await this.context.api.delete(podPath(pod.namespace, pod.name), { preconditions: { uid: pod.uid } });
    } catch (error) {
      // The pod is gone or was re-created.
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    }
    this.#pods.deleted(pod);
  }

  async #relabel(object: EchoObject, name: string): Promise<void> {
    object.mustHoldLease();
    object.log("warn", "LabelsTakenBack", `pod ${name} had lost its labels, it has them again`);
    const labels = labelsOf(object.reference);
    const path = podPath(object.metadata.namespace, name);
    this.#pods.noted(await this.context.api.patch(path, mergePatch, { metadata: { labels } }));
  }

  async #say(object: EchoObject, reason: string, done: string, count: number): Promise<void> {
    if (count === 0) return;
    const message = `${done} ${count} pod${count > 1 ? "s" : ""}`;
    await object.record({ type: "Normal", reason, message, action: "Reconcile" });
  }

  #status(object: EchoObject, failure?: Error): Status {
    const { spec, metadata, reference } = object;
    const pods = this.#pods.of(metadata.uid);
    const running = active(pods);
    const ready = isReady(spec, pods);
    const good = running.filter(pod => pod.ready && pod.image === spec.image).length;
    const found = ready
      ? ({ status: "True", reason: "PodsReady", message: `${good} of ${spec.replicas} pods are Ready` } as const)
      : ({
          status: "False",
          reason: failure === undefined ? "PodsNotReady" : failureReason(failure),
          message:
            failure === undefined
              ? `${good} of ${spec.replicas} pods are Ready and up to date`
              : withoutPodNames(object, errorFields(failure).error),
        } as const);
    return {
      observedGeneration: metadata.generation,
      current_replicas: running.length,
      is_ready: ready,
      selector: selectorOf(reference),
      conditions: object.conditions([{ type: "Ready", ...found }]),
    };
  }
}

const podPath = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

const failureReason = (error: Error): string => (mayPass(error) ? errorFields(error).reason : "FailedCreate");

/** Removes generated pod names from the API server's message, so that a repeated refusal is the same Event. */
const withoutPodNames = ({ metadata: { name } }: EchoObject, message: string): string =>
  message.replace(/"[^"]+"/g, quoted => (quoted.slice(1, -6) === `${name}-` ? `"${name}-"` : quoted));
