import { ConditionUpdate } from "../../kubernetes/conditions";
import { defaultTolerance, readinessDelayMilliseconds } from "../hpa-defaults";
import { isLive, metricFailed, MetricReference, Pod, staleMilliseconds } from "./reading";

/** A pod Ready for less time may have no sample yet: metrics-server needs two scrapes, by default 15 s apart. */
const firstSampleMilliseconds = 60_000;

/** The share of a total that may be a guess in the history. */
const mostGuessed = defaultTolerance;

export interface PodSamples {
  fresh: Map<string, number>;
  /** The samples that are too old, and those whose age is unknown. The latter are fresh ones, too. */
  doubtful: Map<string, number>;
}

export interface Load {
  /** Pods without a fresh sample count as 0. A scale-up uses this load. */
  lowest: number;
  /** The same with pods without a fresh sample, or that lost readiness, as fully used: for a scale-down. */
  highest: number;
  /**
   * The load for the history. Pods without a fresh sample count as the mean of the others; absent if that is more than a
   * tenth. Young pods count as 0: the samples of the others still include the load that they took over.
   */
  recorded?: number;
  ready: number;
  sampled: number;
}

/** The pods that serve load: the Ready ones. */
export const servingPods = (pods: Pod[]): Pod[] => pods.filter(pod => isLive(pod) && pod.ready?.status);

/** The pods that serve load. Throws MetricsError when there is none. */
export function readyPods(pods: Pod[], reference: MetricReference): Pod[] {
  const ready = servingPods(pods);
  if (ready.length > 0) return ready;
  const live = pods.filter(isLive).length;
  throw metricFailed(reference, `none of ${live} pods is Ready; see why with "kubectl get pods"`);
}

/** The load of the Ready pods at `now`. What `started` pods took over left with the pods before them. Never throws. */
export function loadOf(
  pods: Pod[],
  { fresh, doubtful }: PodSamples,
  capacity: number,
  started: Set<string>,
  now: number,
): Load {
  const ready = servingPods(pods);
  const sampled = ready.flatMap(pod => loadIn(fresh, pod) ?? []);
  const lowest = sum(sampled);
  const mean = sampled.length === 0 ? 0 : lowest / sampled.length;
  const full = Math.max(capacity, mean);
  const atMost = (pod: Pod): number => {
    const [now, last] = [loadIn(fresh, pod), loadIn(doubtful, pod)];
    return now !== undefined && last === undefined ? now : Math.max(full, now ?? 0, last ?? 0);
  };
  const old = ready.filter(
    pod =>
      loadIn(fresh, pod) === undefined &&
      (started.has(pod.name) || now - (pod.ready?.since ?? 0) >= firstSampleMilliseconds),
  );
  const guessed = old.length * full;
  return {
    lowest,
    highest: sum([...ready, ...pods.filter(hasLostReadiness)].map(atMost)),
    ...(sampled.length > 0 && guessed <= mostGuessed * (lowest + guessed) && { recorded: lowest + old.length * mean }),
    ready: ready.length,
    sampled: sampled.length,
  };
}

/** The reason of Ready=False when a decision rests on pods without a fresh sample. */
export const unsampledPods = "UnsampledPods";

/** The reason of Ready=False while a value of unknown age raises the count, and would not lower it. */
export const unknownAge = "UnknownAge";

/** The condition of Ready pods that have no fresh sample for five minutes, or one of unknown age. `now` in epoch ms. */
export function unsampledCondition(
  pods: Pod[],
  sampleOf: (name: string) => "fresh" | "unknown" | "none",
  now: number,
  { metric }: MetricReference,
): ConditionUpdate | undefined {
  const ready = servingPods(pods);
  const found = ready.filter(pod => {
    const sample = sampleOf(pod.name);
    return sample === "unknown" || (sample === "none" && now - (pod.ready?.since ?? 0) >= staleMilliseconds);
  });
  if (found.length === 0) return undefined;
  const names = `${found.length} of ${ready.length} Ready pods (${found[0]?.name}${found.length > 1 ? " …" : ""})`;
  const message =
    `${metric}: ${names} have no fresh sample; they count as fully used before the count is lowered, and as 0 before ` +
    "it is raised; see whether the source of the metric still gets them, and the clocks";
  return { type: "Ready", status: "False", reason: unsampledPods, message };
}

/** The sample of a pod; undefined if it has none, or one that is not a load. */
function loadIn(samples: Map<string, number>, { name }: Pod): number | undefined {
  const value = samples.get(name) ?? NaN;
  return value >= 0 && value < Infinity ? value : undefined;
}

/** Whether a running pod was Ready and is not any more: it may be overloaded. HPA counts its sample as well. */
const hasLostReadiness = (pod: Pod): boolean =>
  isLive(pod) &&
  pod.phase === "Running" &&
  pod.ready?.status === false &&
  pod.startedAt !== undefined &&
  pod.ready.since - pod.startedAt >= readinessDelayMilliseconds;

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
