import { Proposed } from "./decide";
import { replicasFor } from "./replicas";

/** A current and a forecast load, and the capacity of one replica, in units of the metric. */
export interface LoadOutlook {
  load: number;
  /** The highest upper quantile of the load until the horizon; absent without a trusted forecast. */
  upper?: number;
  capacity: number;
}

/**
 * Raises a recommendation to the replicas for trusted forecasts. The limit is `maxExtraPercent` above the replicas for
 * the current loads, or above the lower bound `least` if that is higher. The target's count is no base for the limit:
 * HPA's rule keeps it within the tolerance, and new pods that do not count yet would let each sync raise it again. A
 * forecast never lowers a recommendation. Ignores forecasts that yield no count. Never throws.
 */
export function withForecasts(
  proposed: Proposed,
  ahead: LoadOutlook[],
  least: number,
  maxExtraPercent: number,
): Proposed {
  const counted = ahead.flatMap(({ upper, capacity }) => countOf(upper, capacity) ?? []);
  if (counted.length === 0) return proposed;
  const predictive = Math.max(...counted);
  const needed = Math.max(...ahead.map(({ load, capacity }) => countOf(load, capacity) ?? 0));
  const most = Math.floor((Math.max(least, Math.min(needed, proposed.reactive)) * (100 + maxExtraPercent)) / 100);
  const recommended = Math.min(predictive, most);
  if (recommended <= proposed.recommended) return { ...proposed, predictive, most };
  // The forecast replaces the held part of the reactive count.
  const reactive = Math.min(proposed.reactive, proposed.recommended);
  return { ...proposed, reactive, predictive, most, recommended, held: undefined };
}

/** The replicas that serve a load; undefined if that is unknown. */
export function countOf(load: number | undefined, capacity: number): number | undefined {
  const replicas = (load ?? NaN) / capacity;
  return replicas >= 0 && replicas < Infinity ? replicasFor(replicas, 1) : undefined;
}
