import { Pod } from "../scaling/reading";
import { stays } from "../pods";
import { failed, Wanted } from "./api";

/** A pod that has been Ready for less than this may not have a sample yet: metrics-server needs two scrapes, each 15 s by default. */
const firstSampleMilliseconds = 60_000;

/** The load that a source observed, in units of its metric, summed over the target's Ready pods. */
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

/** The pods that carry the load. Throws MetricsError when there is none. */
export function readyOf(pods: Pod[], wanted: Wanted): Pod[] {
  const there = pods.filter(stays);
  const ready = there.filter(pod => pod.ready?.status === true);
  if (ready.length === 0)
    throw failed(wanted, `none of ${there.length} pods is Ready; see why with "kubectl get pods"`);
  return ready;
}

/**
 * The load of the Ready pods among `pods` at `now` (epoch milliseconds), from samples by pod name in units of the
 * metric; what is not a number, or below 0, is no sample. Throws MetricsError when too few have one.
 */
export function loadOf(pods: Pod[], samples: Map<string, number>, now: number, wanted: Wanted): Load {
  const ready = readyOf(pods, wanted);
  const sampleOf = ({ name }: Pod): number => samples.get(name) ?? NaN;
  const sampled = ready.filter(pod => sampleOf(pod) >= 0 && Number.isFinite(sampleOf(pod)));
  if (sampled.length === 0 || sampled.length * 2 < ready.length)
    throw failed(wanted, `only ${sampled.length} of ${ready.length} Ready pods have a sample, half must`);
  const lowest = sampled.reduce((total, pod) => total + sampleOf(pod), 0);
  const mean = lowest / sampled.length;
  const young = ready.filter(pod => !sampled.includes(pod) && now - (pod.ready?.since ?? 0) < firstSampleMilliseconds);
  return { lowest, likely: mean * ready.length, recorded: mean * (ready.length - young.length) };
}
