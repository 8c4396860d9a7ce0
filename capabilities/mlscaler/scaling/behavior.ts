/** A number of replicas that was recommended, before it was stabilised. */
export interface Recommendation {
  /** Epoch milliseconds. */
  at: number;
  replicas: number;
}

/** A change of the target's replicas that we made. */
export interface ScaleEvent {
  /** Epoch milliseconds. */
  at: number;
  /** Replicas added; negative when removed. */
  change: number;
}

/** HPA's --horizontal-pod-autoscaler-downscale-stabilization, in ms. */
export const stabilizationMilliseconds = 300_000;

/** HPA's sync period, for which its limit on the speed of growth is meant, in ms. */
const limitPeriodMilliseconds = 15_000;

/** The recommendations or scale events that still count at `now`: those of the last 300 s. */
export const recent = <T extends { at: number }>(past: T[], now: number): T[] =>
  past.filter(({ at }) => at > now - stabilizationMilliseconds && at <= now);

/**
 * The highest recommendation of the last 300 s, `replicas` included: load has to stay low before replicas go.
 * HPA's stabilizeRecommendation (podautoscaler/horizontal.go), for an object without `behavior`.
 */
export const stabilize = (replicas: number, recommendations: Recommendation[], now: number): number =>
  Math.max(replicas, ...recent(recommendations, now).map(recommendation => recommendation.replicas));

/**
 * The most replicas allowed now: HPA's max(2 × current, 4) (podautoscaler/horizontal.go, calculateScaleUpLimit) for
 * every 15 s since the last sync at `lastSync`. A sync sooner than that counts from what there was 15 s ago, so that
 * a short sync period does not grow faster than HPA would.
 */
export function scaleUpLimit(current: number, scaleEvents: ScaleEvent[], lastSync: number, now: number): number {
  const added = scaleEvents
    .filter(({ at }) => at > now - limitPeriodMilliseconds && at <= now)
    .reduce((sum, { change }) => sum + change, 0);
  const periods = Math.max(1, Math.floor((now - lastSync) / limitPeriodMilliseconds));
  let limit = Math.max(0, Math.min(current, current - added));
  // 31 doublings reach every int32.
  for (let period = 0; period < Math.min(periods, 31); period++) limit = Math.max(2 * limit, 4);
  return limit;
}
