import { Finding } from "../common/conditions";
import { formatQuantity } from "../common/quantity";
import { Forecast } from "./forecast";
import { Metric, MetricTarget } from "./metrics/schema";
import { blockOf, hasTotal, nameOf, Total, totalOf, unitOfTotal } from "./metrics/total";
import { Asked, aheadText, Foresee, Observation } from "./observation";
import { Current } from "./scaling/average";
import { toleranceOf } from "./scaling/behavior";
import { combine, Combined, Result } from "./scaling/combine";
import { Proposed } from "./scaling/decide";
import { propose } from "./scaling/hpa";
import { NoCount, TargetState } from "./scaling/pods";
import { countOf, withForecasts } from "./scaling/predict";
import { MetricsError, Pod, Reading } from "./scaling/reading";
import { readingWithoutStartUp } from "./scaling/rollout";
import { proposeTotal, Reactive } from "./scaling/shadow";
import { Forecasting, LongForm } from "./schema";
import { stays } from "./pods";
import { Scale } from "./target";

/** A metric of a spec and what its source said. */
export type Read = { metric: Metric } & ({ reading: Reading } | { error: MetricsError });

/**
 * What the metrics of an HPA ask for, by HPA's rules.
 * @param starting the pods that a rollout is starting, by name: what only their load asks for is not given
 * @param now epoch milliseconds
 * @param foresee is told of the total of each metric that has one
 */
export function observeMetrics(
  spec: LongForm,
  reads: Read[],
  pods: Pod[],
  starting: Set<string>,
  now: number,
  foresee: Foresee,
): Observation {
  const state = { now, pods, tolerance: toleranceOf(spec.behavior) };
  const counted = (scale: Scale, of: (reading: Reading) => Reading | undefined): Result[] => {
    const target = { ...state, specReplicas: scale.replicas, statusReplicas: scale.observed };
    return reads.map(read => {
      if ("error" in read) return read;
      const { metric } = read;
      try {
        const reading = of(read.reading);
        if (!reading) throw new MetricsError("Rollout", "all pods that have a sample are being started");
        const proposal = propose(metric, reading, target);
        if (proposal.replicas < scale.replicas) mustBeFresh(metric, reading, pods);
        return { metric, proposal };
      } catch (error) {
        if (error instanceof MetricsError) return { metric, error };
        throw error;
      }
    });
  };
  const carrying = pods.filter(pod => stays(pod) && pod.ready?.status);
  const foreseen = reads.map(read => foreseeTotal(read, pods, carrying, starting, now, foresee));
  const ahead = foreseen.flatMap(one =>
    one ? [{ ...one.total, upper: one.forecast?.trusted ? one.forecast.upper : undefined }] : [],
  );
  return {
    reactive: reactiveOf(reads, foreseen, state),
    asks: scale => {
      const results = counted(scale, reading => reading);
      const combined = combine(results, scale.replicas);
      const settled =
        starting.size > 0
          ? combine(
              counted(scale, reading => readingWithoutStartUp(reading, carrying, starting)),
              scale.replicas,
            )
          : combined;
      const proposed = proposedBy(combined, settled, scale.replicas);
      const { min_replicas: least, forecast } = spec;
      return {
        proposed: proposed && withForecasts(proposed, ahead, least, forecast.max_extra_percent),
        failures: failuresOf(combined),
        metrics: results.map((result, index) => statusOf(result, foreseen[index]?.forecast)),
        ...told(combined),
        ...toldAhead(foreseen, forecast),
      };
    },
  };
}

/** What HPA's rule asks for by the loads themselves, whichever pods carry them now. */
function reactiveOf(
  reads: Read[],
  foreseen: (Foreseen | undefined)[],
  state: Pick<TargetState, "now" | "pods" | "tolerance">,
): Reactive {
  const proposed = (read: Read, total: Total | undefined, replicas: number): Result => {
    if ("error" in read) return read;
    const { metric, reading } = read;
    try {
      if (total) return { metric, proposal: proposeTotal(total, replicas, state.tolerance) };
      if (hasTotal(metric)) throw new MetricsError("Unknown", "the load is not known");
      return {
        metric,
        proposal: propose(metric, reading, { ...state, specReplicas: replicas, statusReplicas: replicas }),
      };
    } catch (error) {
      if (error instanceof MetricsError) return { metric, error };
      throw error;
    }
  };
  const totals = foreseen.map(one => (one?.settled ? one.total : undefined));
  return {
    loads: totals.flatMap(total => total ?? []),
    tolerance: state.tolerance.up,
    asks: replicas => {
      const results = reads.map((read, index) => proposed(read, totals[index], replicas));
      const reactive = combine(results, replicas).proposal?.replicas;
      return reactive === undefined ? undefined : { reactive, recommended: reactive };
    },
  };
}

/** A pod whose sample is too old may carry more than its share: its metric lowers nothing. Throws MetricsError. */
function mustBeFresh({ type }: Metric, reading: Reading, pods: Pod[]): void {
  const old = "samples" in reading ? new Set(reading.stale) : new Set<string>();
  const blind = pods.filter(pod => stays(pod) && old.has(pod.name));
  if (blind.length === 0) return;
  const reason = `FailedGet${type}Metric`;
  const whose = `${blind.length} of ${pods.length} pods (${blind[0]?.name}${blind.length > 1 ? " …" : ""})`;
  throw new MetricsError(
    reason,
    `the samples of ${whose} are too old to lower the count; see whether their source still gets them`,
  );
}

function proposedBy({ proposal }: Combined, settled: Combined, current: number): Proposed | undefined {
  if (!proposal) return undefined;
  const reactive = proposal.replicas;
  const without = Math.max(current, settled.proposal?.replicas ?? current);
  if (reactive <= without) return { reactive, recommended: reactive };
  return { reactive, recommended: without, held: "Rollout" };
}

/** Where some metrics failed and others are scaled on, scaling is active, and the MLScaler is not as it should be. */
function failuresOf({ proposal, error, failure }: Combined): Finding[] {
  if (!error || failure === undefined) return [];
  return [{ type: proposal ? "Ready" : "ScalingActive", status: "False", reason: error.reason, message: failure }];
}

function told({ proposal }: Combined): Pick<Asked, "what" | "measure"> {
  if (!proposal) return { what: "no metrics", measure: "" };
  const { of, current, metric } = proposal;
  const now = currentText(current);
  return { what: now === undefined ? of : `${of} ${now}`, measure: `target ${targetText(targetOf(metric))}` };
}

/** What is foreseen of the total of a metric that was read. */
interface Foreseen {
  metric: Metric;
  total: Total;
  /** Whether it is without the start-up load of a rollout. */
  settled: boolean;
  forecast?: Forecast;
}

/** Start-up load of a rollout says nothing of what comes: it is left out, or a gap. */
function foreseeTotal(
  read: Read,
  pods: Pod[],
  carrying: Pod[],
  starting: Set<string>,
  now: number,
  foresee: Foresee,
): Foreseen | undefined {
  const { metric } = read;
  if ("error" in read || !hasTotal(metric)) return undefined;
  const settled = starting.size > 0 ? readingWithoutStartUp(read.reading, carrying, starting) : read.reading;
  try {
    const total = totalOf(metric, settled ?? read.reading, pods, now);
    return { metric, total, settled: settled !== undefined, forecast: foresee(metric, settled && total.load) };
  } catch (error) {
    if (!(error instanceof MetricsError || error instanceof NoCount)) throw error;
    foresee(metric, undefined);
    return undefined;
  }
}

/** The forecast that asks for the most replicas, of those that are trusted where one is; of two that ask alike the first. */
function toldAhead(foreseen: (Foreseen | undefined)[], { quantile_percent }: Forecasting): Partial<Asked> {
  const asked = ({ forecast, total }: Foreseen): number => countOf(forecast?.upper, total.capacity) ?? -1;
  const trusted = ({ forecast }: Foreseen): number => (forecast?.trusted ? 1 : 0);
  const [first] = foreseen
    .flatMap(one => one ?? [])
    .sort((one, other) => trusted(other) - trusted(one) || asked(other) - asked(one));
  if (!first?.forecast) return {};
  const { metric, total, forecast } = first;
  return {
    load: total.load,
    forecast,
    ahead: aheadText(forecast, unitOfTotal(metric), quantile_percent),
    aheadMeasure: `target ${targetText(targetOf(metric))}`,
  };
}

function statusOf(result: Result, forecast: Forecast | undefined): NonNullable<Asked["metrics"]>[number] {
  const { metric } = result;
  return {
    name: nameOf(metric),
    type: metric.type,
    target: targetText(targetOf(metric)),
    current: "proposal" in result ? currentText(result.proposal.current) : undefined,
    forecast: forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
  };
}

const targetOf = (metric: Metric): MetricTarget | undefined => blockOf(metric)?.target;

const targetText = (target: MetricTarget | undefined): string =>
  target?.averageUtilization !== undefined
    ? `${target.averageUtilization}%`
    : String(target?.averageValue ?? target?.value ?? "");

function currentText({ averageUtilization, averageValue, value }: Current): string | undefined {
  if (averageUtilization !== undefined) return `${averageUtilization}%`;
  const milli = averageValue ?? value;
  if (milli === undefined) return undefined;
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}
