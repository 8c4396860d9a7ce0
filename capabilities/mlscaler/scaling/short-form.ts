import { formatQuantity, parseQuantity } from "../../kubernetes/quantity";
import { Forecast } from "../forecast/forecast";
import { Load, loadOf, readyPods } from "../metrics/load";
import { Pod, MetricsError } from "../metrics/reading";
import { shortFormReference, shortFormUnit } from "../metrics/short-form-metric";
import { Proposed, Demand } from "./decide";
import { ShortForm } from "./form";
import { aheadText, failureOf, noProposal, Proposal } from "./proposal";
import { countOf, withForecasts } from "./raise";
import { proposeFor } from "./replicas";
import { withoutStartUp } from "./rollout";
import { HpaCount, TargetLoad } from "./target-load";

/** The load of a short form. */
export type ShortLoads = { form: "short"; totals: TargetLoad[] } & (
  | { error: MetricsError }
  | {
      error?: undefined;
      load: Load;
      /** The load when pods without a sample, and pods that a rollout starts, count as 0. */
      lowest: number;
      /** The load without the start-up load of a rollout; absent when no other pod has a sample. */
      settled?: number;
      /** Whether a rollout starts pods. */
      rollout: boolean;
    }
);

/**
 * The load of a short form from the samples of its pods.
 * @param samples by pod name, in the metric's unit
 * @param starting names of the pods that a rollout starts
 * @param now epoch milliseconds
 */
export function shortLoads(
  spec: ShortForm,
  pods: Pod[],
  samples: Map<string, number> | MetricsError,
  starting: Set<string>,
  now: number,
): ShortLoads {
  const { metric } = spec;
  const capacity = 1 / replicasPerUnit(spec);
  try {
    if (samples instanceof MetricsError) throw samples;
    const reference = shortFormReference(metric);
    const load = loadOf(pods, samples, now, reference);
    const rollout = starting.size > 0;
    const others = rollout ? withoutStartUp(samples, readyPods(pods, reference), starting) : undefined;
    const without = others && loadOf(pods, others, now, reference);
    // Start-up load that cannot be separated is a gap, because it does not predict the load.
    const settled = rollout ? without?.recorded : load.recorded;
    const lowest = rollout ? Math.min(load.lowest, without?.lowest ?? 0) : load.lowest;
    const cautious = lowest < load.recorded ? lowest : undefined;
    return { form: "short", totals: [{ metric, load: settled, cautious, capacity }], load, lowest, settled, rollout };
  } catch (error) {
    if (!(error instanceof MetricsError)) throw error;
    // The forecast bridges the gap only if the spec scales by it.
    const totals = spec.on_metric_failure?.behavior === "Forecast" ? [{ metric, capacity }] : [];
    return { form: "short", totals, error };
  }
}

/**
 * The replicas that the load of a short form and its forecast recommend, for a target with `current` replicas.
 * @param least the lower bound of the replicas
 */
export function proposeShort(
  spec: ShortForm,
  loads: ShortLoads,
  forecast: Forecast | undefined,
  least: number,
  current: number,
): Proposal {
  if (loads.error) return withoutLoad(spec, loads, forecast);
  const { load, rollout } = loads;
  const { proposed, ahead } = spec.forecast
    ? byForecaster(spec, loads, forecast, least, current)
    : byLine(spec, loads, forecast, current);
  const { held, demand } = proposed;
  return {
    proposed: { ...proposed, held: held && (rollout ? "Rollout" : held) },
    failures: [],
    metrics: [
      {
        name: spec.metric,
        current: formatQuantity(load.recorded),
        forecast: forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
      },
    ],
    what: `load ${formatQuantity(demand.load)} ${shortFormUnit(spec.metric)}`,
    measure: measureOf(spec),
    load: load.recorded,
    forecast,
    ahead,
  };
}

/** The recommendation for the load of a short form without a forecast; undefined when the load is unknown. */
export function hpaOfShort(spec: ShortForm, loads: ShortLoads, current: number): HpaCount | undefined {
  if (loads.error || loads.settled === undefined) return undefined;
  const demand = { load: loads.settled };
  const perUnit = replicasPerUnit(spec);
  return {
    loads: [{ load: loads.settled, capacity: 1 / perUnit }],
    tolerance: 0,
    proposed: proposeFor({ likely: demand, lowest: demand }, perUnit, current),
  };
}

const replicasPerUnit = ({ replicas_per_unit }: ShortForm): number => parseQuantity(replicas_per_unit) ?? NaN;

/** The target as text: "10 replicas per core". */
function measureOf({ metric, replicas_per_unit }: ShortForm): string {
  const unit = shortFormUnit(metric);
  return `${replicas_per_unit} replicas per ${unit === "cores" ? "core" : unit}`;
}

interface ShortProposal {
  proposed: Proposed & { demand: Demand };
  ahead?: string;
}

type KnownLoads = Extract<ShortLoads, { error?: undefined }>;

/** With a `forecast` block: the current load, raised by a trusted forecast. */
function byForecaster(
  spec: ShortForm,
  { load, lowest, settled = load.recorded }: KnownLoads,
  forecast: Forecast | undefined,
  least: number,
  current: number,
): ShortProposal {
  const perUnit = replicasPerUnit(spec);
  const { quantile_percent: percent = 0, max_extra_percent: extra = 0 } = spec.forecast ?? {};
  const proposed = proposeFor({ likely: { load: load.likely }, lowest: { load: lowest } }, perUnit, current);
  const upper = forecast?.trusted ? forecast.upper : undefined;
  const raised = withForecasts(proposed, [{ load: settled, upper, capacity: 1 / perUnit }], least, extra);
  return {
    proposed: { ...raised, demand: proposed.demand },
    ahead: forecast && aheadText(forecast, shortFormUnit(spec.metric), percent),
  };
}

/** Without a `forecast` block: the current load or the forecast of the line one sync ahead, whichever is higher. */
function byLine(
  spec: ShortForm,
  { load, lowest }: KnownLoads,
  forecast: Forecast | undefined,
  current: number,
): ShortProposal {
  const trusted = forecast?.trusted;
  const demands = {
    likely: { load: load.likely, forecast: trusted ? forecast?.load : undefined },
    lowest: { load: lowest, forecast: trusted ? forecast?.lowest : undefined },
  };
  const proposed = proposeFor(demands, replicasPerUnit(spec), current);
  return {
    proposed,
    ahead: forecast && aheadText({ ...forecast, load: proposed.demand.forecast }, shortFormUnit(spec.metric)),
  };
}

/** The proposal for an unknown load. The forecast of a `forecast` block bridges the gap. */
function withoutLoad(
  spec: ShortForm,
  { error, totals }: Extract<ShortLoads, { error: MetricsError }>,
  forecast: Forecast | undefined,
): Proposal {
  if (totals.length === 0) return noProposal(error);
  return {
    failures: [failureOf(error)],
    failed: { predictive: forecast?.trusted ? countOf(forecast.upper, 1 / replicasPerUnit(spec)) : undefined },
    what: "no metrics",
    measure: measureOf(spec),
    forecast,
    ahead: forecast && aheadText(forecast, shortFormUnit(spec.metric), spec.forecast?.quantile_percent),
  };
}
