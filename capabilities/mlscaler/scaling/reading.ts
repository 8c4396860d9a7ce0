/** A pod of a target, as HPA's rules look at it. Times are epoch milliseconds. */
export interface Pod {
  name: string;
  labels: Record<string, string>;
  phase: string;
  /** Whether it is being deleted. */
  deleting: boolean;
  /** When it was created; absent where it does not say. */
  createdAt?: number;
  /** Its condition Ready, and since when it is as it is; absent while it has none. */
  ready?: { status: boolean; since: number };
  /** status.startTime: when a kubelet took it up; absent before. */
  startedAt?: number;
  /** What the pod as a whole requests, overhead included, in milli-units, where its spec says so; then it counts instead of its containers'. */
  requests?: Record<string, number>;
  /** Its containers, and the init containers that go on running beside them (restartPolicy Always). */
  containers: { name: string; requests: Record<string, number> }[];
  /** Which version of the pod template it was made from (pod-template-hash, controller-revision-hash); absent where it does not say. */
  revision?: string;
}

/** A value of a metric for one pod, in milli-units as HPA counts (a Quantity's MilliValue). */
export interface Sample {
  milli: number;
  /** When it was taken, epoch milliseconds. */
  at: number;
  /** Over how long, ms. */
  windowMilliseconds: number;
}

/**
 * What a source says of one metric: a sample for each pod that has one, by name, and the pods whose samples are too old
 * to count; or one value in milli-units.
 */
export type Reading = { samples: Map<string, Sample>; stale?: string[] } | { milli: number };

/** What was read for pods, given those whose samples are stale. */
export const readingOf = (samples: Map<string, Sample>, stale: { name: string }[]): Reading =>
  stale.length === 0 ? { samples } : { samples, stale: stale.map(({ name }) => name) };

/** Why there is no count to speak of; never to be taken for a load of 0. */
export class MetricsError extends Error {
  /**
   * @param reason of the condition ScalingActive, in HPA's words: "FailedGetResourceMetric"
   * @param event reason of the Event, where an HPA has another
   */
  constructor(
    readonly reason: string,
    message: string,
    readonly event?: string,
  ) {
    super(message);
    this.name = "MetricsError";
  }
}
