import { formatQuantity, parseQuantity } from "../../kubernetes/quantity";
import { Forecast } from "../forecast/forecast";
import { ConditionUpdate } from "../../kubernetes/conditions";
import { Load, loadOf, PodSamples, readyPods, unsampledCondition } from "../metrics/load";
import { metricFailed, MetricsError, Pod } from "../metrics/reading";
import { shortFormReference, shortFormUnit } from "../metrics/short-form-metric";
import { Proposed, Demand } from "./decide";
import { ShortForm } from "./form";
import { aheadText, failureOf, noProposal, Proposal } from "./proposal";
import { countOf, LoadOutlook, withForecasts } from "./raise";
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
      /** The load for the history: without the start-up load of a rollout. Absent when that is unknown. */
      settled?: number;
      /** Whether a rollout starts pods. */
      rollout: boolean;
      /** The condition of pods that have long been without a sample. */
      unsampled?: ConditionUpdate;
      /** Whether fewer than half of the Ready pods have a sample whose age is known: such samples lower nothing. */
      untold: boolean;
    }
);

/**
 * The load of a short form from the samples of its pods.
 * @param samples in the metric's unit
 * @param started names of the pods that a rollout starts
 * @param now epoch milliseconds
 */
export function shortLoads(
  spec: ShortForm,
  pods: Pod[],
  samples: PodSamples | MetricsError,
  started: Set<string>,
  now: number,
): ShortLoads {
  const { metric } = spec;
  const capacity = 1 / replicasPerUnit(spec);
  try {
    if (samples instanceof MetricsError) throw samples;
    const reference = shortFormReference(metric);
    const ready = readyPods(pods, reference);
    const loadIn = (fresh: Map<string, number>): Load => loadOf(pods, { ...samples, fresh }, capacity, started, now);
    const load = loadIn(samples.fresh);
    if (load.sampled * 2 < load.ready)
      throw metricFailed(reference, `only ${load.sampled} of ${load.ready} Ready pods have a fresh sample, half must`);
    const rollout = spec.rollout_freeze && started.size > 0;
    const others = rollout ? withoutStartUp(samples.fresh, ready, started) : undefined;
    const without = others && loadIn(others);
    // Start-up load that cannot be separated is a gap, because it does not predict the load.
    const settled = rollout ? without?.recorded : load.recorded;
    const lowest = rollout ? Math.min(load.lowest, without?.lowest ?? 0) : load.lowest;
    const cautious = lowest < (load.recorded ?? Infinity) ? lowest : undefined;
    const sampleOf = (name: string): "fresh" | "untold" | "none" => {
      if (!((samples.fresh.get(name) ?? NaN) >= 0)) return "none";
      return samples.doubtful.has(name) ? "untold" : "fresh";
    };
    const unsampled = unsampledCondition(pods, sampleOf, now, reference);
    const untold = ready.filter(({ name }) => sampleOf(name) === "fresh").length * 2 < load.ready;
    return {
      form: "short",
      totals: [{ metric, load: settled, cautious, capacity }],
      ...{ load, lowest, settled, rollout, unsampled, untold },
    };
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
  const { load, rollout, unsampled } = loads;
  const { proposed, ahead } = spec.forecast
    ? byForecaster(spec, loads, forecast, least, current)
    : byLine(spec, loads, forecast, current);
  const { held, demand } = proposed;
  return {
    proposed: { ...proposed, held: held && (rollout ? "Rollout" : held) },
    failures: unsampled ? [unsampled] : [],
    metrics: [
      {
        name: spec.metric,
        current: formatQuantity(load.recorded ?? load.lowest),
        forecast: forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
      },
    ],
    what: whatOf(spec, load, demand),
    measure: measureOf(spec),
    load: load.recorded ?? load.lowest,
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
    proposed: proposeFor({ highest: demand, lowest: demand }, perUnit, current),
  };
}

/** A load of a short form, and its trusted forecast. */
export const outlookOfShort = (
  spec: ShortForm,
  load: number | undefined,
  forecast: Forecast | undefined,
): LoadOutlook => ({
  load,
  upper: forecast?.trusted ? forecast.upper : undefined,
  capacity: 1 / replicasPerUnit(spec),
});

const replicasPerUnit = ({ replicas_per_unit }: ShortForm): number => parseQuantity(replicas_per_unit) ?? NaN;

/** The load as text: "load 0.60 cores". Says how many pods are a guess in it. */
function whatOf({ metric }: ShortForm, { ready, sampled, highest }: Load, { load }: Demand): string {
  const guess = sampled < ready && load === highest ? ` with ${ready - sampled} of ${ready} pods unsampled` : "";
  return `load ${formatQuantity(load)} ${shortFormUnit(metric)}${guess}`;
}

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
  const { quantile_percent: percent = 0, max_extra_percent: extra } = spec.forecast ?? {};
  const proposed = proposeFor({ highest: { load: load.highest }, lowest: { load: lowest } }, perUnit, current);
  const raised = withForecasts(proposed, [outlookOfShort(spec, settled, forecast)], current, least, extra);
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
    highest: { load: load.highest, forecast: trusted ? forecast?.load : undefined },
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
