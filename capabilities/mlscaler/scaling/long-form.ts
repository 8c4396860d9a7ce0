import { ConditionUpdate } from "../../kubernetes/conditions";
import { formatQuantity, quantityText } from "../../kubernetes/quantity";
import { Forecast } from "../forecast/forecast";
import { Forecasting } from "../forecast/schema";
import { MetricReading } from "../metrics/observation";
import { ageOf } from "../metrics/age";
import { servingPods, unknownAge, unsampledCondition } from "../metrics/load";
import { isLive, MetricsError, NoCount, Pod, Reading } from "../metrics/reading";
import { failureReason, Metric, referenceTo, sourceOf } from "../metrics/registry";
import { MetricTarget } from "../metrics/schema";
import { capacityOf, hasTotal, nameOf, resourceOf, totalOf, unitOfTotal } from "../metrics/total";
import { Current } from "./average";
import { toleranceOf } from "./behavior";
import { combine, Combined, MetricResult } from "./combine";
import { Proposed } from "./decide";
import { LongForm } from "./form";
import { proposeMetric } from "./hpa";
import { TargetState } from "./pod-groups";
import { aheadText, Failure, MetricFigures, Proposal } from "./proposal";
import { countOf, LoadOutlook, withForecasts, withoutNoise } from "./raise";
import { readingWithoutStartUp } from "./rollout";
import { HpaCount, TargetLoad } from "./target-load";
import { proposeTotal, SharedLoad } from "./hpa-total";

/** The loads of a long form. */
export interface LongLoads {
  form: "long";
  readings: MetricReading[];
  /** The loads with a total, which are remembered and forecast. */
  totals: LongLoad[];
  pods: Pod[];
  /** Names of the pods that a rollout starts; empty without rollout_freeze. */
  starting: Set<string>;
  /** Epoch milliseconds. */
  now: number;
}

interface LongLoad extends TargetLoad {
  metric: Metric;
  /** The index of the metric in `metrics`. */
  index: number;
  /** Absent while the total is unknown. */
  total?: SharedLoad;
  /** Whether the total excludes the start-up load of a rollout. */
  settled: boolean;
}

/** The replicas in the scale of a target: spec.replicas and status.replicas. */
export interface Counts {
  replicas: number;
  observed: number;
}

/**
 * The totals of the metrics of a long form.
 * @param started names of the pods that a rollout starts
 * @param now epoch milliseconds
 */
export function longLoads(
  spec: LongForm,
  pods: Pod[],
  readings: MetricReading[],
  started: Set<string>,
  now: number,
): LongLoads {
  const starting = spec.rollout_freeze ? started : new Set<string>();
  const known = readings.flatMap((read, index) => knownLoad(read, index, pods, { starting, started }, now));
  const unknown = known.every(({ total }) => total === undefined) && spec.on_metric_failure?.behavior === "Forecast";
  const totals = unknown ? readings.flatMap(({ metric }, index) => unknownLoad(metric, index, pods)) : known;
  return { form: "long", readings, totals, pods, starting, now };
}

/**
 * The replicas that the metrics recommend by HPA's rules, raised by trusted forecasts.
 * @param forecasts one for each of the totals; undefined for a load without a forecast
 * @param least the lower bound of the replicas
 */
export function proposeLong(
  spec: LongForm,
  loads: LongLoads,
  forecasts: (Forecast | undefined)[],
  least: number,
  scale: Counts,
): Proposal {
  const { totals, readings, starting, pods } = loads;
  const results = resultsOf(spec, loads, scale, reading => reading);
  const combined = combine(results, scale.replicas);
  const serving = servingPods(pods);
  const settled =
    starting.size > 0
      ? combine(
          resultsOf(spec, loads, scale, reading => readingWithoutStartUp(reading, serving, starting)),
          scale.replicas,
        )
      : combined;
  const proposed = proposedBy(combined, settled, scale.replicas);
  const forecastLoads = totals.map((load, index) => ({ ...load, forecast: forecasts[index] }));
  const known = forecastLoads.flatMap(load => (load.total ? [{ ...load, total: load.total }] : []));
  const ahead = outlooksOfLong(loads, forecasts);
  const counted = results.filter(result => !("noPods" in result));
  const failed = counted.length > 0 && counted.every(result => "error" in result);
  const alone = known.length === 0 ? forecastLoads.filter(({ capacity }) => !Number.isNaN(capacity)) : [];
  return {
    proposed: proposed && withForecasts(proposed, ahead, scale.replicas, least, spec.forecast.max_extra_percent),
    failures: [...failuresOf(combined), ...doubtsOf(loads, results)],
    ...(failed && { failed: { predictive: predictiveOf(alone) } }),
    metrics: readings.map((_, index) =>
      figuresOf(
        results[index],
        forecastLoads.find(load => load.index === index),
      ),
    ),
    ...wordsOf(combined),
    ...aheadOf(known.length > 0 ? known : alone, spec.forecast),
  };
}

/** The known loads of a long form, and their trusted forecasts. */
export const outlooksOfLong = ({ totals }: LongLoads, forecasts: (Forecast | undefined)[]): LoadOutlook[] =>
  totals.map(({ total, capacity }, index) => {
    const forecast = forecasts[index];
    return { load: total?.load, capacity, upper: forecast?.trusted ? withoutNoise(forecast, capacity) : undefined };
  });

/** The recommendation of HPA's rules for the observed loads, if the target had `replicas`. */
export function hpaOfLong(spec: LongForm, { readings, totals, pods, now }: LongLoads, replicas: number): HpaCount {
  const state = { now, pods, tolerance: toleranceOf(spec.behavior) };
  const settled = readings.map((_, index) => totals.find(load => load.index === index && load.settled)?.total);
  const results = readings.map((read, index) => hpaResult(read, settled[index], replicas, state));
  const reactive = combine(results, replicas).proposal?.replicas;
  return {
    loads: settled.flatMap(total => total ?? []),
    tolerance: state.tolerance.up,
    proposed: reactive === undefined ? undefined : { reactive, recommended: reactive },
  };
}

function hpaResult(
  read: MetricReading,
  total: SharedLoad | undefined,
  replicas: number,
  state: Pick<TargetState, "now" | "pods" | "tolerance">,
): MetricResult {
  if (!("reading" in read)) return read;
  const { metric, reading } = read;
  return resultOf(metric, () => {
    if (total) return proposeTotal(total, replicas, state.tolerance);
    if (hasTotal(metric)) throw new MetricsError("Unknown", "the load is not known");
    return proposeMetric(metric, reading, { ...state, specReplicas: replicas, statusReplicas: replicas });
  });
}

function resultsOf(
  spec: LongForm,
  { readings, pods, now }: LongLoads,
  scale: Counts,
  of: (reading: Reading) => Reading | undefined,
): MetricResult[] {
  const target = {
    ...{ now, pods, tolerance: toleranceOf(spec.behavior) },
    ...{ specReplicas: scale.replicas, statusReplicas: scale.observed },
  };
  return readings.map(read => {
    if (!("reading" in read)) return read;
    const { metric } = read;
    return resultOf(metric, () => {
      const reading = of(read.reading);
      if (!reading) throw new MetricsError("Rollout", "all pods that have a sample are being started");
      const proposal = proposeMetric(metric, reading, target);
      if (proposal.replicas < scale.replicas) requireKnownAge(metric, reading, pods, now);
      return proposal;
    });
  });
}

function resultOf(
  metric: Metric,
  propose: () => Extract<MetricResult, { proposal: unknown }>["proposal"],
): MetricResult {
  try {
    return { metric, proposal: propose() };
  } catch (error) {
    if (error instanceof MetricsError) return { metric, error };
    throw error;
  }
}

const withoutAge = "its values have no time, or one in the future";
const remedy = "see what its source sends, and the clocks";

/** Throws MetricsError when the age of a value cannot be told: it may be of long ago, so it must not scale down. */
function requireKnownAge({ type }: Metric, reading: Reading, pods: Pod[], now: number): void {
  const isUntold = ({ name }: Pod): boolean =>
    "samples" in reading && ageOf(reading.samples.get(name)?.at ?? now, now) === "untold";
  if ("samples" in reading ? !pods.some(pod => isLive(pod) && isUntold(pod)) : !reading.untold) return;
  throw new MetricsError(failureReason(type), `${withoutAge}, so they may not lower the count; ${remedy}`);
}

/** The conditions of what a count rests on although it is not known, one a metric that did not fail. */
function doubtsOf({ readings, pods, now }: LongLoads, results: MetricResult[]): ConditionUpdate[] {
  return readings.flatMap((read, index) => {
    const result = results[index];
    if (!("reading" in read) || !result || "error" in result) return [];
    const { metric, reading } = read;
    if (!("samples" in reading)) return reading.untold ? untoldCondition(metric) : [];
    const sampleOf = (name: string): "fresh" | "untold" | "none" => {
      const at = reading.samples.get(name)?.at;
      if (at === undefined) return "none";
      return ageOf(at, now) === "untold" ? "untold" : "fresh";
    };
    return unsampledCondition(pods, sampleOf, now, referenceTo(metric)) ?? [];
  });
}

/** The condition of a value that raises the count and would not lower it. */
const untoldCondition = (metric: Metric): ConditionUpdate => ({
  type: "Ready",
  status: "False",
  reason: unknownAge,
  message: `${referenceTo(metric).metric}: ${withoutAge}, so they raise the count and do not lower it; ${remedy}`,
});

function proposedBy({ proposal }: Combined, settled: Combined, current: number): Proposed | undefined {
  if (!proposal) return undefined;
  const reactive = proposal.replicas;
  const without = Math.max(current, settled.proposal?.replicas ?? current);
  if (reactive <= without) return { reactive, recommended: reactive };
  return { reactive, recommended: without, held: "Rollout" };
}

/** Failures of some metrics set Ready to False. ScalingActive stays True while the other metrics scale. */
function failuresOf({ proposal, errors, failure }: Combined): Failure[] {
  const [first] = errors;
  if (!first || failure === undefined) return [];
  const type = proposal ? "Ready" : "ScalingActive";
  return [{ type, status: "False", reason: first.reason, message: failure, causes: errors }];
}

function wordsOf({ proposal }: Combined): Pick<Proposal, "what" | "measure"> {
  if (!proposal) return { what: "no metrics", measure: "" };
  const { of, current, metric } = proposal;
  const now = currentText(current, metric);
  return { what: now === undefined ? of : `${of} ${now}`, measure: `target ${targetText(targetOf(metric))}` };
}

/**
 * The total of a metric without the start-up load of a rollout. If that cannot be separated, or if pods have no sample,
 * the load is a gap.
 */
function knownLoad(
  read: MetricReading,
  index: number,
  pods: Pod[],
  { starting, started }: { starting: Set<string>; started: Set<string> },
  now: number,
): LongLoad[] {
  const { metric } = read;
  if (!("reading" in read) || !hasTotal(metric)) return [];
  const settled = starting.size > 0 ? readingWithoutStartUp(read.reading, servingPods(pods), starting) : read.reading;
  try {
    const { load, capacity } = totalOf(metric, settled ?? read.reading, pods, started, now);
    if (load === undefined) return [{ metric, index, capacity, settled: false }];
    const total = { load, capacity };
    return [{ metric, index, load: settled && load, total, capacity, settled: settled !== undefined }];
  } catch (error) {
    if (!(error instanceof MetricsError || error instanceof NoCount)) throw error;
    return [{ metric, index, capacity: NaN, settled: false }];
  }
}

/** The gap of a failed metric, which its forecast bridges. The capacity is NaN if no pod shows it. */
function unknownLoad(metric: Metric, index: number, pods: Pod[]): LongLoad[] {
  if (!hasTotal(metric)) return [];
  const load = (capacity: number): LongLoad[] => [{ metric, index, capacity, settled: false }];
  try {
    return load(capacityOf(metric, pods));
  } catch (error) {
    if (error instanceof NoCount) return load(NaN);
    throw error;
  }
}

/** A load with its forecast. */
interface ForecastedLoad {
  metric: Metric;
  load?: number;
  capacity: number;
  total?: SharedLoad;
  forecast?: Forecast;
}

/** The replicas that trusted forecasts recommend without metrics. */
function predictiveOf(loads: ForecastedLoad[]): number | undefined {
  const counts = loads.flatMap(({ forecast, capacity }) =>
    forecast?.trusted ? (countOf(forecast.upper, capacity) ?? []) : [],
  );
  return counts.length > 0 ? Math.max(...counts) : undefined;
}

/** The forecast that recommends the most replicas, trusted ones first. Of equal ones the first. */
function aheadOf(loads: ForecastedLoad[], { quantile_percent }: Forecasting): Partial<Proposal> {
  const replicas = ({ forecast, capacity }: ForecastedLoad): number => countOf(forecast?.upper, capacity) ?? -1;
  const trusted = ({ forecast }: ForecastedLoad): number => (forecast?.trusted ? 1 : 0);
  const [first] = [...loads].sort((one, other) => trusted(other) - trusted(one) || replicas(other) - replicas(one));
  if (!first?.forecast) return {};
  const { metric, total, forecast } = first;
  return {
    load: total?.load,
    forecast,
    ahead: aheadText(forecast, unitOfTotal(metric), quantile_percent),
    aheadMeasure: `target ${targetText(targetOf(metric))}`,
  };
}

function figuresOf(result: MetricResult | undefined, load: ForecastedLoad | undefined): MetricFigures {
  if (!result) throw new RangeError("a metric has no result");
  const { metric } = result;
  const forecast = load?.forecast;
  return {
    name: nameOf(metric),
    type: metric.type,
    target: targetText(targetOf(metric)),
    current: "proposal" in result ? currentText(result.proposal.current, metric) : undefined,
    forecast: !load?.total || forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
    // The next process has to know which forecasts to wait for.
    trusted: forecast && (forecast.trusted || forecast.replaying === "Held"),
  };
}

const targetOf = (metric: Metric): MetricTarget => sourceOf(metric).block.target;

const targetText = ({ averageUtilization, averageValue, value }: MetricTarget): string =>
  averageUtilization !== undefined ? `${averageUtilization}%` : String(averageValue ?? value ?? "");

function currentText({ averageUtilization, averageValue, value }: Current, metric: Metric): string | undefined {
  if (averageUtilization !== undefined) return `${averageUtilization}%`;
  const milli = averageValue ?? value;
  return milli === undefined ? undefined : quantityText(milli, resourceOf(metric)?.name === "memory" ? 1024 : 1000);
}
