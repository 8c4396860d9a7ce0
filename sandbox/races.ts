import { once } from "node:events";
import { Api } from "../capabilities/kubernetes/api";
import { ExternalMetrics } from "./external-metrics";
import { spreadLoad } from "./pod-load";
import { repeat } from "./wait";

/** The namespace of the races and the Deployments of both scalers. */
export const namespace = "default";
export const scaled = { mlscaler: "web", hpa: "web-hpa" };

/** Two Deployments with the same load, one scaled by an MLScaler and one by an HPA. */
export interface Race {
  /** File in `examples`. */
  manifest: string;
  /** What the load does each day. */
  rise: string;
  /** Requests/s before the rise, and for an hour after it. */
  low: number;
  high: number;
  /** Gives the HPA its metric of a load in requests/s, until `signal` aborts. */
  feed: (sandbox: string, load: () => number, signal: AbortSignal) => Promise<void>;
}

const feedMilliseconds = 2000;

/** The CPU time of a request, as in examples/prometheus.yaml. */
const coresPerRequest = 0.005;

/** A load that doubles. The HPA scales by the CPU use of its pods. */
const forecast: Race = {
  ...{ manifest: "prometheus.yaml", rise: "the load doubles", low: 780, high: 1560 },
  async feed(_, load, signal) {
    const api = new Api();
    const written = new Map<string, string>();
    const use = (): Promise<void> => spreadLoad(api, namespace, `app=${scaled.hpa}`, load() * coresPerRequest, written);
    // Errors are ignored, because a pod may go between list and patch.
    await repeat(feedMilliseconds, signal, use, () => undefined);
  },
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

export const races = { forecast, zero };
