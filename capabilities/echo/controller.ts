import { lostChangesSeconds } from "../operator/outcome";
import pMap from "p-map";
import { ignoring, mayPass, mergePatch } from "../kubernetes/api";
import { asError, errorFields } from "../kubernetes/log";
import { watchChildren } from "../operator/children";
import { CustomObject, Context } from "../operator/custom-object";
import { Controller, Result } from "../operator/reconciler";
import { active, isReady, Plan, plan, Pod } from "./plan";
import { createdPod, labelsOf, podManifest, podSelector, podsOf, selectorOf } from "./pods";
import { echo, Spec, Status } from "./schema";

const concurrency = 16;

type EchoObject = CustomObject<Spec, Status>;
type Pods = Map<string, Pod>;

/** Reconciles Echoes: each has as many pods of its image as its spec says. */
export class EchoController implements Controller<Spec, Status> {
  readonly resource = echo;
  readonly fieldManager = "echo-operator";
  readonly retry = { firstSeconds: 5, atMostSeconds: 5 };
  readonly notReady = { is_ready: false };

  constructor(readonly context: Context) {}

  start(signal: AbortSignal): void {
    watchChildren(this.context, echo, "/api/v1/pods", podSelector, signal);
  }

  async reconcile(object: EchoObject): Promise<Result<Status>> {
    const { spec, now, metadata } = object;
    const pods: Pods = new Map((await podsOf(this.context.api, metadata)).map(pod => [pod.uid, pod]));
    const work = plan(spec, [...pods.values()], now.getTime());
    try {
      await this.#carryOut(object, work, pods);
    } catch (error) {
      return { status: statusOf(object, pods, asError(error)), next: { next: "retry", ...this.retry, error } };
    }
    const afterSeconds = ((work.nextAt ?? Infinity) - now.getTime()) / 1000;
    const periodSeconds = lostChangesSeconds;
    const isSoon = afterSeconds < periodSeconds;
    return {
      status: statusOf(object, pods),
      next: isSoon ? { next: "soon", afterSeconds, periodSeconds } : { next: "sync", periodSeconds },
    };
  }

  async #carryOut(object: EchoObject, work: Plan, pods: Pods): Promise<void> {
    const { namespace } = object.metadata;
    for (const { name } of work.relabel) await this.#relabel(object, name);
    await pMap(work.delete, pod => this.#delete(object, pod, pods), { concurrency });
    await this.#say(object, "SuccessfulDelete", "deleted", work.delete.length);
    let created = 0;
    const failures: Error[] = [];
    const create = async ({ failures: before }: Plan["create"][number]): Promise<void> => {
      // A quota that refused one pod would refuse the others. Wait for the running creates.
      if (failures.length > 0) return;
      try {
        object.mustHoldLease();
        const manifest = podManifest(object.reference, object.spec, before);
        const pod = createdPod(await this.context.api.create(`/api/v1/namespaces/${namespace}/pods`, manifest));
        pods.set(pod.uid, pod);
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

  async #delete(object: EchoObject, pod: Pod, pods: Pods): Promise<void> {
    object.mustHoldLease();
    const options = { preconditions: { uid: pod.uid } };
    // The pod is gone or was re-created.
    await ignoring(this.context.api.delete(podPath(pod.namespace, pod.name), options), 404, 409);
    pods.set(pod.uid, { ...pod, terminating: true });
  }

  async #relabel(object: EchoObject, name: string): Promise<void> {
    object.mustHoldLease();
    object.log("warn", "LabelsTakenBack", `pod ${name} had lost its labels, it has them again`);
    const labels = labelsOf(object.reference);
    await this.context.api.patch(podPath(object.metadata.namespace, name), mergePatch, { metadata: { labels } });
  }

  async #say(object: EchoObject, reason: string, done: string, count: number): Promise<void> {
    if (count === 0) return;
    const message = `${done} ${count} pod${count > 1 ? "s" : ""}`;
    await object.record({ type: "Normal", reason, message, action: "Reconcile" });
  }
}

function statusOf(object: EchoObject, all: Pods, failure?: Error): Status {
  const { spec, metadata, reference } = object;
  const pods = [...all.values()];
  const running = active(pods);
  const ready = isReady(spec, pods);
  const good = running.filter(pod => pod.ready && pod.image === spec.image).length;
  const counted = `${good} of ${spec.replicas} pods are Ready`;
  const { reason, error } = errorFields(failure);
  const found = ready
    ? { reason: "PodsReady", message: counted }
    : failure
      ? { reason: mayPass(failure) ? reason : "FailedCreate", message: withoutPodNames(object, error) }
      : { reason: "PodsNotReady", message: `${counted} and up to date` };
  return {
    observedGeneration: metadata.generation,
    current_replicas: running.length,
    is_ready: ready,
    selector: selectorOf(reference),
    conditions: object.conditions([{ type: "Ready", status: ready ? "True" : "False", ...found }]),
  };
}

const podPath = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

/** Removes generated pod names from the API server's message, so that a repeated refusal is the same Event. */
const withoutPodNames = ({ metadata: { name } }: EchoObject, message: string): string =>
  message.replace(/"[^"]+"/g, quoted => (quoted.slice(1, -6) === `${name}-` ? `"${name}-"` : quoted));
