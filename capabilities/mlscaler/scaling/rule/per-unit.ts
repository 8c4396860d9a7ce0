import type { Load } from "../../metrics/load";
import { mostReplicas } from "./behavior";

/** The rule of `spec.metric`: scales only if `lowest` and `highest` agree. Throws RangeError for no load. */
export function countPerUnit(
  { lowest, highest }: Pick<Load, "lowest" | "highest">,
  replicasPerUnit: number,
  current: number,
): { replicas: number; load: number; held?: "Unsampled" } {
  const [least, most] = [replicasFor(lowest, replicasPerUnit), replicasFor(highest, replicasPerUnit)];
  if (most < current) return { replicas: most, load: highest };
  if (least > current) return { replicas: least, load: lowest };
  return { replicas: current, load: highest, ...(most > current && { held: "Unsampled" }) };
}

/** ceil(load × replicas per unit), rounded to nine digits first: 0.6 × 10 is 6.000000000000001. Throws RangeError. */
export function replicasFor(load: number, replicasPerUnit: number): number {
  const product = load * replicasPerUnit;
  const isJustAbove = product - Math.floor(product) < 1e-9;
  const replicas = Math.ceil(isJustAbove ? Number(product.toFixed(9)) : product);
  if (!(replicas >= 0 && Number.isFinite(replicas)))
    throw new RangeError(`a load of ${load} at ${replicasPerUnit} replicas per unit is no count`);
  return Math.min(replicas, mostReplicas);
}
