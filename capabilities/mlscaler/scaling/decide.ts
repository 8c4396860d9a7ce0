import { Recommendation, ScaleEvent, scaleUpLimit, stabilize } from "./behavior";

const mostReplicas = 2 ** 31 - 1;

/** What a decision rests on. Loads are in units of the metric; times are epoch milliseconds. */
export interface Situation {
  now: number;
  /** The target's spec.replicas. */
  current: number;
  bounds: { min: number; max: number };
  pause: "None" | "All" | "Down" | "Up";
  replicasPerUnit: number;
  /** Absent when the metrics failed. */
  demand?: {
    /** Where pods without a sample count as 0: what a scale-up may rest on. */
    lowest: Demand;
    /** Where they count as the mean of the others: what a scale-down may rest on. */
    likely: Demand;
  };
  recommendations: Recommendation[];
  scaleEvents: ScaleEvent[];
  lastSync: number;
}

export interface Demand {
  /** Load now. */
  load: number;
  /** Load forecast, once there is one. */
  forecast?: number;
}

/** Why a step left the number as it did, in HPA's words. */
type AbleToScaleReason = "ReadyForNewScale" | "ScaleDownStabilized";
type ScalingLimitedReason = "DesiredWithinRange" | "ScaleUpLimit" | "TooManyReplicas" | "TooFewReplicas";

/** The steps of a decision, each with its number of replicas. */
export interface Decision {
  /** The load and the forecast that it rests on. */
  demand?: Demand;
  /** From the load of now; absent when no load was needed or known. */
  reactive?: number;
  /** From the forecast; absent without one. */
  predictive?: number;
  /** The higher of both, what is remembered as a recommendation. */
  recommended?: number;
  stabilized?: number;
  limited?: number;
  final: number;
  /**
   * What it rests on: nothing (off), the bounds, the load, the forecast, the count as it is until each pod has a sample,
   * or a higher recommendation of the last 300 s.
   */
  basis: "Disabled" | "Bounds" | "Load" | "Forecast" | "Unsampled" | "Stabilized" | "NoMetrics";
  ableToScale: AbleToScaleReason;
  scalingLimited: ScalingLimitedReason;
  /** A direction that would have been taken, had it not been paused. */
  paused: boolean;
}

/**
 * How many replicas the target is to have. The order is HPA's (podautoscaler/horizontal.go, reconcileAutoscaler): off
 * at 0, then the bounds, without metrics, then load and forecast, stabilisation, limit and bounds. Pure.
 */
export function decide(situation: Situation): Decision {
  const { current, bounds, demand, now } = situation;
  const still = { ableToScale: "ReadyForNewScale", scalingLimited: "DesiredWithinRange", paused: false } as const;
  if (current === 0) return { ...still, final: 0, basis: "Disabled" };
  if (current > bounds.max) {
    return paused(situation, { ...still, final: bounds.max, basis: "Bounds", scalingLimited: "TooManyReplicas" });
  }
  if (current < bounds.min) {
    return paused(situation, { ...still, final: bounds.min, basis: "Bounds", scalingLimited: "TooFewReplicas" });
  }
  if (!demand) return { ...still, final: current, basis: "NoMetrics" };

  const { reactive, predictive, recommended, held, ...rest } = recommend(current, situation.replicasPerUnit, demand);
  const stabilized = stabilize(recommended, situation.recommendations, now);
  const limit = scaleUpLimit(current, situation.scaleEvents, situation.lastSync, now);
  const limited = stabilized > current ? Math.max(current, Math.min(stabilized, limit)) : stabilized;
  const final = Math.min(Math.max(limited, bounds.min), bounds.max);
  return paused(situation, {
    ...rest,
    reactive,
    predictive,
    recommended,
    stabilized,
    limited,
    final,
    basis:
      stabilized > recommended
        ? "Stabilized"
        : held
          ? "Unsampled"
          : predictive !== undefined && predictive > reactive
            ? "Forecast"
            : "Load",
    ableToScale: stabilized > recommended ? "ScaleDownStabilized" : "ReadyForNewScale",
    scalingLimited: limitOf(stabilized, final, limit, bounds),
    paused: false,
  });
}

/** Which limit was met, in HPA's order (podautoscaler/horizontal.go, convertDesiredReplicasWithRules). */
function limitOf(wanted: number, final: number, limit: number, bounds: Situation["bounds"]): ScalingLimitedReason {
  if (wanted < bounds.min) return "TooFewReplicas";
  if (wanted <= final) return "DesiredWithinRange";
  return bounds.max > limit ? "ScaleUpLimit" : "TooManyReplicas";
}

/**
 * Replicas for a load, rounded up: ceil(load × replicas per unit). Rounded to nine digits first, or 0.6 × 10, which is
 * 6.000000000000001 in doubles, would ask for 7. Throws when the product is not a count.
 */
export function replicasFor(load: number, replicasPerUnit: number): number {
  const replicas = Math.ceil(Number((load * replicasPerUnit).toFixed(9)));
  if (!(replicas >= 0 && Number.isFinite(replicas)))
    throw new RangeError(`a load of ${load} at ${replicasPerUnit} replicas per unit is no count`);
  return Math.min(replicas, mostReplicas);
}

interface Proposal {
  demand: Demand;
  reactive: number;
  predictive?: number;
  recommended: number;
  /** Whether the count stays only because pods without a sample may hide load, or the lack of it. */
  held: boolean;
}

function recommend(current: number, replicasPerUnit: number, demand: NonNullable<Situation["demand"]>): Proposal {
  const propose = (side: Demand): Proposal => {
    const { load, forecast } = side;
    const reactive = replicasFor(load, replicasPerUnit);
    const predictive = forecast === undefined ? undefined : replicasFor(forecast, replicasPerUnit);
    return { demand: side, reactive, predictive, recommended: Math.max(reactive, predictive ?? 0), held: false };
  };
  const likely = propose(demand.likely);
  const lowest = propose(demand.lowest);
  // Pods without a sample may hide load or the lack of it: neither way further than the samples there are.
  if (likely.recommended < current) return likely;
  if (lowest.recommended > current) return lowest;
  const atMostCurrent = (count: number): number => Math.min(count, current);
  return {
    demand: demand.likely,
    reactive: atMostCurrent(likely.reactive),
    predictive: likely.predictive === undefined ? undefined : atMostCurrent(likely.predictive),
    recommended: current,
    held: likely.recommended > current,
  };
}

function paused(situation: Situation, decision: Decision): Decision {
  const { current, pause } = situation;
  const up = decision.final > current && (pause === "All" || pause === "Up");
  const down = decision.final < current && (pause === "All" || pause === "Down");
  return up || down ? { ...decision, final: current, paused: true } : decision;
}
