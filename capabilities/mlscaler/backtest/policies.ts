import { recent, remembered, Recommendation, ScaleEvent, toleranceOf } from "../scaling/behavior";
import { decide, Proposed } from "../scaling/decide";
import { proposeFor } from "../scaling/load";
import { withForecasts } from "../scaling/predict";
import { proposeTotal } from "../scaling/shadow";
import { Scenario } from "./scenario";
import { Policy } from "./simulation";

/** What the metrics ask for when `slot` is over and there are `replicas`; undefined when they are not known. */
export type Ask = (slot: number, replicas: number) => Proposed | undefined;

/** As an HPA, by its own rule: the load of the slot that is over, against what a replica is to carry. */
export function byLoad(loads: number[], { capacity, utilization, behavior }: Scenario): Ask {
  const tolerance = toleranceOf(behavior);
  return (slot, replicas) => {
    const load = loads[slot] ?? NaN;
    if (Number.isNaN(load)) return undefined;
    const reactive = proposeTotal({ load, capacity: capacity * utilization }, replicas, tolerance).replicas;
    return { reactive, recommended: reactive };
  };
}

/** As the short form: the higher of the load of now and a forecast of the next slot. */
export function byLine(loads: number[], forecasts: (number | undefined)[], scenario: Scenario): Ask {
  const perUnit = 1 / (scenario.capacity * scenario.utilization);
  return (slot, replicas) => {
    const load = loads[slot] ?? NaN;
    if (Number.isNaN(load)) return undefined;
    const demand = { load, forecast: forecasts[slot] };
    return proposeFor({ likely: demand, lowest: demand }, perUnit, replicas);
  };
}

/**
 * As an MLScaler: what the load of now asks for, or more where the load that is foreseen does, within max_extra_percent.
 * @param foreseen the highest load to be ready for, by slot; undefined where no forecast is trusted
 * @param reactiveOf what the load of now asks for; by default by HPA's rule
 */
export function byForecast(
  loads: number[],
  foreseen: (number | undefined)[],
  scenario: Scenario,
  reactiveOf = byLoad(loads, scenario),
): Ask {
  const { bounds, maxExtraPercent } = scenario;
  const capacity = scenario.capacity * scenario.utilization;
  return (slot, replicas) => {
    const proposed = reactiveOf(slot, replicas);
    const upper = foreseen[slot];
    if (!proposed || upper === undefined) return proposed;
    return withForecasts(proposed, [{ load: loads[slot] ?? NaN, upper, capacity }], bounds.min, maxExtraPercent);
  };
}

/**
 * The policy that goes by what is asked for, through the controller's own decisions: stabilisation, limits and bounds.
 * Its slots are syncs, of which a step of the trace has many; the load of a step is known when the step is over.
 */
export function policyOf(ask: Ask, { forecast: { step }, syncsPerStep, bounds, behavior }: Scenario): Policy {
  const longest = remembered(behavior);
  const period = step / syncsPerStep;
  let recommendations: Recommendation[] = [];
  let scaleEvents: ScaleEvent[] = [];
  return (sync, current) => {
    const now = (sync + 1) * period;
    recommendations = recent(recommendations, now, longest);
    scaleEvents = recent(scaleEvents, now, longest);
    const { recommended, final } = decide({
      now,
      current,
      bounds,
      pause: "None",
      proposal: ask(Math.floor((sync + 1) / syncsPerStep) - 1, current),
      behavior,
      recommendations,
      scaleEvents,
      lastSync: now - period,
    });
    if (recommended !== undefined) recommendations.push({ at: now, replicas: recommended });
    if (final !== current) scaleEvents.push({ at: now, change: final - current });
    return final;
  };
}
