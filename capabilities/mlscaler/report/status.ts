import { longestMessage, withTransitions } from "../../kubernetes/conditions";
import { formatQuantity } from "../../kubernetes/quantity";
import { timestamp } from "../../kubernetes/time";
import { Forecast, isAwaited } from "../forecast/forecast";
import { type Lead, metricDelaySeconds } from "../scaling/ahead/start-up";
import { peakOf } from "../scaling/ahead/next-day";
import { HpaComparison } from "../scaling/ahead/shadow";
import { Spec, Status } from "../schema";
import { targetOf } from "../target/target";
import { reasonOf } from "./events";
import { findings, scaledToZero } from "./findings";
import {
  AssistedNow,
  clockSkewed,
  failedUpdateScale,
  failuresOf,
  hasSkew,
  isPending,
  nodesAhead,
  type NodesNow,
  replicasPending,
  Report,
  standBackReasons,
  standsBack,
} from "./report";

/** Computes the status from `report` and the `previous` status. Pure. */
export function statusOf(report: Report, previous: Status): Status {
  const { now, spec, current, proposal, decision, assisted } = report;
  const forecast = proposal?.forecast;
  // A process that reads the state later has to know that a forecast was trusted.
  const keepsForecast = report.unread?.holds === true && previous.forecast?.trusted === true;
  // Like HPA, a count that was not written is not what is asked for.
  const asked = failuresOf(report).some(({ reason }) => reason === failedUpdateScale) ? undefined : decision?.final;
  const figures = {
    load: proposal?.load === undefined ? proposal?.metrics?.[0]?.current : formatQuantity(proposal.load),
    forecast: keepsForecast
      ? previous.forecast
      : ((forecast && forecastOf(report, forecast, previous)) ?? stillTrusted(spec, previous)),
    metrics: proposal?.metrics,
  };
  return {
    ...previous,
    observedGeneration: report.generation,
    target: targetText(report),
    ...(assisted ? assistOf(assisted) : boundsOf(report, previous)),
    current_replicas: current ?? previous.current_replicas,
    predicted_replicas: asked ?? previous.predicted_replicas,
    active_schedules: report.bounds.active.length > 0 ? report.bounds.active : undefined,
    last_scale_time: report.lastScaled ? timestamp(report.lastScaled) : previous.last_scale_time,
    // A sync that only applies bounds looks at no metrics.
    ...(decision && !proposal ? {} : figures),
    lead: report.lead ? leadOf(report.lead) : previous.lead,
    ...(report.nodes && bufferOf(report.nodes, previous)),
    decision: decision && {
      reactive: decision.reactive,
      predictive: decision.predictive,
      stabilized: decision.stabilized,
      limited: decision.limited,
      final: decision.final,
      reason: reasonOf(report, decision).slice(0, longestMessage),
    },
    shadow: decision ? report.comparison && shadowOf(report.comparison) : previous.shadow,
    conditions: withTransitions(previous.conditions ?? [], findings(report, previous), now, report.generation)
      // Conditions with this reason end when the MLScaler no longer stands back.
      .filter(({ reason }) => !standBackReasons.some(one => one === reason) || standsBack(report) === reason)
      // These conditions end with their causes. ReplicasPending stays while the pods are unknown.
      .filter(({ type }) => type !== clockSkewed || hasSkew(report))
      .filter(({ type }) => type !== replicasPending || isPending(report))
      .filter(({ type }) => type !== nodesAhead || spec.capacity_buffer !== undefined),
  };
}

const leadOf = ({ startUp, node }: Lead): Status["lead"] => ({
  start_up_seconds: Math.ceil(startUp),
  node_seconds: node && Math.ceil(node),
  metric_seconds: metricDelaySeconds,
});

/** A buffer that cannot be read may still be there. */
const bufferOf = (
  { replicas, isPlanned, problem }: NodesNow,
  { capacity_buffer: before }: Status,
): Pick<Status, "capacity_buffer"> => ({
  capacity_buffer: problem ? before : replicas === undefined ? undefined : { replicas, planned: isPlanned },
});

function targetText({ spec, assisted }: Report): string {
  const { kind, name } = targetOf(spec);
  if (!assisted) return `${kind}/${name}`;
  const [ofKind = "", ofName = ""] = assisted.autoscaler.text.split(" ");
  return `${ofKind.toLowerCase()}/${ofName} (Assist)`;
}

type BoundFields = Pick<Status, "min_replicas" | "max_replicas" | "assist">;

/** The bounds of an MLScaler that assists nothing. Those of a missing autoscaler are unknown. */
const boundsOf = ({ spec, bounds, leftRaised }: Report, { assist }: Status): BoundFields => ({
  min_replicas: spec.mode === "Assist" ? undefined : `${bounds.min}`,
  max_replicas: spec.mode === "Assist" ? undefined : bounds.max,
  assist: leftRaised && assist,
});

/** The fields of an assisted autoscaler: "2→9" is a minimum of 2 that is raised to 9. */
function assistOf({ autoscaler, minimum }: AssistedNow): BoundFields {
  const { own, replicas, until } = minimum;
  return {
    min_replicas: own === replicas ? `${own}` : `${own}→${replicas}`,
    max_replicas: autoscaler.maximum,
    assist: {
      ...{ autoscaler: autoscaler.text, own_min_replicas: own, min_replicas: replicas },
      until: until === undefined ? undefined : timestamp(new Date(until)),
    },
  };
}

function forecastOf(report: Report, forecast: Forecast, previous: Status): Status["forecast"] {
  const { now, replaying } = report;
  const load = forecast.load === undefined ? undefined : formatQuantity(forecast.load);
  return {
    model: forecast.model,
    load,
    upper: forecast.upper === undefined ? undefined : formatQuantity(forecast.upper),
    ...worthOf(forecast),
    at: load && timestamp(new Date(now.getTime() + forecast.horizonSeconds * 1000)),
    horizon_seconds: forecast.horizonSeconds,
    samples: forecast.samples,
    skill_percent: percentOf(forecast.skill),
    coverage_percent: percentOf(forecast.coverage),
    // The next process has to know of it.
    trusted: forecast.trusted || isAwaited(replaying),
    next_24h: nextDayIn(report, previous),
  };
}

/** The quantile that acts, and what its replicas brought in the days of the trial. */
function worthOf({ percent, worth }: Forecast): Partial<NonNullable<Status["forecast"]>> {
  if (!worth) return { quantile_percent: percent };
  const { hpa, raised } = worth;
  return {
    quantile_percent: percent,
    replica_hours_added: Math.round((raised.replicas - hpa.replicas) / 3_600_000),
    missing_replica_hours_saved: Math.round((hpa.missing - raised.missing) / 3_600_000),
  };
}

/** The peak of the next 24 hours; that of the status before while it is not calculated again. */
function nextDayIn({ nextDay }: Report, { forecast }: Status): NonNullable<Status["forecast"]>["next_24h"] {
  if (nextDay === undefined) return forecast?.next_24h;
  const peak = nextDay && peakOf(nextDay);
  return peak
    ? {
        peak_replicas: peak.replicas,
        peak_at: timestamp(new Date(peak.at)),
        skill_percent: Math.round(100 * nextDay.skill),
      }
    : undefined;
}

/** Whether a status trusts the forecast of a metric, or any where it does not tell them apart. */
export function wasTrusted(
  { forecast, metrics, observedGeneration }: Status,
  generation: number,
  { index = -1 }: { index?: number } = {},
): boolean {
  const ofMetric = observedGeneration === generation ? metrics?.[index]?.trusted : undefined;
  return ofMetric ?? forecast?.trusted ?? false;
}

/** Whether the status says that the MLScaler scaled its target to 0. */
export const wasScaledToZero = ({ conditions = [] }: Status): boolean =>
  conditions.some(({ type, status }) => type === scaledToZero && status === "True");

/** The verdict of the last forecast: else a restart would not wait for a trusted one. */
function stillTrusted({ forecast: block }: Spec, { forecast }: Status): Status["forecast"] {
  if (!forecast?.trusted || !block || block.model === "off") return undefined;
  const { model, horizon_seconds, samples } = forecast;
  return { model, horizon_seconds, samples, trusted: true };
}

const shadowOf = (comparison: HpaComparison): Status["shadow"] => ({
  hpa_replicas: comparison.hpaReplicas,
  replica_hours_saved_24h: Math.round(comparison.replicaHoursSaved),
  underprovisioned_seconds_24h: Math.round(comparison.underprovisionedSeconds),
  underprovisioned_seconds_hpa_24h: Math.round(comparison.underprovisionedSecondsOfHpa),
});

/** Converts a ratio to whole percent. Very low values are cut off to fit the int32 of the CRD. */
const percentOf = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.max(-1_000_000, Math.round(share * 100));
