import { mostReplicas } from "./behavior";

/** A load by the value that pods without a sample count as. */
interface LoadRange {
  /** Pods without a fresh sample count as 0. A scale-up uses this load. */
  lowest: number;
  /** Pods without a fresh sample count as fully used. A scale-down uses this load. */
  highest: number;
}

/** The replicas that a load recommends. */
interface CountPerUnit {
  replicas: number;
  /** The load behind the count. */
  load: number;
  /** Present when pods without a sample hold an increase. */
  held?: "Unsampled";
}

/**
 * The replicas that a load recommends by the rule of `spec.metric`. A target with `current` replicas is scaled only if
 * `lowest` and `highest` agree on the direction. Throws RangeError when a load is negative or not finite.
 */
export function countPerUnit({ lowest, highest }: LoadRange, replicasPerUnit: number, current: number): CountPerUnit {
  const [least, most] = [replicasFor(lowest, replicasPerUnit), replicasFor(highest, replicasPerUnit)];
  if (most < current) return { replicas: most, load: highest };
  if (least > current) return { replicas: least, load: lowest };
  return { replicas: current, load: highest, ...(most > current && { held: "Unsampled" }) };
}

/**
 * Replicas for a load: ceil(load × replicas per unit). Rounds to nine digits first, because 0.6 × 10 can be
 * 6.000000000000001 in doubles, which would yield 7. Throws RangeError when the product is not a count.
 */
export function replicasFor(load: number, replicasPerUnit: number): number {
  const product = load * replicasPerUnit;
  const isJustAbove = product - Math.floor(product) < 1e-9;
  const replicas = Math.ceil(isJustAbove ? Number(product.toFixed(9)) : product);
  if (!(replicas >= 0 && Number.isFinite(replicas)))
    throw new RangeError(`a load of ${load} at ${replicasPerUnit} replicas per unit is no count`);
  return Math.min(replicas, mostReplicas);
}
