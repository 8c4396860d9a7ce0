import type { Forecast } from "../forecast/forecast";
import type { ActivationReading } from "../metrics/activation";
import { type Activity, activityOf, foreseen, idleSince, withActivations } from "./zero/activity";
import type { Past } from "./rule/behavior";
import { type BenefitDay, withBenefit } from "./ahead/benefit";
import type { Counts } from "./rule/count";
import { decide, type Decision, type Hold, type Situation } from "./decide";
import { type Planned, plannedOf } from "./ahead/planned";
import { fallbackOf, type MetricFailure } from "./metric-failure";
import type { Loads, TargetLoad } from "./loads";
import { lookBack, noted } from "./past";
import type { Proposal } from "./proposal";
import { propose, type ProposalFields } from "./propose";
import type { ScaleToZero } from "./zero/scale-to-zero";

/** The fields of a spec that a plan depends on. */
export interface PlanFields extends ProposalFields {
  sync_period_seconds: number;
  pause: Situation["pause"];
  scale_to_zero?: ScaleToZero;
  on_metric_failure?: MetricFailure;
}

/** The world as one sync found it. */
export interface World {
  scale: Counts;
  bounds: Situation["bounds"];
  loads: Loads;
  /** The loads of the metrics, and after them those of the activations that are no metric. */
  totals: TargetLoad[];
  activations: ActivationReading[];
  /** One for each of the totals; undefined for a load without a forecast. */
  forecasts: (Forecast | undefined)[];
  /** Whether a target at 0 replicas may come back. */
  idle: boolean;
  /** What is unknown and could ask for more replicas. */
  hold?: Hold;
}

/** What a plan remembers of the syncs before. Times are epoch milliseconds. */
export interface Remembered {
  past: Past;
  lastSync?: number;
  /** The target's replicas after the last sync. */
  replicas?: number;
  /** Since when no activation is above its threshold. */
  idleSince?: number;
  /** Consecutive syncs without any known metric. */
  failedSyncs: number;
  /** The limit on the forecast's count when the metrics were last known. */
  most?: number;
  /** What trusted forecasts brought and cost on the last days. */
  benefit: BenefitDay[];
}

/** The plan of one sync, with each of its numbers. */
export interface Plan {
  /** What metrics and forecasts recommend. */
  proposal: Proposal;
  /** Whether there is work for the target; absent without `scale_to_zero`. */
  activity?: Activity;
  /** The forecasts that may act. */
  forecasts: (Forecast | undefined)[];
  decision: Decision;
  /** What the trusted forecasts alone ask for; absent without one. */
  planned?: Planned;
  /** The past that the decision was based on. */
  past: Past;
  idleSince?: number;
  failedSyncs: number;
  most?: number;
}

/**
 * Plans one sync: which replicas the target should have. Pure; the controller, the loops beside it, and every replay
 * decide by it.
 * @param now epoch milliseconds
 */
export function plan(spec: PlanFields, world: World, memory: Remembered, now: number): Plan {
  const { scale, bounds, loads, totals, activations, idle, hold } = world;
  const { pause, behavior, scale_to_zero: zero } = spec;
  const current = scale.replicas;
  const forecasts = withBenefit(world.forecasts, memory.benefit);
  const counted = propose(spec, loads, forecasts, bounds.min, scale);
  const since = idleSinceOf(spec, world, memory, now);
  const isCounted = counted.proposed !== undefined && counted.failures.length === 0;
  const rest = { current, since, now, counted: isCounted };
  const activity = zero && activityOf(zero, foreseen(activations, totals, world.forecasts), rest);
  const proposal = withActivations(counted, activations, current);
  const failedSyncs = proposal.failed ? memory.failedSyncs + 1 : 0;
  const fallback = fallbackOf(spec.on_metric_failure, failedSyncs, proposal.failed, memory.most);
  const past = lookBack(memory.past, behavior, now);
  // An outage must not raise the limit on growth, which is per time between decisions.
  const lastSync = Math.max(memory.lastSync ?? now, now - spec.sync_period_seconds * 1000);
  const { recommendations, scaleEvents, planned: asked } = past;
  const { proposed } = proposal;
  const state = { now, current, behavior, lastSync, recommendations, scaleEvents, planned: asked };
  const planned = plannedOf(proposal, activity, state, bounds.max);
  // No spread: in a replay it takes longer than the decision.
  const decision = decide({
    now,
    current,
    bounds,
    pause,
    behavior,
    idle,
    activity,
    hold,
    lastSync,
    proposal: proposed,
    fallback,
    recommendations,
    scaleEvents,
  });
  // A sync with pods that have no sample yet makes no forecast. The last limit still holds.
  const most = proposed?.most ?? memory.most;
  return { proposal, activity, forecasts, decision, planned, past, idleSince: since, failedSyncs, most };
}

/**
 * The memory after a plan.
 * @param replicas what the target now has: what is planned, or what it had where another loop scales it
 */
export function carriedOut(
  { benefit }: Remembered,
  done: Plan,
  { replicas: current }: Counts,
  now: number,
  replicas = done.decision.final,
): Remembered {
  const { past, idleSince: since, failedSyncs, most } = done;
  const after = noted(past, done, current, replicas !== current, now);
  return { past: after, lastSync: now, replicas, idleSince: since, failedSyncs, most, benefit };
}

/** Whether the time since the last sync was observed: it is two periods at most. */
const observedSince = (lastSync: number | undefined, periodSeconds: number, now: number): boolean =>
  lastSync !== undefined && now - lastSync <= 2000 * periodSeconds;

/** Since when a target with replicas has had no work, as far as it was observed without a break. */
function idleSinceOf(spec: PlanFields, world: World, memory: Remembered, now: number): number | undefined {
  const { scale, bounds, activations } = world;
  if (scale.replicas === 0 || bounds.min > 0 || memory.replicas === 0) return undefined;
  const observed = observedSince(memory.lastSync, spec.sync_period_seconds, now);
  return idleSince(activations, observed ? memory.idleSince : undefined, now);
}
