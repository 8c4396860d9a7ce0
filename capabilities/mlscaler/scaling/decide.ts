import { Limits, limitsOf, ScalingState, stabilize } from "./rule/behavior";

export interface Situation extends ScalingState {
  bounds: { min: number; max: number };
  pause: "None" | "All" | "Down" | "Up";
  /** Absent when the metrics failed. */
  proposal?: Proposed;
  fallback?: Fallback;
  idle?: boolean;
  /** Whether there is work, by `scale_to_zero`; absent without that block, and then HPA's rule decides alone. */
  activity?: Work;
  hold?: Hold;
}

export interface Work {
  /**
   * Active: an activation is above its threshold. Expected: a trusted forecast of one will be. Unknown: an activation or a
   * metric is not known. CoolingDown, Idle: none was above its threshold, for less than the cool-down, or for longer.
   */
  state: "Active" | "Expected" | "Unknown" | "CoolingDown" | "Idle";
  replicas: number;
}

/** What is unknown: a forecast is replayed, the age of a metric is unknown, the stored state is not read yet. */
export type Hold = "Replaying" | "ClockSkewed" | "StateUnread";

/** The action after a lasting metric failure: a floor, or the forecast's count, limited to `most`. */
export type Fallback = { floor: number } | { predictive: number; most: number };

export interface Proposed {
  /** Replicas for the current load. */
  reactive: number;
  /** Replicas for the forecast; absent without one. */
  predictive?: number;
  /** As many of them as the forecast may ask for. */
  ahead?: number;
  recommended: number;
  /** The limit on the forecast's count, Infinity without one; absent without a trusted forecast. */
  most?: number;
  held?: "Unsampled" | "Rollout";
}

type AbleToScaleReason = "ReadyForNewScale" | "ScaleUpStabilized" | "ScaleDownStabilized";
type ScalingLimitedReason =
  | "DesiredWithinRange"
  | "ScaleUpLimit"
  | "ScaleDownLimit"
  | "TooManyReplicas"
  | "TooFewReplicas";

export interface Decision {
  reactive?: number;
  predictive?: number;
  recommended?: number;
  stabilized?: number;
  limited?: number;
  final: number;
  /** The reason of the final count, or a hold; `bases` in report/telemetry.ts has the meaning of each. */
  basis:
    | Hold
    | "Disabled"
    | "Bounds"
    | "Load"
    | "Forecast"
    | "Unsampled"
    | "Rollout"
    | "Stabilized"
    | "NoMetrics"
    | "Floor"
    | "ForecastAlone"
    | "Idle"
    | "Active"
    | "Expected";
  ableToScale: AbleToScaleReason;
  scalingLimited: ScalingLimitedReason;
  paused: boolean;
}

/**
 * Decides the replica count of the target. The order is HPA's (podautoscaler/horizontal.go, reconcileAutoscaler):
 * scaling is off at 0 replicas unless the target is idle; then a count outside the bounds is corrected without metrics;
 * then the recommendation passes stabilization, rate limits and bounds. Pure.
 */
export function decide(situation: Situation): Decision {
  const { current, bounds, proposal, activity, idle = false } = situation;
  if (current === 0 && !idle) return { ...still, final: 0, basis: "Disabled" };
  if (current > bounds.max) {
    return paused(situation, { ...still, final: bounds.max, basis: "Bounds", scalingLimited: "TooManyReplicas" });
  }
  // From 0 the metrics may ask for more than the lower bound. Like HPA, unless they fail.
  if (current < bounds.min && !(current === 0 && proposal)) {
    return paused(situation, { ...still, final: bounds.min, basis: "Bounds", scalingLimited: "TooFewReplicas" });
  }
  return activity && bounds.min === 0 ? byActivity(situation, activity) : byMetrics(situation);
}

const still = { ableToScale: "ReadyForNewScale", scalingLimited: "DesiredWithinRange", paused: false } as const;

/** Decides between 0 replicas and 1 by the activity of the target, and above 1 by its metrics. */
function byActivity(situation: Situation, { state, replicas }: Work): Decision {
  const { current, bounds, behavior, hold, fallback, proposal } = situation;
  const atLeast = (min: number): Situation => ({ ...situation, bounds: { ...bounds, min } });
  const least = Math.min(replicas, bounds.max);
  if (current > 0) {
    const mayFall = hold === undefined && behavior?.scaleDown?.selectPolicy !== "Disabled";
    // What was woken ahead stays until the load is there.
    if (state !== "Idle" || !mayFall) return byMetrics(atLeast(state === "Expected" ? least : 1));
    return paused(situation, { ...still, recommended: 0, final: 0, basis: "Idle" });
  }
  if (state === "Active" || state === "Expected") {
    if (!proposal || proposal.recommended <= least)
      return paused(situation, { ...still, recommended: least, final: least, basis: state });
    return byMetrics(atLeast(least));
  }
  if (fallback) return byMetrics({ ...situation, proposal: undefined });
  return {
    ...still,
    ...(state === "Idle" && { recommended: 0 }),
    final: 0,
    basis: state === "Idle" ? "Idle" : "NoMetrics",
  };
}

function byMetrics(situation: Situation): Decision {
  const { current, bounds, proposal, fallback } = situation;
  if (proposal) {
    const { reactive, recommended, held } = proposal;
    return byRules(situation, proposal, held ?? (recommended > reactive ? "Forecast" : "Load"));
  }
  if (!fallback) return { ...still, final: current, basis: "NoMetrics" };
  if ("floor" in fallback) {
    const recommended = Math.max(current, fallback.floor);
    const final = clamp(recommended, bounds.min, bounds.max);
    return paused(situation, { ...still, recommended, final, basis: "Floor" });
  }
  const { predictive, most } = fallback;
  const recommended = Math.max(current, Math.min(predictive, most));
  return byRules(situation, { predictive, recommended }, "ForecastAlone");
}

function byRules(
  situation: Situation,
  proposed: Omit<Proposed, "reactive"> & { reactive?: number },
  basisOfProposal: Decision["basis"],
): Decision {
  const { bounds, current, hold } = situation;
  const { reactive, predictive } = proposed;
  const holds = hold !== undefined && proposed.recommended < current;
  const recommended = holds ? current : proposed.recommended;
  const basis = holds ? hold : basisOfProposal;
  const stabilized = stabilize(recommended, situation);
  const limits = limitsOf(situation);
  const limited = clamp(stabilized, limits.least, limits.most);
  return paused(situation, {
    reactive,
    predictive,
    recommended,
    stabilized,
    limited,
    final: clamp(limited, bounds.min, bounds.max),
    basis: stabilized === recommended || basis === "ForecastAlone" ? basis : "Stabilized",
    ableToScale: ableToScale(recommended, stabilized),
    scalingLimited: scalingLimited(stabilized, limits, bounds),
    paused: false,
  });
}

const clamp = (replicas: number, least: number, most: number): number => Math.min(Math.max(replicas, least), most);

/** The direction that was stabilized (podautoscaler/horizontal.go, stabilizeRecommendationWithBehaviors). */
function ableToScale(recommended: number, stabilized: number): AbleToScaleReason {
  if (stabilized === recommended) return "ReadyForNewScale";
  return stabilized < recommended ? "ScaleUpStabilized" : "ScaleDownStabilized";
}

/** The limit that applied, in HPA's order (podautoscaler/horizontal.go, convertDesiredReplicasWithBehaviorRate). */
function scalingLimited(
  stabilized: number,
  { most, least }: Limits,
  { min, max }: Situation["bounds"],
): ScalingLimitedReason {
  if (stabilized < Math.max(least, min)) return least > min ? "ScaleDownLimit" : "TooFewReplicas";
  if (stabilized > Math.min(most, max)) return most < max ? "ScaleUpLimit" : "TooManyReplicas";
  return "DesiredWithinRange";
}

function paused(situation: Situation, decision: Decision): Decision {
  const { current, pause } = situation;
  const up = decision.final > current && (pause === "All" || pause === "Up");
  const down = decision.final < current && (pause === "All" || pause === "Down");
  return up || down ? { ...decision, final: current, paused: true } : decision;
}
