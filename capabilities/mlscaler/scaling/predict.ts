import { Proposed } from "./decide";
import { replicasFor } from "./load";

/** A load that is forecast, and what one replica is to carry, both in units of its metric. */
export interface Ahead {
  /** The upper quantile of the load, at its highest until the horizon. */
  upper: number;
  capacity: number;
}

/**
 * What the metrics ask for, raised to what forecasts of their loads ask for: by at most `maxExtraPercent` of the count
 * that the metrics ask for, or of the least one, `least`. A forecast never lowers a count. Throws RangeError when a
 * forecast comes to no count.
 */
export function withForecasts(proposed: Proposed, ahead: Ahead[], least: number, maxExtraPercent: number): Proposed {
  if (ahead.length === 0) return proposed;
  const predictive = Math.max(...ahead.map(({ upper, capacity }) => replicasFor(upper, 1 / capacity)));
  const most = Math.floor((Math.max(proposed.reactive, least) * (100 + maxExtraPercent)) / 100);
  const recommended = Math.max(proposed.recommended, Math.min(predictive, most));
  const raised = recommended > proposed.recommended;
  return { ...proposed, predictive, recommended, held: raised ? undefined : proposed.held };
}
