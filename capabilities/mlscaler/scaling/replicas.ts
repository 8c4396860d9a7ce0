import { mostReplicas } from "./behavior";
import { Demand, Proposed } from "./decide";

/** The loads for a recommendation, by the value that pods without a sample count as. */
export interface Demands {
  /** Pods without a fresh sample count as 0. A scale-up uses this load. */
  lowest: Demand;
  /** Pods without a fresh sample count as fully used. A scale-down uses this load. */
  highest: Demand;
}

/**
 * The replicas that a load and its forecast recommend, whichever is higher. A target with `current` replicas is scaled
 * only if `lowest` and `highest` agree on the direction. Throws RangeError when a load is negative or not finite.
 */
export function proposeFor(demands: Demands, replicasPerUnit: number, current: number): Proposed & { demand: Demand } {
  const propose = (demand: Demand): Proposed & { demand: Demand } => {
    const reactive = replicasFor(demand.load, replicasPerUnit);
    const predictive = demand.forecast === undefined ? undefined : replicasFor(demand.forecast, replicasPerUnit);
    return { demand, reactive, predictive, recommended: Math.max(reactive, predictive ?? 0) };
  };
  const highest = propose(demands.highest);
  const lowest = propose(demands.lowest);
  if (highest.recommended < current) return highest;
  if (lowest.recommended > current) return lowest;
  const atMostCurrent = (count: number): number => Math.min(count, current);
  return {
    demand: demands.highest,
    reactive: atMostCurrent(highest.reactive),
    predictive: highest.predictive === undefined ? undefined : atMostCurrent(highest.predictive),
    recommended: current,
    held: highest.recommended > current ? "Unsampled" : undefined,
  };
}

/**
 * Replicas for a load: ceil(load × replicas per unit). Rounds to nine digits first, because 0.6 × 10 can be
 * 6.000000000000001 in doubles, which would yield 7. Throws RangeError when the product is not a count.
 */
export function replicasFor(load: number, replicasPerUnit: number): number {
  const replicas = Math.ceil(Number((load * replicasPerUnit).toFixed(9)));
  if (!(replicas >= 0 && Number.isFinite(replicas)))
    throw new RangeError(`a load of ${load} at ${replicasPerUnit} replicas per unit is no count`);
  return Math.min(replicas, mostReplicas);
}
