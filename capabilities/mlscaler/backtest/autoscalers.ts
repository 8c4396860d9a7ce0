import { toleranceOf } from "../scaling/behavior";
import { Proposed } from "../scaling/decide";
import { decideNext, noPast } from "../scaling/past";
import { withForecasts } from "../scaling/raise";
import { proposeFor } from "../scaling/replicas";
import { proposeTotal } from "../scaling/hpa-total";
import { Autoscaler } from "./replay";
import { Scenario } from "./scenario";

/** Proposes a count at the end of `slot` for a target with `replicas`; undefined when the load is unknown. */
export type Proposer = (slot: number, replicas: number) => Proposed | undefined;

/** Proposes as an HPA does: from the load of the slot and the target load per replica. */
export function byLoad(loads: number[], { capacity, utilization, behavior }: Scenario): Proposer {
  const tolerance = toleranceOf(behavior);
  return (slot, replicas) => {
    const load = loads[slot] ?? NaN;
    if (Number.isNaN(load)) return undefined;
    const reactive = proposeTotal({ load, capacity: capacity * utilization }, replicas, tolerance).replicas;
    return { reactive, recommended: reactive };
  };
}

/** Proposes as the short form does: from the higher of the current load and the forecast for the next slot. */
export function byLine(loads: number[], forecasts: (number | undefined)[], scenario: Scenario): Proposer {
  const perUnit = 1 / (scenario.capacity * scenario.utilization);
  return (slot, replicas) => {
    const load = loads[slot] ?? NaN;
    if (Number.isNaN(load)) return undefined;
    const demand = { load, forecast: forecasts[slot] };
    return proposeFor({ highest: demand, lowest: demand }, perUnit, replicas);
  };
}

/**
 * Proposes as an MLScaler does: from the current load, raised to the forecast load within maxExtraPercent.
 * @param foreseen the highest forecast load until the horizon, by slot; undefined while no forecast is trusted
 * @param reactiveOf proposes from the current load; by default as an HPA does
 */
export function byForecast(
  loads: number[],
  foreseen: (number | undefined)[],
  scenario: Scenario,
  reactiveOf = byLoad(loads, scenario),
): Proposer {
  const { bounds, maxExtraPercent } = scenario;
  const capacity = scenario.capacity * scenario.utilization;
  return (slot, replicas) => {
    const proposed = reactiveOf(slot, replicas);
    const upper = foreseen[slot];
    if (!proposed || upper === undefined) return proposed;
    return withForecasts(proposed, [{ load: loads[slot], upper, capacity }], replicas, bounds.min, maxExtraPercent);
  };
}

/**
 * The autoscaler that decides on proposals as the controller does: stabilization, rate limits, bounds. Its slots are
 * syncs. A step of the trace has `syncsPerStep` of them, and the load of a step is known at the end of the step.
 */
export function autoscalerOf(
  propose: Proposer,
  { forecast: { step }, syncsPerStep, bounds, behavior }: Scenario,
): Autoscaler {
  const period = step / syncsPerStep;
  const proposal = oncePerSlot(propose);
  let past = noPast;
  return (sync, current) => {
    const now = (sync + 1) * period;
    const next = decideNext(past, {
      now,
      current,
      bounds,
      pause: "None",
      idle: true,
      proposal: proposal(Math.floor((sync + 1) / syncsPerStep) - 1, current),
      behavior,
      lastSync: now - period,
    });
    past = next.past;
    return next.decision.final;
  };
}

/** The same proposals. Syncs of a slot with the same count share one, because a proposal costs more than a decision. */
function oncePerSlot(propose: Proposer): Proposer {
  let last: { slot: number; replicas: number; proposed?: Proposed } | undefined;
  return (slot, replicas) => {
    if (last?.slot !== slot || last.replicas !== replicas) last = { slot, replicas, proposed: propose(slot, replicas) };
    return last.proposed;
  };
}
