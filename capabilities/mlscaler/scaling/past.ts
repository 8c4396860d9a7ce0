import { longestWindow, Past, recent, Recommendation } from "./rule/behavior";
import { Behavior } from "./rule/behavior-schema";
import { Decision } from "./decide";
import type { Buffer } from "./ahead/buffer";
import type { Planned } from "./ahead/planned";

export const noPast: Past = { recommendations: [], scaleEvents: [] };

/** The past without entries older than the longest window or period of `behavior`, or later than `now` (epoch ms). */
export function lookBack(past: Past, behavior: Behavior | undefined, now: number): Past {
  const longest = longestWindow(behavior);
  return {
    recommendations: recent(past.recommendations, now, longest),
    scaleEvents: recent(past.scaleEvents, now, longest),
    planned: past.planned && recent(past.planned, now, longest),
    nodes: past.nodes && recent(past.nodes, now, longest),
  };
}

/** The past with a recommendation added at the time `at` (epoch ms). */
export const recommended = (past: Past, at: number, replicas: number): Past => ({
  ...past,
  recommendations: [...past.recommendations, { at, replicas }],
});

/** The past with a decision and its recommendation; `scaled` if the target now has its replicas. */
export function noted(
  past: Past,
  plan: { decision: Decision; planned?: Planned; buffer?: Buffer },
  current: number,
  scaled: boolean,
  now: number,
): Past {
  const added = (to: Recommendation[] = [], replicas?: number): Recommendation[] | undefined =>
    replicas === undefined ? undefined : [...to, { at: now, replicas }];
  const [planned, nodes] = [added(past.planned, plan.planned?.asked), added(past.nodes, plan.buffer?.asked)];
  const kept = { ...past, ...(planned && { planned }), ...(nodes && { nodes }) };
  const { recommended: replicas, final } = plan.decision;
  const after = replicas === undefined ? kept : recommended(kept, now, replicas);
  if (!scaled) return after;
  return { ...after, scaleEvents: [...after.scaleEvents, { at: now, change: final - current }] };
}

/**
 * Removes each recommendation, oldest first, that later ones enclose: one as high or higher, and one as low or lower.
 * Every window has the same maximum and minimum without it, unless it is in the future.
 */
export function undominated(recommendations: Recommendation[]): Recommendation[] {
  const kept: Recommendation[] = [];
  let [low, high] = [Infinity, -Infinity];
  for (const recommendation of recommendations.toReversed()) {
    const { replicas } = recommendation;
    if (replicas >= low && replicas <= high) continue;
    low = Math.min(low, replicas);
    high = Math.max(high, replicas);
    kept.push(recommendation);
  }
  return kept.reverse();
}
