import { formatQuantity, quantityText } from "../../kubernetes/quantity";
import { type Forecast, isAwaited } from "../forecast/forecast";
import { type Metric, sourceOf, isCountedPerUnit } from "../metrics/registry";
import type { MetricTarget } from "../metrics/schema";
import { nameOf, resourceOf, unitOfTotal } from "../metrics/total";
import type { Current } from "../scaling/rule/average";
import type { MetricResult } from "../scaling/rule/combine";
import type { Counted } from "../scaling/rule/count";
import { type Loads, type MetricLoad } from "../scaling/loads";
import type { Proposal } from "../scaling/proposal";
import { countOf } from "../scaling/ahead/raise";

export interface Description {
  metrics?: MetricFigures[];
  /** The metric of the recommendation: "load 0.60 cores". */
  what: string;
  /** The target of that metric: "10 replicas per core", "target 60%". */
  measure: string;
  load?: number;
  forecast?: Forecast;
  aheadOf?: { metric: string; unit: string };
  ahead?: string;
  aheadMeasure?: string;
}

interface MetricFigures {
  name: string;
  type?: string;
  target?: string;
  current?: string;
  forecast?: string;
  trusted?: boolean;
}

interface ForecastedLoad extends MetricLoad {
  forecast?: Forecast;
}

/** Describes a recommendation. Pure. */
export function describe(
  { measured, totals, error }: Loads,
  forecasts: (Forecast | undefined)[],
  { counted }: Proposal,
): Description {
  if (error) return { what: "no metrics", measure: "" };
  const loads: ForecastedLoad[] = totals.map((load, index) => ({ ...load, forecast: forecasts[index] }));
  const known = loads.filter(({ total, demand }) => total ?? demand);
  const alone = known.length === 0 ? loads.filter(({ capacity }) => !Number.isNaN(capacity)) : [];
  return {
    ...(measured.length > 0 && {
      metrics: measured.map((_, index) =>
        figuresOf(
          counted.results[index],
          loads.find(load => load.index === index),
        ),
      ),
    }),
    ...wordsOf(counted, loads),
    ...aheadOf(known.length > 0 ? known : alone),
  };
}

function wordsOf({ combined: { proposal } }: Counted, loads: MetricLoad[]): Pick<Description, "what" | "measure"> {
  if (!proposal) return { what: "no metrics", measure: "" };
  const { of, current, metric, load } = proposal;
  const measure = measureOf(metric);
  if (load === undefined) {
    const now = currentText(current, metric);
    return { what: now === undefined ? of : `${of} ${now}`, measure };
  }
  const { ready = 0, sampled = 0, highest } = loads[0]?.demand ?? {};
  const guess = sampled < ready && load === highest ? ` with ${ready - sampled} of ${ready} pods unsampled` : "";
  return { what: `load ${formatQuantity(load)} ${unitOfTotal(metric)}${guess}`, measure };
}

function measureOf(metric: Metric): string {
  const { replicasPerUnit } = targetOf(metric);
  if (replicasPerUnit === undefined) return `target ${targetText(targetOf(metric))}`;
  const unit = unitOfTotal(metric);
  return `${replicasPerUnit} replicas per ${unit === "cores" ? "core" : unit}`;
}

/** The forecast that recommends the most replicas, trusted ones first. Of equal ones the first. */
function aheadOf(loads: ForecastedLoad[]): Partial<Description> {
  const replicas = ({ forecast, capacity }: ForecastedLoad): number => countOf(forecast?.upper, capacity) ?? -1;
  const trusted = ({ forecast }: ForecastedLoad): number => (forecast?.trusted ? 1 : 0);
  const [first] = [...loads].sort((one, other) => trusted(other) - trusted(one) || replicas(other) - replicas(one));
  if (!first) return {};
  const { metric, total, forecast, demand } = first;
  const load = demand ? (demand.recorded ?? demand.lowest) : total?.load;
  if (!forecast) return demand ? { load } : {};
  return {
    load,
    forecast,
    aheadOf: { metric: nameOf(metric), unit: unitOfTotal(metric) },
    ahead: aheadText(forecast, unitOfTotal(metric)),
    aheadMeasure: measureOf(metric),
  };
}

/** A forecast as text: "p90 1150 requests in 180 s (model lags)", "0.60 cores in 30 s (linear over 5 samples)". */
export const aheadText = ({ model, load, upper, percent, samples, horizonSeconds }: Forecast, unit: string): string =>
  percent === undefined || upper === undefined
    ? `${formatQuantity(load ?? 0)} ${unit} in ${horizonSeconds} s (${model} over ${samples} samples)`
    : `p${percent} ${formatQuantity(upper)} ${unit} in ${horizonSeconds} s (model ${model})`;

function figuresOf(result: MetricResult | undefined, load: ForecastedLoad | undefined): MetricFigures {
  if (!result) throw new RangeError("a metric has no result");
  const { metric } = result;
  const { forecast, total, demand } = load ?? {};
  const figures = {
    name: nameOf(metric),
    forecast: !(total ?? demand) || forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
  };
  if (isCountedPerUnit(metric))
    return { ...figures, current: demand && formatQuantity(demand.recorded ?? demand.lowest) };
  return {
    ...figures,
    type: metric.type,
    target: targetText(targetOf(metric)),
    current: "proposal" in result ? currentText(result.proposal.current, metric) : undefined,
    // The next process has to know which forecasts to wait for.
    trusted: forecast && (forecast.trusted || isAwaited(forecast.replaying)),
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
