import { Pod } from "../target";

/** The load that a source observed, in units of its metric, summed over the target's ready pods. */
export interface Load {
  /** Pods without a sample count as 0: what a scale-up may rest on. */
  lowest: number;
  /** Pods without a sample count as the mean of the others: what a scale-down may rest on. */
  likely: number;
  /**
   * What goes into the history: as `likely`, but pods that are too young to have a sample count as 0, because what they
   * took over is still in the samples of the others. Otherwise every scale-up would look like a rise of load.
   */
  recorded: number;
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
  /** The load of `pods` at `now` (epoch milliseconds). Throws MetricsError when it cannot be known, ApiError when the API server fails. */
  observe(namespace: string, metric: string, pods: Pod[], now: number): Promise<Load>;
}

/** The unit that a metric's load is counted in. */
export const unitOf = (metric: "cpu" | "memory"): string => ({ cpu: "cores", memory: "GiB" })[metric];
