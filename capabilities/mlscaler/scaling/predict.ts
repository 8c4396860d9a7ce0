import { Proposed } from "./decide";
import { replicasFor } from "./load";

/** A load, now and ahead, and what one replica is to carry of it, all in units of its metric. */
export interface Ahead {
  load: number;
  /** The upper quantile of the load, at its highest until the horizon; absent while no forecast of it is trusted. */
  upper?: number;
  capacity: number;
}

/**
 * What the metrics ask for, raised to what trusted forecasts of their loads ask for: by at most `maxExtraPercent` of what
 * the loads of now ask for, or of the least count, `least`. (Not of the target's count, which is what HPA's rule asks for
 * within its tolerance: new pods that do not count yet would let the forecast raise it again at every sync.) A forecast
 * never lowers a count, and what comes to no count is none. Throws nothing.
 */
export function withForecasts(proposed: Proposed, ahead: Ahead[], least: number, maxExtraPercent: number): Proposed {
  const counted = ahead.flatMap(({ upper, capacity }) => countOf(upper, capacity) ?? []);
  if (counted.length === 0) return proposed;
  const predictive = Math.max(...counted);
  const needed = Math.max(...ahead.map(({ load, capacity }) => countOf(load, capacity) ?? 0));
  const most = Math.floor((Math.max(least, Math.min(needed, proposed.reactive)) * (100 + maxExtraPercent)) / 100);
  const recommended = Math.min(predictive, most);
  if (recommended <= proposed.recommended) return { ...proposed, predictive, most };
  // What was held back of the reactive count is not what the count rests on.
  const reactive = Math.min(proposed.reactive, proposed.recommended);
  return { ...proposed, reactive, predictive, most, recommended, held: undefined };
}

/** The replicas that carry a load; undefined where there is no telling. */
export function countOf(load: number | undefined, capacity: number): number | undefined {
  const replicas = (load ?? NaN) / capacity;
  return replicas >= 0 && replicas < Infinity ? replicasFor(replicas, 1) : undefined;
}
