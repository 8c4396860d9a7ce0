import { Api } from "../capabilities/kubernetes/api";
import { findKarpenter } from "./build";
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
  /** The time that a node takes, where the pods need new ones. */
  nodeSeconds?: number;
  /** Adds to the running sandbox what the race needs. Throws when it cannot be had. */
  prepare?: (sandbox: string, onStep: OnStep, signal: AbortSignal) => Promise<void>;
  /** The scalers in the story, where they are not an MLScaler and an HPA. */
  names?: Names;
  /** The Deployments whose HPAs scale by the CPU use of their pods. */
  byCpu: string[];
}

const feedMilliseconds = 2000;

/** The CPU time of a request, as in examples/start/prometheus.yaml. */
const coresPerRequest = 0.005;

/** Gives the pods of these Deployments the CPU use of a load in requests/s, until `signal` aborts. */
export async function useCpu(deployments: string[], load: () => number, signal: AbortSignal): Promise<void> {
  const api = new Api();
  const written = new Map<string, string>();
  const use = async (): Promise<void> => {
    for (const name of deployments) await spreadLoad(api, namespace, `app=${name}`, load() * coresPerRequest, written);
  };
  // Errors are ignored, because a pod may go between list and patch.
  await repeat(feedMilliseconds, signal, use, () => undefined);
}

const forecast: Race = { manifest: "prometheus.yaml", byCpu: [scaled.hpa] };

/** Two HPAs. An MLScaler raises the minimum of one of them. */
const assist: Race = {
  manifest: "assist.yaml",
  names: { mlscaler: "HPA with Assist", hpa: "HPA alone" },
  byCpu: [scaled.mlscaler, scaled.hpa],
};

/** As `forecast`, for pods that need new nodes. */
const nodes: Race = {
  ...forecast,
  ...{ manifest: "nodes.yaml", nodeSeconds },
  prepare: (sandbox, onStep, signal) =>
    takeStep("Karpenter", onStep, async tell => startKarpenter(sandbox, await findKarpenter(tell, signal), signal)),
};

export const races = { forecast, assist, nodes };
