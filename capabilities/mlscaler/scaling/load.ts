import { mostReplicas } from "./behavior";
import { Demand, Proposed } from "./decide";

/** What the load asks for, by what is taken for the pods without a sample. */
export interface Demands {
  /** Where pods without a sample count as 0: what a scale-up may rest on. */
  lowest: Demand;
  /** Where they count as the mean of the others: what a scale-down may rest on. */
  likely: Demand;
}

/**
 * What a load, and a forecast of it, ask for: the higher of both. Pods without a sample may hide load or the lack of
 * it, so a target of `current` replicas is led neither way further than the samples there are. Throws RangeError when
 * a load is no number or below 0.
 */
export function proposeFor(demands: Demands, replicasPerUnit: number, current: number): Proposed & { demand: Demand } {
  const propose = (demand: Demand): Proposed & { demand: Demand } => {
    const reactive = replicasFor(demand.load, replicasPerUnit);
    const predictive = demand.forecast === undefined ? undefined : replicasFor(demand.forecast, replicasPerUnit);
    return { demand, reactive, predictive, recommended: Math.max(reactive, predictive ?? 0) };
  };
  const likely = propose(demands.likely);
  const lowest = propose(demands.lowest);
  if (likely.recommended < current) return likely;
  if (lowest.recommended > current) return lowest;
  const atMostCurrent = (count: number): number => Math.min(count, current);
  return {
    demand: demands.likely,
    reactive: atMostCurrent(likely.reactive),
    predictive: likely.predictive === undefined ? undefined : atMostCurrent(likely.predictive),
    recommended: current,
    held: likely.recommended > current ? "Unsampled" : undefined,
  };
}

/**
 * Replicas for a load, rounded up: ceil(load × replicas per unit). Rounded to nine digits first, or 0.6 × 10, which is
 * 6.000000000000001 in doubles, would ask for 7. Throws RangeError when the product is not a count.
 */
export function replicasFor(load: number, replicasPerUnit: number): number {
  const replicas = Math.ceil(Number((load * replicasPerUnit).toFixed(9)));
  if (!(replicas >= 0 && Number.isFinite(replicas)))
    throw new RangeError(`a load of ${load} at ${replicasPerUnit} replicas per unit is no count`);
  return Math.min(replicas, mostReplicas);
}
