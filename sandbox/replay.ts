import { z } from "zod";
import { Api, mergePatch } from "../capabilities/kubernetes/api";
import { listPods } from "../capabilities/mlscaler/metrics/pod-watch";
import { isLive, type Pod } from "../capabilities/mlscaler/metrics/reading";
import { shareAt, type Trace } from "./trace";
import { repeat } from "./wait";

/** The annotation from which kwok reads the CPU use of a pod. */
const usageAnnotation = "kwok.x-k8s.io/usage-cpu";

const tickMilliseconds = 1000;

/** Settings of the replay of a trace on the pods of a Deployment. */
export interface Replay {
  api: Api;
  namespace: string;
  /** Label selector of the pods. */
  selector: string;
  trace: Trace;
  /** Start position in the trace, in steps. */
  from: number;
  /** Real seconds per step of the trace. */
  secondsPerStep: number;
  /** Cores at the maximum of the trace. */
  peakCores: number;
}

/** The position (in steps) at `now` of a replay that started at `startedAt` (both epoch milliseconds). */
export const positionAt = ({ from, secondsPerStep }: Replay, startedAt: number, now: number): number =>
  from + (now - startedAt) / 1000 / secondsPerStep;

/** Sets the CPU use of the pods, so that the total of the Ready ones follows the trace. Runs until `signal` aborts. */
export async function replay(settings: Replay, signal: AbortSignal): Promise<void> {
  const { api, namespace, selector, trace, peakCores } = settings;
  const startedAt = Date.now();
  const written = new Map<string, string>();
  await repeat(tickMilliseconds, signal, () => {
    const cores = peakCores * shareAt(trace, positionAt(settings, startedAt, Date.now()));
    return spreadLoad(api, namespace, selector, cores, written);
  });
}

/**
 * Spreads a CPU use of `cores` evenly over the Ready pods that match `selector`. Writes the pods in the order in which
 * they became Ready, so that the total never exceeds `cores` in between. Throws ApiError.
 * @param written what the calls before have written, by pod. They write only what changes.
 */
export async function spreadLoad(
  api: Api,
  namespace: string,
  selector: string,
  cores: number,
  written: Map<string, string>,
): Promise<void> {
  const pods = (await listPods(api, namespace, selector)).filter(isLive);
  const ready = pods.filter(pod => pod.ready?.status).length;
  const since = ({ ready }: Pod): number => (ready?.status ? ready.since : Infinity);
  for (const pod of [...pods].sort((one, other) => since(one) - since(other) || 0)) {
    const usage = pod.ready?.status ? `${Math.round((cores / ready) * 1e6)}u` : "0";
    // A StatefulSet makes pods of the same name again.
    const key = `${pod.name} ${pod.createdAt}`;
    if (written.get(key) === usage) continue;
    const metadata = { annotations: { [usageAnnotation]: usage } };
    await api.patch(`/api/v1/namespaces/${namespace}/pods/${pod.name}`, mergePatch, { metadata });
    written.set(key, usage);
  }
}

/** The label selector of a Deployment's pods. Throws ApiError. */
export async function selectorOf(api: Api, namespace: string, deployment: string): Promise<string> {
  const scale = await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}/scale`);
  return z.object({ status: z.object({ selector: z.string() }) }).parse(scale).status.selector;
}
