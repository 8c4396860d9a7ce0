import { once } from "node:events";
import { Api } from "../capabilities/kubernetes/api";
import { findKarpenter } from "./build";
import { ExternalMetrics } from "./external-metrics";
import { nodeSeconds, startKarpenter } from "./karpenter";
import { spreadLoad } from "./pod-load";
import { takeStep, type OnStep } from "./steps";
import type { Names } from "./story";
import { repeat } from "./wait";

/** The namespace of the races and the Deployments of both scalers. */
export const namespace = "default";
export const scaled = { mlscaler: "web", hpa: "web-hpa" };

/** Two Deployments with the same load, one with an MLScaler and one with an HPA alone. */
export interface Race {
  /** File in `examples/start`. */
  manifest: string;
  /** What the load does each day. */
  rise: string;
  /** Requests/s before the rise, and for an hour after it. */
  low: number;
  high: number;
  /** The time that a node takes, where the pods need new ones. */
  nodeSeconds?: number;
  /** Adds to the running sandbox what the race needs. Throws when it cannot be had. */
  prepare?: (sandbox: string, onStep: OnStep, signal: AbortSignal) => Promise<void>;
  /** The scalers in the story, where they are not an MLScaler and an HPA. */
  names?: Names;
  /** Gives the HPA its metric of a load in requests/s, until `signal` aborts. */
  feed: (sandbox: string, load: () => number, signal: AbortSignal) => Promise<void>;
}

const feedMilliseconds = 2000;

/** The CPU time of a request, as in examples/start/prometheus.yaml. */
const coresPerRequest = 0.005;

/** Gives the pods of these Deployments the CPU use of a load in requests/s, until `signal` aborts. */
async function useCpu(deployments: string[], load: () => number, signal: AbortSignal): Promise<void> {
  const api = new Api();
  const written = new Map<string, string>();
  const use = async (): Promise<void> => {
    for (const name of deployments) await spreadLoad(api, namespace, `app=${name}`, load() * coresPerRequest, written);
  };
  // Errors are ignored, because a pod may go between list and patch.
  await repeat(feedMilliseconds, signal, use, () => undefined);
}

/** A load that doubles. The HPA scales by the CPU use of its pods. */
const forecast: Race = {
  ...{ manifest: "prometheus.yaml", rise: "the load doubles", low: 780, high: 1560 },
  feed: (_, load, signal) => useCpu([scaled.hpa], load, signal),
};

/** The same for two HPAs that scale by CPU. An MLScaler raises the minimum of one of them. */
const assist: Race = {
  ...{ manifest: "assist.yaml", rise: "the load doubles", low: 780, high: 1560 },
  names: { mlscaler: "HPA with Assist", hpa: "HPA alone" },
  feed: (_, load, signal) => useCpu([scaled.mlscaler, scaled.hpa], load, signal),
};

/** A load that begins, for Deployments at 0 replicas. The HPA scales by an external metric, which needs no pod. */
const zero: Race = {
  ...{ manifest: "zero.yaml", rise: "the first request comes", low: 0, high: 250 },
  async feed(sandbox, load, signal) {
    const metrics = new ExternalMetrics(sandbox, load);
    await metrics.start();
    if (!signal.aborted) await once(signal, "abort");
    await metrics.stop();
  },
};

/** A load that doubles, for pods that need new nodes. The HPA scales by the CPU use of its pods. */
const nodes: Race = {
  ...forecast,
  ...{ manifest: "nodes.yaml", nodeSeconds },
  prepare: (sandbox, onStep, signal) =>
    takeStep("karpenter", onStep, async tell => startKarpenter(sandbox, await findKarpenter(tell, signal), signal)),
};

export const races = { forecast, assist, zero, nodes };
