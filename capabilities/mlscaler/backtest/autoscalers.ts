import { type Forecast, firstQuantile, type OccurrenceForecast } from "../forecast/forecast";
import { MetricsError } from "../metrics/reading";
import { type Metric, metricNamed } from "../metrics/registry";
import { withTrial } from "../scaling/ahead/benefit";
import type { Loads, MetricLoad } from "../scaling/loads";
import { noPast } from "../scaling/past";
import { carriedOut, type Plan, plan, type PlanFields, type Remembered, type World } from "../scaling/plan";
import { Shadow } from "../scaling/ahead/shadow";
import type { Autoscaler } from "./replay";
import type { Scenario } from "./scenario";

/** What a trusted forecast says about a target that may go to 0; see `Forecast`. */
export interface AtZero {
  /** Whether its quantiles are trusted; the chance of load has a verdict of its own. */
  trusted: boolean;
  upper: number;
  idleUpper: number;
  noise: number;
  occurrence?: OccurrenceForecast;
}

/** How a replayed target is scaled. Without forecasts it is scaled as by an HPA. */
export interface Policy {
  /** The highest forecast load until the horizon, by slot; undefined while no forecast is trusted. */
  foreseen?: (number | undefined)[];
  /** The same at other upper quantiles. The outcome may choose one of them. */
  others?: (Pick<Policy, "foreseen" | "atZero"> & { percent: number })[];
  /** What the forecasts say about 0 replicas, by slot; undefined where none is trusted. */
  atZero?: (AtZero | undefined)[];
  /** The forecasts until new nodes would be there. With them a capacity buffer asks for nodes before pods. */
  untilNodes?: Pick<Policy, "foreseen" | "atZero">;
  /** The rule for the current load: that of an HPA, or that of `spec.metric`. */
  rule?: "hpa" | "per unit";
  /** Whether forecasts step back while they are not worth their replicas, as in the controller. */
  stepsBack?: boolean;
}

/** The trace as a metric that is known without pods. */
const external: Metric = {
  type: "External",
  external: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: "1" } },
};

/**
 * The autoscaler that plans as the controller does. Its slots are syncs. A step of the trace has `syncsPerStep` of
 * them, and the load of a step is known at the end of the step.
 */
export function autoscalerOf(loads: ArrayLike<number>, policy: Policy, scenario: Scenario): Autoscaler {
  const planned = plannerOf(loads, policy, scenario, true);
  return (sync, current) => {
    const { decision, buffer } = planned(sync, current, scenario.bounds.min);
    return { replicas: decision.final, buffer: buffer?.replicas };
  };
}

/** Plans a sync of a target with `replicas`, between `least` and the upper bound of the scenario. */
type Planner = (sync: number, current: number, least: number) => Plan;

/**
 * The planner of a replay.
 * @param acts whether the target gets what is planned; otherwise another loop scales it
 */
export function plannerOf(loads: ArrayLike<number>, policy: Policy, scenario: Scenario, acts: boolean): Planner {
  const { forecast, syncsPerStep, bounds, behavior, zero, maxExtraPercent, startUpSeconds } = scenario;
  const period = forecast.step / syncsPerStep;
  const spec: PlanFields = {
    ...{ sync_period_seconds: period / 1000, pause: "None", behavior, scale_to_zero: zero?.block },
    forecast: { max_extra_percent: maxExtraPercent, ...(!policy.others && { quantile_percent: firstQuantile }) },
    ...(policy.untilNodes && { capacity_buffer: {}, mode: acts ? "Active" : "Observe" }),
  };
  const worldAt = worldsOf(loads, policy, scenario);
  let memory: Remembered | undefined;
  let buffered: number | undefined;
  let shadow: Shadow | undefined;
  return (sync, current, least) => {
    const now = (sync + 1) * period;
    memory ??= { past: noPast, lastSync: now - period, failedSyncs: 0, benefit: [] };
    const scale = { replicas: current, observed: current };
    const found = worldAt(Math.floor((sync + 1) / syncsPerStep) - 1);
    const { loads: measured, totals, activations, forecasts, idle } = found;
    const world = {
      loads: measured,
      totals,
      activations,
      forecasts,
      idle,
      scale,
      buffered,
      bounds: { min: least, max: bounds.max },
    };
    const done = plan(spec, world, memory, now);
    buffered = done.buffer?.replicas;
    const { benefit } = memory;
    const replicas = acts ? done.decision.final : current;
    memory = carriedOut(memory, done, scale, now, replicas);
    if (policy.stepsBack) {
      shadow ??= new Shadow(current, now);
      const { failedSyncs } = done;
      shadow.learnOutcome(spec, world, { now, replicas, failedSyncs, startUp: startUpSeconds * 1000 });
      memory.benefit = withTrial(benefit, shadow.trial, now);
    }
    return done;
  };
}

/** The world at the end of a slot, without the scale and the bounds. All syncs of a slot share it. */
function worldsOf(
  loads: ArrayLike<number>,
  policy: Policy,
  scenario: Scenario,
): (slot: number) => Omit<World, "scale" | "bounds"> {
  const { capacity, utilization, zero } = scenario;
  const perReplica = capacity * utilization;
  const metric = policy.rule === "per unit" ? metricNamed("load", 1 / perReplica) : external;
  const { threshold } = zero ?? {};
  let last: { slot: number; world: Omit<World, "scale" | "bounds"> } | undefined;
  return slot => {
    if (last?.slot === slot) return last.world;
    const load = loads[slot] ?? NaN;
    const found = loadsWith(metric, load, perReplica);
    const known = Number.isNaN(load) ? undefined : load;
    const activations = threshold === undefined ? [] : [{ metric: external, threshold, load: known }];
    const world = {
      ...{ loads: found, totals: found.totals, activations, idle: true },
      forecasts: [forecastAt(policy, slot)],
    };
    last = { slot, world };
    return world;
  };
}

/** The load of a slot as loads of a target; NaN is unknown. */
function loadsWith(metric: Metric, load: number, capacity: number): Loads {
  const total = { load, capacity };
  const known = !Number.isNaN(load);
  const found: MetricLoad = { metric, index: 0, capacity, settled: known, ...(known && { load, total }) };
  const unknown = (): MetricsError => new MetricsError("Unknown", "the load is not known");
  return {
    measured: [known ? { metric, total } : { metric, error: unknown() }],
    ...{ totals: [found], pods: [], starting: new Set(), now: 0 },
  };
}

/** The forecast from the end of a slot; undefined without one. */
function forecastAt({ foreseen, others, atZero, untilNodes, rule }: Policy, slot: number): Forecast | undefined {
  const found = atZero?.[slot];
  const load = foreseen?.[slot];
  if (!found && load === undefined) return undefined;
  const ahead = untilNodes && forecastAt(untilNodes, slot);
  const nodes = ahead?.upper !== undefined && {
    ...{ horizonSeconds: 0, upper: ahead.upper, wake: ahead.occurrence?.wake },
  };
  const upperAt = (one: Policy): number => one.atZero?.[slot]?.upper ?? one.foreseen?.[slot] ?? NaN;
  const choice = others?.map(({ percent, ...one }, index) => ({
    ...{ percent, upper: upperAt(one), nodesUpper: ahead?.others?.[index]?.upper },
  }));
  if (found) return { ...unplanned, ...found, ...(nodes && { nodes }), others: choice };
  return {
    ...{ ...unplanned, trusted: true, upper: load, ...(nodes && { nodes }), others: choice },
    ...(rule === "per unit" && { load }),
  };
}

/** The parts of a forecast that no plan looks at. */
const unplanned = { model: "auto", horizonSeconds: 0, samples: 0, wanted: 0 };
