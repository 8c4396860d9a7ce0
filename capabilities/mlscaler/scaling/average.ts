import { mostReplicas } from "./behavior";
import { groupPods, NoCount, requestsOf, TargetState } from "./pods";
import { Sample } from "./reading";

/** A metric as it is now: percent, and milli-units. */
export interface Current {
  averageUtilization?: number;
  averageValue?: number;
  value?: number;
}

/** What a metric comes to. */
export interface Count {
  replicas: number;
  current: Current;
}

/** A resource of pods, of all their containers or of one. */
export interface Resource {
  name: string;
  container?: string;
}

/** Milli-units by the name of the pod. */
type Usage = Map<string, number>;

/** How a usage is compared with its target. */
interface Comparison {
  ratioOf: (usage: Usage) => { ratio: number; current: Current };
  /** What a pod without a sample counts for before a scale-down. */
  presumed: (pod: string) => number;
  cpu: boolean;
}

/**
 * Replicas for a target of so many percent of the pods' requests. HPA's GetResourceReplicas
 * (podautoscaler/replica_calculator.go, metrics/utilization.go). Throws NoCount.
 */
export function byUtilization(
  samples: Map<string, Sample>,
  { name, container }: Resource,
  percent: number,
  target: TargetState,
): Count {
  const requests = requestsOf(target.pods, name, container);
  const requestOf = (pod: string): number => requests.get(pod) ?? 0;
  return byPods(samples, target, {
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

/**
 * Replicas for a target of so many milli-units a pod. HPA's calcPlainMetricReplicas
 * (podautoscaler/replica_calculator.go). Throws NoCount.
 */
export function byAverageValue(
  samples: Map<string, Sample>,
  averageMilli: number,
  target: TargetState,
  resource?: Resource,
): Count {
  return byPods(samples, target, {
    ratioOf: usage => {
      const averageValue = Number(sum(usage.values()) / BigInt(usage.size));
      return { ratio: averageValue / averageMilli, current: { averageValue } };
    },
    presumed: () => averageMilli,
    cpu: resource?.name === "cpu",
  });
}

/** Whether a ratio is so near to 1 that nothing is scaled; the ends of the band are. */
export const isWithin = (ratio: number, { up, down }: TargetState["tolerance"]): boolean =>
  1 - down <= ratio && ratio <= 1 + up;

/** A number of replicas, rounded up, as an int32; what is below 0 is 0. */
export const roundUp = (replicas: number): number => Math.max(0, Math.min(Math.ceil(replicas), mostReplicas));

/**
 * The ready pods decide, but a pod without a sample, or not ready before a scale-up, may make the change smaller: it
 * never turns it round.
 */
function byPods(samples: Map<string, Sample>, target: TargetState, { ratioOf, presumed, cpu }: Comparison): Count {
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

  if (ratio !== 1) for (const pod of missing) usage.set(pod, ratio < 1 ? presumed(pod) : 0);
  if (growsWithUnready) for (const pod of unready) usage.set(pod, 0);
  const { ratio: corrected } = ratioOf(usage);
  if (isWithin(corrected, tolerance) || (ratio < 1 && corrected > 1) || (ratio > 1 && corrected < 1)) return stay;
  const replicas = roundUp(corrected * usage.size);
  const turned = corrected < 1 ? replicas > specReplicas : replicas < specReplicas;
  return turned ? stay : { replicas, current };
}

/** The sum of whole milli-units, exact: a hundred times a terabyte in milli-units is beyond a double. */
function sum(values: Iterable<number>): bigint {
  let total = 0n;
  for (const value of values) {
    if (!Number.isInteger(value)) throw new NoCount(`${value} is no whole number of milli-units`);
    total += BigInt(value);
  }
  return total;
}
