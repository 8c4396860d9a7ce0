import { type Skew, toleratedSkewMilliseconds } from "../../kubernetes/server-clock";

/** A pod of a target, with the fields that HPA's rules need. Times are epoch milliseconds. */
export interface Pod {
  name: string;
  labels: Record<string, string>;
  phase: string;
  deleting: boolean;
  createdAt?: number;
  ready?: { status: boolean; since: number };
  /** When a node was found for the pod: the lastTransitionTime of PodScheduled. Absent before. */
  scheduledAt?: number;
  /** The node of a pod that waited for it for more than ten seconds, and so perhaps for the node to be made. */
  waitedFor?: string;
  /** That no node was found yet: since when, and the scheduler's words, shortened. */
  waits?: { since: number; reason: "Unschedulable" | "SchedulingGated"; message: string };
  startedAt?: number;
  /** What the whole pod requests, plus overhead, in milli-units, in effect; it counts instead of the containers. */
  requests?: Record<string, number>;
  /** Why the node can never resize the pod as its spec wants, in the words of the kubelet, shortened. */
  unresizable?: string;
  /** The containers and the sidecars (init containers with restartPolicy Always), with the requests in effect. */
  containers: { name: string; requests: Record<string, number> }[];
  revision?: string;
}

/** Whether a pod is neither being deleted nor ended. */
export const isLive = ({ deleting, phase }: Pod): boolean => !deleting && phase !== "Failed" && phase !== "Succeeded";

/** A value of a metric for one pod, in milli-units like HPA's (a Quantity's MilliValue). */
export interface Sample {
  milli: number;
  /** The time of the sample, epoch milliseconds. */
  at: number;
  /** The window that the sample covers, ms. */
  windowMilliseconds: number;
}

/** The value of a metric: samples by pod name, or one value in milli-units, whose age may be unknown. */
export type Reading =
  | PodReading
  | {
      milli: number;
      ageUnknown?: true;
      /** Present when the age is unknown because its server's clock is off from that of the API server. */
      skew?: Skew;
    };

export interface PodReading {
  samples: Map<string, Sample>;
  stale?: Map<string, Sample>;
}

/** The reading of a metric of pods; a value below 0, or one that `milliOf` cannot read, is no sample. */
export function readingOf<Value extends Omit<Sample, "milli"> & { name: string }>(
  values: { fresh: Value[]; stale: Value[] },
  milliOf: (value: Value) => number | undefined,
): PodReading {
  const samplesOf = (some: Value[]): Map<string, Sample> =>
    new Map(
      some.flatMap((value): [string, Sample][] => {
        const { name, at, windowMilliseconds } = value;
        const milli = milliOf(value) ?? NaN;
        return milli >= 0 ? [[name, { milli, at, windowMilliseconds }]] : [];
      }),
    );
  const stale = samplesOf(values.stale);
  return { samples: samplesOf(values.fresh), ...(stale.size > 0 && { stale }) };
}

export interface MetricReference {
  /** Reason of the condition: "FailedGetPodsMetric". */
  reason: string;
  /** Type and name: "Pods metric requests_per_second". */
  metric: string;
}

/** A metric is unknown. A sync never treats an unknown load as 0. */
export class MetricsError extends Error {
  /** @param event reason of the Event, if HPA uses another than that of ScalingActive */
  constructor(
    readonly reason: string,
    message: string,
    readonly event?: string,
  ) {
    super(message);
    this.name = "MetricsError";
  }
}

/** Creates a MetricsError. `problem` names the problem and its remedy. */
export const metricFailed = ({ reason, metric }: MetricReference, problem: string): MetricsError =>
  new MetricsError(reason, `${metric}: ${problem}`);

export class NoCount extends Error {}

/** Values older than this are stale: their source has stopped. */
export const staleMilliseconds = 300_000;

/** The age at `now` of a value with the time `at`; unknown without a time (0 or less), or with one in the future. */
export function ageOf(at: number, now: number): "fresh" | "stale" | "unknown" {
  if (at <= 0 || at - now > toleratedSkewMilliseconds) return "unknown";
  return now - at > staleMilliseconds ? "stale" : "fresh";
}
