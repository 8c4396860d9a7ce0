import { toleranceOf } from "../scaling/behavior";
import type { Metric } from "../metrics/registry";
import { activityOf, idleSince } from "../scaling/activity";
import { Proposed, Work } from "../scaling/decide";
import { type BenefitDay, isWorth, marginOf, withTrial } from "../scaling/benefit";
import { decideNext, noPast } from "../scaling/past";
import { withForecasts } from "../scaling/raise";
import { proposeFor } from "../scaling/replicas";
import { proposeTotal } from "../scaling/hpa-total";
import type { ScaleToZero } from "../scaling/scale-to-zero";
import { Shadow } from "../scaling/shadow";
import type { AtZero } from "./foresight";
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

/** Says whether there is work at the time `now` (epoch ms), for a target with `replicas` at the end of `slot`. */
type WorkAt = (slot: number, replicas: number, counted: boolean, now: number) => Work;

/** The trace as a metric that is known without pods. */
const metric: Metric = {
  type: "External",
  external: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: "1" } },
};

/**
 * Whether there is work, as `scale_to_zero` tells it of one activation: the load itself.
 * @param ahead the forecasts by slot; undefined where none is trusted
 */
function byActivation(loads: number[], ahead: (AtZero | undefined)[], block: ScaleToZero, threshold: number): WorkAt {
  let since: number | undefined;
  return (slot, current, counted, now) => {
    const load = loads[slot] ?? NaN;
    const reading = { metric, threshold, load: Number.isNaN(load) ? undefined : load };
    const found = ahead[slot];
    const forecast = found && { ...untold, ...found };
    since = current === 0 ? undefined : idleSince([reading], since, now);
    return activityOf(block, [{ ...reading, forecast }], { current, counted, since, now });
  };
}

/** The parts of a forecast that no rule on activity looks at. */
const untold = { model: "auto", horizonSeconds: 0, samples: 0, wanted: 0 };

/** The loads that wake a target, and the forecasts of them by slot; undefined where none is trusted. */
export interface Waking {
  loads: number[];
  ahead?: (AtZero | undefined)[];
}

/**
 * The autoscaler that decides on proposals as the controller does: stabilization, rate limits, bounds. Its slots are
 * syncs. A step of the trace has `syncsPerStep` of them, and the load of a step is known at the end of the step.
 * @param waking needed for a scenario with `scale_to_zero`, and with `alone`
 * @param alone proposes without the forecasts, which then act only while they are worth their replicas
 */
export function autoscalerOf(propose: Proposer, scenario: Scenario, waking?: Waking, alone?: Proposer): Autoscaler {
  const { forecast, syncsPerStep, bounds, behavior, zero } = scenario;
  const period = forecast.step / syncsPerStep;
  const proposal = alone && waking ? whileWorth(propose, alone, waking.loads, scenario) : oncePerSlot(propose);
  const workAt = zero?.block && waking && byActivation(waking.loads, waking.ahead ?? [], zero.block, zero.threshold);
  let past = noPast;
  return (sync, current) => {
    const now = (sync + 1) * period;
    const slot = Math.floor((sync + 1) / syncsPerStep) - 1;
    const proposed = proposal(slot, current, now);
    const next = decideNext(past, {
      now,
      current,
      bounds,
      pause: "None",
      idle: true,
      proposal: proposed,
      activity: workAt?.(slot, current, proposed !== undefined, now),
      behavior,
      lastSync: now - period,
    });
    past = next.past;
    return next.decision.final;
  };
}

/**
 * Proposes with the forecasts while they are worth their replicas, and else without. As in the controller, a shadow
 * tries them all the time. The `now` (epoch ms) of later calls is later.
 */
function whileWorth(
  propose: Proposer,
  alone: Proposer,
  loads: number[],
  { capacity, utilization, startUpSeconds, forecast, syncsPerStep, bounds, behavior, maxExtraPercent }: Scenario,
): (slot: number, replicas: number, now: number) => Proposed | undefined {
  const [hpa, raised] = [oncePerSlot(alone), oncePerSlot(propose)];
  const perReplica = capacity * utilization;
  const tolerance = toleranceOf(behavior).up;
  const settings = { bounds, behavior, pause: "None", startUp: startUpSeconds * 1000 } as const;
  let shadow: Shadow | undefined;
  let days: BenefitDay[] = [];
  return (slot, replicas, now) => {
    shadow ??= new Shadow(replicas, now);
    const load = loads[slot] ?? NaN;
    const known = Number.isNaN(load) ? [] : [{ load, capacity: perReplica }];
    const { counts } = shadow;
    const withForecast = raised(slot, counts.raised);
    const reactive = alone(slot, counts.margin);
    const margin = [{ load, upper: load * marginOf(days), capacity: perReplica }];
    shadow.observe({
      ...{ ...settings, now, replicas, period: forecast.step / syncsPerStep },
      hpa: { loads: known, tolerance, proposed: hpa(slot, counts.hpa) },
      raised: withForecast,
      margin: reactive && withForecasts(reactive, margin, counts.margin, bounds.min, maxExtraPercent),
      trusted: withForecast?.predictive !== undefined,
    });
    days = withTrial(days, shadow.trial, now);
    return (isWorth(days) ? propose : alone)(slot, replicas);
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
