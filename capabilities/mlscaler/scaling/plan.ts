import type { Forecast } from "../forecast/forecast";
import type { ActivationReading } from "../metrics/activation";
import { type Activity, activityOf, foreseen, idleSince, type Rest, withActivations } from "./zero/activity";
import type { Past, ScalingState } from "./rule/behavior";
import { type Buffer, nextBuffer, untilNodes } from "./ahead/buffer";
import { type BenefitDay, withBenefit } from "./ahead/benefit";
import type { Counts } from "./rule/count";
import { decide, type Decision, type Hold, type Situation } from "./decide";
import { type Planned, plannedOf } from "./ahead/planned";
import { fallbackOf, type MetricFailure } from "./metric-failure";
import type { Loads, TargetLoad } from "./loads";
import { lookBack, noted } from "./past";
import { isDoubtful, type Proposal } from "./proposal";
import { outlooksOf, propose, type ProposalFields, quantilesOf } from "./propose";
import { withForecasts } from "./ahead/raise";
import type { Mode } from "../target/target";
import type { ScaleToZero } from "./zero/scale-to-zero";

export interface PlanFields extends ProposalFields {
  sync_period_seconds: number;
  pause: Situation["pause"];
  scale_to_zero?: ScaleToZero;
  on_metric_failure?: MetricFailure;
  /** What others scale in mode Observe; Active by default. */
  mode?: Mode;
  capacity_buffer?: { max_replicas?: number };
}

export interface World {
  scale: Counts;
  bounds: Situation["bounds"];
  loads: Loads;
  /** The loads of the metrics, and after them those of the activations that are no metric. */
  totals: TargetLoad[];
  activations: ActivationReading[];
  /** One for each of the totals; undefined for a load without a forecast. */
  forecasts: (Forecast | undefined)[];
  idle: boolean;
  hold?: Hold;
  buffered?: number;
}

/** What a plan remembers of the syncs before. Times are epoch milliseconds. */
export interface Remembered {
  past: Past;
  lastSync?: number;
  replicas?: number;
  idleSince?: number;
  /** Consecutive syncs without any known metric. */
  failedSyncs: number;
  /** The limit on the forecast's count when the metrics were last known. */
  most?: number;
  benefit: BenefitDay[];
  bufferGrewAt?: number;
}

export interface Plan {
  proposal: Proposal;
  activity?: Activity;
  forecasts: (Forecast | undefined)[];
  decision: Decision;
  /** What the trusted forecasts alone ask for; absent without one. */
  planned?: Planned;
  buffer?: Buffer;
  past: Past;
  idleSince?: number;
  failedSyncs: number;
  most?: number;
}

/** Plans one sync at `now`. Pure; the controller, the loops beside it, and every replay decide by it. */
export function plan(spec: PlanFields, world: World, memory: Remembered, now: number): Plan {
  const { scale, bounds, loads, totals, activations, idle, hold } = world;
  const { pause, behavior, scale_to_zero: zero } = spec;
  const current = scale.replicas;
  const forecasts = withBenefit(world.forecasts, memory.benefit, quantilesOf(spec));
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
  const { recommendations, scaleEvents, planned: asked, nodes } = past;
  const { proposed } = proposal;
  const state = { now, current, behavior, lastSync, recommendations, scaleEvents, planned: asked, nodes };
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
  const buffer = bufferOf(spec, world, memory, { proposal, forecasts, decision }, state, rest);
  // No spread, as above.
  return { proposal, activity, forecasts, decision, planned, buffer, past, idleSince: since, failedSyncs, most };
}

function bufferOf(
  spec: PlanFields,
  { bounds, loads, totals, activations, hold, buffered: before = 0, forecasts: all }: World,
  { bufferGrewAt: grewAt }: Remembered,
  { proposal, forecasts, decision }: Pick<Plan, "proposal" | "forecasts" | "decision">,
  state: ScalingState,
  rest: Rest,
): Buffer | undefined {
  const { capacity_buffer: block, pause, mode, scale_to_zero: zero, forecast } = spec;
  if (!block) return undefined;
  // A target that may not grow takes no nodes.
  if (pause === "All" || pause === "Up" || decision.basis === "Disabled") return { replicas: 0 };
  const { current, now, behavior } = state;
  const ahead = outlooksOf(loads, untilNodes(forecasts));
  const reactive = proposal.counted.proposed;
  const proposed = reactive && withForecasts(reactive, ahead, current, bounds.min, forecast?.max_extra_percent);
  const activity = zero && activityOf(zero, foreseen(activations, totals, untilNodes(all)), rest);
  return nextBuffer({
    ...{ now, behavior, nodes: state.nodes, before, grewAt, hold, most: bounds.max },
    planned: plannedOf({ ...proposal, proposed }, activity, state, bounds.max),
    // With mode Observe nobody asks for pods ahead of the load.
    ordered: mode === "Observe" ? current : Math.max(current, decision.final),
    mostBuffered: block.max_replicas,
    doubtful: isDoubtful(proposal, hold),
  });
}

/** The memory after a plan; `replicas` are those of the target, where another loop scales it. */
export function carriedOut(
  { benefit }: Remembered,
  done: Plan,
  { replicas: current }: Counts,
  now: number,
  replicas = done.decision.final,
): Remembered {
  const { past, idleSince: since, failedSyncs, most, buffer } = done;
  const after = noted(past, done, current, replicas !== current, now);
  const bufferGrewAt = buffer?.grewAt;
  return { past: after, lastSync: now, replicas, idleSince: since, failedSyncs, most, benefit, bufferGrewAt };
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
