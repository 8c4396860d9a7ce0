import { Limits, limitsOf, Past, stabilize } from "./behavior";

/** What a decision rests on. */
export interface Situation extends Past {
  bounds: { min: number; max: number };
  pause: "None" | "All" | "Down" | "Up";
  /** Absent when the metrics failed. */
  proposal?: Proposed;
  /** What is done without a proposal; absent while the count is to stay. */
  fallback?: Fallback;
}

/** What is done where the metrics failed for too long: never fewer than `floor`, or what forecasts ask for, up to `most`. */
export type Fallback = { floor: number } | { predictive: number; most: number };

/** The replicas that the metrics ask for. */
export interface Proposed {
  /** From the metrics of now. */
  reactive: number;
  /** From the forecast; absent without one. */
  predictive?: number;
  /** What both come to, and what is remembered as a recommendation. */
  recommended: number;
  /** The most that a forecast may raise the count to; absent where none was asked. */
  most?: number;
  /** Why more would be asked for and is not: pods without a sample may hide that there is no load, a rollout's load is its own. */
  held?: "Unsampled" | "Rollout";
  /** The load behind it; absent where the metrics have no total. */
  demand?: Demand;
}

/** A load, in units of its metric. */
export interface Demand {
  /** Load now. */
  load: number;
  /** Load forecast, once there is one. */
  forecast?: number;
}

/** Why a step left the number as it did, in HPA's words. */
type AbleToScaleReason = "ReadyForNewScale" | "ScaleUpStabilized" | "ScaleDownStabilized";
type ScalingLimitedReason =
  | "DesiredWithinRange"
  | "ScaleUpLimit"
  | "ScaleDownLimit"
  | "TooManyReplicas"
  | "TooFewReplicas";

/** The steps of a decision, each with its number of replicas. */
export interface Decision {
  /** The load and the forecast that it rests on; absent where the metrics have no total. */
  demand?: Demand;
  /** From the metrics of now; absent when none was needed or known. */
  reactive?: number;
  /** From the forecast; absent without one. */
  predictive?: number;
  /** What both come to, and what is remembered as a recommendation. */
  recommended?: number;
  stabilized?: number;
  limited?: number;
  final: number;
  /**
   * What it rests on: nothing (off), the bounds, the load, the forecast, the count as it is until each pod has a sample,
   * the load without that of a rollout's start, earlier recommendations, or, without metrics, the count as it is, a least
   * count, or the forecast alone.
   */
  basis:
    | "Disabled"
    | "Bounds"
    | "Load"
    | "Forecast"
    | "Unsampled"
    | "Rollout"
    | "Stabilized"
    | "NoMetrics"
    | "Floor"
    | "ForecastAlone";
  ableToScale: AbleToScaleReason;
  scalingLimited: ScalingLimitedReason;
  /** A direction that would have been taken, had it not been paused. */
  paused: boolean;
}

/**
 * How many replicas the target is to have. The order is HPA's (podautoscaler/horizontal.go, reconcileAutoscaler): off
 * at 0; then the bounds, without metrics; then what the metrics ask for, stabilisation, limits and bounds. Pure.
 */
export function decide(situation: Situation): Decision {
  const { current, bounds, proposal, fallback } = situation;
  const still = { ableToScale: "ReadyForNewScale", scalingLimited: "DesiredWithinRange", paused: false } as const;
  // HPA goes on from 0 where its minReplicas is 0; an MLScaler's min_replicas is 1 at least.
  if (current === 0 && bounds.min > 0) return { ...still, final: 0, basis: "Disabled" };
  if (current > bounds.max) {
    return paused(situation, { ...still, final: bounds.max, basis: "Bounds", scalingLimited: "TooManyReplicas" });
  }
  if (current < bounds.min) {
    return paused(situation, { ...still, final: bounds.min, basis: "Bounds", scalingLimited: "TooFewReplicas" });
  }
  if (proposal) return byRules(situation, proposal, basisOf(proposal));
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

/** What is asked for, through stabilisation, limits and bounds. */
function byRules(
  situation: Situation,
  { demand, reactive, predictive, recommended }: Omit<Proposed, "reactive"> & { reactive?: number },
  basis: Decision["basis"],
): Decision {
  const { bounds } = situation;
  const stabilized = stabilize(recommended, situation);
  const limits = limitsOf(situation);
  const limited = clamp(stabilized, limits.least, limits.most);
  return paused(situation, {
    demand,
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

function basisOf({ reactive, recommended, held }: Proposed): Decision["basis"] {
  if (held) return held;
  return recommended > reactive ? "Forecast" : "Load";
}

/** Which way the recommendation was held (podautoscaler/horizontal.go, stabilizeRecommendationWithBehaviors). */
function ableToScale(recommended: number, stabilized: number): AbleToScaleReason {
  if (stabilized === recommended) return "ReadyForNewScale";
  return stabilized < recommended ? "ScaleUpStabilized" : "ScaleDownStabilized";
}

/** Which limit was met, in HPA's order (podautoscaler/horizontal.go, convertDesiredReplicasWithBehaviorRate). */
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
