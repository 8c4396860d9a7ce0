import { Pod } from "../target";

/** The load that a source observed, in units of its metric, summed over the target's ready pods. */
export interface Load {
  /** Pods without a sample count as 0: what a scale-up may rest on. */
  lowest: number;
  /** Pods without a sample count as the mean of the others: what a scale-down, and the history, rest on. */
  likely: number;
}

/** Why there is no load to speak of; never to be taken for a load of 0. */
export class MetricsError extends Error {
  /** @param reason of the condition ScalingActive, in HPA's words: "FailedGetResourceMetric" */
  constructor(
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "MetricsError";
  }
}

/** A source of load. */
export interface Source {
  /** The load of `pods` now. Throws MetricsError when it cannot be known, ApiError when the API server fails. */
  observe(namespace: string, metric: string, pods: Pod[]): Promise<Load>;
}

/** The unit that a metric's load is counted in. */
export const unitOf = (metric: "cpu" | "memory"): string => ({ cpu: "cores", memory: "GiB" })[metric];
