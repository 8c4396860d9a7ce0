import { mostReplicas } from "./behavior";
import { groupPods, TargetState } from "./pod-groups";
import { NoCount, PodReading } from "../../metrics/reading";
import { requestsOf } from "../../metrics/pods/requests";
import type { PodResource } from "../../metrics/sources/source";

/** The current value of a metric, in percent and milli-units. */
export interface Current {
  averageUtilization?: number;
  averageValue?: number;
  value?: number;
}

export interface Count {
  replicas: number;
  current: Current;
}

/** Milli-units by pod name. */
type Usage = Map<string, number>;

/** The rule for a usage: its ratio to the target, and the presumed usage of pods without a sample. */
interface UsageTarget {
  ratioOf: (usage: Usage) => { ratio: number; current: Current };
  /** The usage that a pod without a sample counts as before a scale-down. */
  presumed: (pod: string) => number;
  cpu: boolean;
}

/** HPA's GetResourceReplicas (replica_calculator.go, utilization.go), in percent of requests. Throws NoCount. */
export function byUtilization(
  reading: PodReading,
  { name, container }: PodResource,
  percent: number,
  target: TargetState,
): Count {
  const requests = requestsOf(target.pods, name, container);
  const requestOf = (pod: string): number => requests.get(pod) ?? 0;
  return byPods(reading, target, {
    ratioOf: usage => {
      const requested = sum([...usage.keys()].map(requestOf));
      if (requested === 0n) throw new NoCount(`the pods request no ${name}`);
      const total = sum(usage.values());
      const averageUtilization = Math.min(Number((total * 100n) / requested), mostReplicas);
      return {
        ratio: averageUtilization / percent,
        current: { averageUtilization, averageValue: Number(total / BigInt(usage.size)) },
      };
    },
    presumed: pod => Math.trunc((requestOf(pod) * Math.max(100, percent)) / 100),
    cpu: name === "cpu",
  });
}

/** HPA's calcPlainMetricReplicas (replica_calculator.go), in milli-units per pod. Throws NoCount. */
export function byAverageValue(
  reading: PodReading,
  averageMilli: number,
  target: TargetState,
  resource?: PodResource,
): Count {
  return byPods(reading, target, {
    ratioOf: usage => {
      const averageValue = Number(sum(usage.values()) / BigInt(usage.size));
      return { ratio: averageValue / averageMilli, current: { averageValue } };
    },
    presumed: () => averageMilli,
    cpu: resource?.name === "cpu",
  });
}

/** Whether a ratio is within the tolerance around 1, ends included. */
export const isWithin = (ratio: number, { up, down }: TargetState["tolerance"]): boolean =>
  1 - down <= ratio && ratio <= 1 + up;

/** Rounds replicas up to an int32 of at least 0. */
export const roundUp = (replicas: number): number => Math.max(0, Math.min(Math.ceil(replicas), mostReplicas));

// Pods without a sample, and unready pods before a scale-up, may reduce the change, but never reverse it. A stale
// sample, which HPA takes for a fresh one, only counts before a scale-down, if it is higher than what HPA presumes.
function byPods({ samples, stale }: PodReading, target: TargetState, { ratioOf, presumed, cpu }: UsageTarget): Count {
  const { pods, specReplicas, tolerance } = target;
  if (pods.length === 0) throw new NoCount("no pods returned by selector while calculating replica count");
  const { ready, unready, missing } = groupPods(target, samples, cpu);
  const usage: Usage = new Map(ready.map(pod => [pod, samples.get(pod)?.milli ?? NaN]));
  if (usage.size === 0) throw new NoCount("did not receive metrics for targeted pods (pods might be unready)");

  const { ratio, current } = ratioOf(usage);
  const stay: Count = { replicas: specReplicas, current };
  const growsWithUnready = ratio > 1 && unready.length > 0;
  if (!growsWithUnready && missing.length === 0)
    return isWithin(ratio, tolerance) ? stay : { replicas: roundUp(ratio * usage.size), current };

  const atMost = (pod: string): number => Math.max(presumed(pod), stale?.get(pod)?.milli ?? 0);
  if (ratio !== 1) for (const pod of missing) usage.set(pod, ratio < 1 ? atMost(pod) : 0);
  if (growsWithUnready) for (const pod of unready) usage.set(pod, 0);
  const { ratio: corrected } = ratioOf(usage);
  if (isWithin(corrected, tolerance) || (ratio < 1 && corrected > 1) || (ratio > 1 && corrected < 1)) return stay;
  const replicas = roundUp(corrected * usage.size);
  const reversed = corrected < 1 ? replicas > specReplicas : replicas < specReplicas;
  return reversed ? stay : { replicas, current };
}

/** Sums whole milli-units exactly. A hundred times a terabyte in milli-units exceeds the precision of a double. */
function sum(values: Iterable<number>): bigint {
  let total = 0n;
  for (const value of values) {
    if (!Number.isInteger(value)) throw new NoCount(`${value} is not a whole number of milli-units`);
    total += BigInt(value);
  }
  return total;
}
