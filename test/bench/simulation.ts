import { replay, replicasNeeded, type Figures, type Workload } from "../../capabilities/mlscaler/backtest/replay";
import {
  isWorth,
  marginOf,
  withTrial,
  type BenefitDay,
  type LoopSums,
} from "../../capabilities/mlscaler/scaling/ahead/benefit";
import { Fleet } from "../../capabilities/mlscaler/scaling/ahead/fleet";

/** A workload and the scaling that forecasts are compared with. */
export interface Simulation extends Workload {
  /**
   * The target utilization of a replica, as a share of its capacity: replicas = ceil(load / (capacity × utilization)).
   */
  utilization: number;
  /**
   * Scale by the current load with HPA's tolerance, by the forecast, or by the higher of both while that is worth its
   * replicas.
   */
  policy: "reactive" | "predictive" | "hybrid";
  /** The forecasts from each slot, 1 to startUpSteps + 1 steps ahead. The highest counts. Not used for reactive. */
  quantiles?: ArrayLike<readonly number[]>;
}

const tolerance = 0.1;
const stabilizationSeconds = 300;
const limitPeriodSeconds = 15;
const mostReplicas = 1000;

/**
 * The fixed yardstick of the forecasts, with one decision per step. It has HPA's tolerance of 0.1 and 300 s of
 * stabilization before a scale-down, including the recommendation that is exactly 300 s old. The count grows to at most
 * max(replicas + 4, 2 × replicas) in 15 s and stays within 1 to 1000. The yardstick must not change, so it does not use
 * scaling/decide.ts. That file follows HPA exactly: the window excludes its old end, and without `behavior` the count
 * grows to at most max(2 × replicas, 4). backtest/autoscalers.ts has the autoscalers of a spec, in the same replay.
 */
export function simulate({ utilization, policy, quantiles = [], ...workload }: Simulation): Figures {
  const { loads, capacity, stepSeconds, startUpSteps, from } = workload;
  const perReplica = capacity * utilization;
  const windowSteps = Math.max(1, Math.round(stabilizationSeconds / stepSeconds)) + 1;

  const reactive = (load: number, replicas: number): number =>
    Math.abs(load / (perReplica * replicas) - 1) <= tolerance ? replicas : replicasNeeded(load, perReplica);
  const predictive = (slot: number): number => replicasNeeded(Math.max(...(quantiles[slot] ?? [])), perReplica);
  /** Decides by recommendations, with a past of its own. */
  const loop = (): ((replicas: number, recommended: number) => number) => {
    const recommendations: number[] = [];
    return (replicas, recommended) => {
      recommendations.push(recommended);
      if (recommendations.length > windowSteps) recommendations.shift();
      const stabilized = recommended >= replicas ? recommended : Math.min(replicas, Math.max(...recommendations));
      return Math.max(1, Math.min(stabilized, mostAfter(stepSeconds, replicas), mostReplicas));
    };
  };

  const first = replicasNeeded(loads[from] ?? NaN, perReplica);
  const decide = loop();
  if (policy !== "hybrid")
    return replay(workload, first, (slot, replicas) =>
      decide(replicas, policy === "reactive" ? reactive(loads[slot] ?? NaN, replicas) : predictive(slot)),
    );

  // The loops of the trial, as the shadow of the controller has them.
  const trialOf = (): { fleet: Fleet; decide: ReturnType<typeof loop> } => ({
    fleet: new Fleet(first),
    decide: loop(),
  });
  const tried = { hpa: trialOf(), raised: trialOf(), margin: trialOf() };
  const milliseconds = stepSeconds * 1000;
  let days: BenefitDay[] = [];
  return replay(workload, first, (slot, replicas) => {
    const load = loads[slot] ?? NaN;
    const needed = load / (perReplica * (1 + tolerance));
    const sums = ({ fleet }: ReturnType<typeof trialOf>): LoopSums => ({
      replicas: fleet.replicas * milliseconds,
      missing: (Math.max(0, needed - fleet.readyAt(slot)) || 0) * milliseconds,
    });
    const { hpa, raised, margin } = tried;
    const trial = { tried: milliseconds, hpa: sums(hpa), raised: sums(raised), margin: sums(margin) };
    if (slot > from) days = withTrial(days, trial, slot * milliseconds);
    const withMargin = replicasNeeded(load * marginOf(days), perReplica);
    const scale = ({ fleet, decide: next }: ReturnType<typeof trialOf>, least: number): void =>
      fleet.scaleTo(next(fleet.replicas, Math.max(reactive(load, fleet.replicas), least)), slot + startUpSteps + 1);
    scale(hpa, 0);
    scale(raised, predictive(slot));
    scale(margin, withMargin);
    return decide(replicas, Math.max(reactive(load, replicas), isWorth(days) ? predictive(slot) : 0));
  });
}

/** The highest count that `replicas` may grow to within a step. */
function mostAfter(stepSeconds: number, replicas: number): number {
  const periods = Math.max(1, Math.round(stepSeconds / limitPeriodSeconds));
  let most = replicas;
  for (let period = 0; period < periods && most <= mostReplicas; period++) most = Math.max(most + 4, 2 * most);
  return most;
}
