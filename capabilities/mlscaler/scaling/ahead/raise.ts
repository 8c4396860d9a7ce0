import type { Forecast } from "../../forecast/forecast";
import { Proposed } from "../decide";
import { replicasFor } from "../rule/per-unit";

export interface LoadOutlook {
  load?: number;
  /** The highest upper quantile of the load until the horizon; absent without a trusted forecast. */
  upper?: number;
  /** The forecast when pods without a sample count as 0, where that matters. An increase uses it. */
  lowest?: number;
  capacity: number;
}

/**
 * Raises a recommendation to the replicas for trusted forecasts. The limit, if there is one, is `maxExtraPercent` above
 * the replicas for the current loads, or above the lower bound `least` if that is higher, and 1 replica in any case.
 * The target's count is no base for the limit: HPA's rule keeps it within the tolerance, and new pods that do not count
 * yet would let each sync raise it again. The forecast of a load that is unknown now raises nothing, and keeps what
 * there is of the replicas that it asks for. A forecast never lowers a recommendation. Ignores forecasts that yield no
 * count. Never throws.
 * @param current the target's replicas
 */
export function withForecasts(
  proposed: Proposed,
  outlooks: LoadOutlook[],
  current: number,
  least: number,
  maxExtraPercent: number | undefined,
): Proposed {
  const { reactive, held } = proposed;
  let predictive: number | undefined;
  let [needed, kept] = [-1, 0];
  for (const one of outlooks) {
    const [asked, now] = [predictiveOf(one, current), countOf(one.load, one.capacity)];
    if (asked !== undefined) predictive = Math.max(predictive ?? 0, asked);
    if (now === undefined) kept = Math.max(kept, countOf(one.upper, one.capacity) ?? 0);
    else needed = Math.max(needed, now);
  }
  if (predictive === undefined) return proposed;
  const base = Math.max(least, Math.min(Math.max(0, needed), reactive));
  // A share of 0 replicas is none. The forecast may raise them to 1.
  const bound = (percent: number): number => Math.max(Math.floor((base * (100 + percent)) / 100), percent > 0 ? 1 : 0);
  const limit = maxExtraPercent === undefined ? Infinity : bound(maxExtraPercent);
  const most = needed < 0 ? undefined : limit;
  const ahead = Math.max(Math.min(predictive, most ?? 0), Math.min(kept, current));
  if (ahead <= proposed.recommended)
    return { reactive, predictive, ahead, recommended: proposed.recommended, most, held };
  // The forecast replaces the held part of the reactive count.
  return { reactive: Math.min(reactive, proposed.recommended), predictive, ahead, recommended: ahead, most };
}

/** The replicas that a forecast asks for. One that is lower without unsampled pods raises by that, and keeps by all. */
function predictiveOf({ upper, lowest, capacity }: LoadOutlook, current: number): number | undefined {
  const most = countOf(upper, capacity);
  const least = lowest === undefined ? most : countOf(lowest, capacity);
  return most === undefined || least === undefined ? undefined : Math.max(least, Math.min(most, current));
}

/** The replicas that serve a load; undefined if that is unknown. */
export function countOf(load: number | undefined, capacity: number): number | undefined {
  const replicas = (load ?? NaN) / capacity;
  return replicas >= 0 && replicas < Infinity ? replicasFor(replicas, 1) : undefined;
}

/** The upper quantile of a forecast; 0 where it asks for the first replica only, and may be noise. */
export const withoutNoise = (
  { upper, noise }: Pick<Forecast, "upper" | "noise">,
  capacity: number,
): number | undefined => (upper !== undefined && noise !== undefined && upper <= Math.min(noise, capacity) ? 0 : upper);
