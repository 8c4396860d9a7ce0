import { z } from "zod";
import { Api, mergePatch } from "../capabilities/common/api";
import { pause } from "../capabilities/common/pause";
import { listPods, stays } from "../capabilities/mlscaler/pods";
import type { Pod } from "../capabilities/mlscaler/scaling/reading";
import { shareAt, type Trace } from "./trace";

/** What kwok's metrics take a pod's CPU use from. */
const usageAnnotation = "kwok.x-k8s.io/usage-cpu";

const tickMilliseconds = 1000;

/** How a trace is replayed on the pods of a Deployment. */
export interface Replay {
  api: Api;
  namespace: string;
  /** Label selector of the pods. */
  selector: string;
  trace: Trace;
  /** Where in the trace to begin, in its steps. */
  from: number;
  /** Real seconds that one step of the trace takes. */
  secondsPerStep: number;
  /** Cores that the trace's maximum stands for. */
  peakCores: number;
}

/** Where in the trace a replay that began at `startedAt` is now, in steps. */
export const positionAt = ({ from, secondsPerStep }: Replay, startedAt: number, now: number): number =>
  from + (now - startedAt) / 1000 / secondsPerStep;

/**
 * Makes the pods use what the trace says, each its share: the total is the trace's, whatever the number of Ready pods.
 * Until `signal`; a failure is told to `failed`, and the next second is another try.
 */
export async function replay(settings: Replay, signal: AbortSignal, failed: (error: unknown) => void): Promise<void> {
  const { api, namespace, selector, trace, peakCores } = settings;
  const startedAt = Date.now();
  while (!signal.aborted) {
    try {
      const cores = peakCores * shareAt(trace, positionAt(settings, startedAt, Date.now()));
      await spreadLoad(api, namespace, selector, cores);
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await pause(tickMilliseconds, signal);
  }
}

/**
 * Makes the Ready pods that `selector` finds use `cores` in total, each its share. One after the other, those that are Ready
 * longest first: a new pod takes its share of what they have left, and whoever looks meanwhile sees no more than there is.
 * Throws ApiError.
 */
export async function spreadLoad(api: Api, namespace: string, selector: string, cores: number): Promise<void> {
  const pods = (await listPods(api, namespace, selector)).filter(stays);
  const ready = pods.filter(pod => pod.ready?.status).length;
  const since = ({ ready }: Pod): number => (ready?.status ? ready.since : Infinity);
  for (const pod of [...pods].sort((one, other) => since(one) - since(other) || 0)) {
    const usage = pod.ready?.status ? `${Math.round((cores / ready) * 1e6)}u` : "0";
    const metadata = { annotations: { [usageAnnotation]: usage } };
    await api.patch(`/api/v1/namespaces/${namespace}/pods/${pod.name}`, mergePatch, { metadata });
  }
}

/** The label selector of a Deployment's pods. Throws ApiError. */
export async function selectorOf(api: Api, namespace: string, deployment: string): Promise<string> {
  const scale = await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}/scale`);
  return z.object({ status: z.object({ selector: z.string() }) }).parse(scale).status.selector;
}
