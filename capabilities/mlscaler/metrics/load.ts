import { isLive, metricFailed, MetricReference, Pod } from "./reading";

/** A pod Ready for less time may have no sample yet: metrics-server needs two scrapes, by default 15 s apart. */
const firstSampleMilliseconds = 60_000;

/** The observed load, in units of the metric, summed over the target's Ready pods. */
export interface Load {
  /** Pods without a sample count as 0. A scale-up uses this load. */
  lowest: number;
  /** Pods without a sample count as the mean of the others. A scale-down uses this load. */
  likely: number;
  /**
   * The load for the history. It is `likely`, but young pods without a sample count as 0. The samples of the other pods
   * still include the load that the young pods took over, so each scale-up would otherwise look like a rise of load.
   */
  recorded: number;
}

/** The pods that serve load. Throws MetricsError when there is none. */
export function readyPods(pods: Pod[], reference: MetricReference): Pod[] {
  const live = pods.filter(isLive);
  const ready = live.filter(pod => pod.ready?.status === true);
  if (ready.length === 0)
    throw metricFailed(reference, `none of ${live.length} pods is Ready; see why with "kubectl get pods"`);
  return ready;
}

/**
 * The load of the Ready pods among `pods` at `now` (epoch milliseconds). `samples` are by pod name, in units of the
 * metric. Negative and non-finite values do not count as samples. Throws MetricsError when fewer than half of the Ready
 * pods have a sample.
 */
export function loadOf(pods: Pod[], samples: Map<string, number>, now: number, reference: MetricReference): Load {
  const ready = readyPods(pods, reference);
  const sampleOf = ({ name }: Pod): number => samples.get(name) ?? NaN;
  const sampled = ready.filter(pod => sampleOf(pod) >= 0 && Number.isFinite(sampleOf(pod)));
  if (sampled.length === 0 || sampled.length * 2 < ready.length)
    throw metricFailed(reference, `only ${sampled.length} of ${ready.length} Ready pods have a sample, half must`);
  const lowest = sampled.reduce((total, pod) => total + sampleOf(pod), 0);
  const mean = lowest / sampled.length;
  const young = ready.filter(pod => !sampled.includes(pod) && now - (pod.ready?.since ?? 0) < firstSampleMilliseconds);
  return { lowest, likely: mean * ready.length, recorded: mean * (ready.length - young.length) };
}
