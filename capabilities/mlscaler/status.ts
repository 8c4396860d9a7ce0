import { ConditionUpdate, longestMessage, withTransitions } from "../kubernetes/conditions";
import { timestamp } from "../kubernetes/time";
import type { ConditionType, Reason } from "./conditions";
import { formatQuantity } from "../kubernetes/quantity";
import { Forecast, replayDeadlineSeconds, Replaying } from "./forecast/forecast";
import { scoredForecasts } from "./forecast/trust";
import { Unread } from "./memory/memory";
import { hasTotal } from "./metrics/total";
import { Failure, Proposal } from "./scaling/proposal";
import { Decision } from "./scaling/decide";
import { Waiting } from "./scaling/pending";
import { BoundsNow } from "./scaling/schedule";
import { HpaComparison } from "./scaling/shadow";
import { Spec, Status } from "./schema";
import { targetOf } from "./target/target";

/** The results of one sync, step by step. A step that the sync did not reach is absent. */
export interface SyncSteps {
  /** The target's spec.replicas. */
  current?: number;
  /** The replicas that the metrics and the forecast recommend. */
  proposal?: Proposal;
  /** Present while a forecast that was trusted before is not there yet. */
  replaying?: Replaying;
  /** The replicas that do not start; absent if the pods are unknown. */
  waiting?: Waiting;
  /** Whether the sync added past values to the history. */
  backfilled?: boolean;
  decision?: Decision;
  /** The comparison with HPA; absent when nothing is forecast. */
  comparison?: HpaComparison;
  /** Whether the scale was written. */
  scaled: boolean;
  /** The time of the last scaling by this MLScaler. */
  lastScaled?: Date;
  /** Present while something that is stored cannot be read. */
  unread?: Unread;
  /** The failures except those of metrics, each as the condition that it sets. */
  failures: ConditionUpdate[];
}

/** The report of one sync of one MLScaler. */
export interface Report extends SyncSteps {
  now: Date;
  generation: number;
  spec: Spec;
  /** The bounds of the spec or of its active schedules. */
  bounds: BoundsNow;
  /** Why the MLScaler has no forecast, if a quota excludes it. `spec` then has none. */
  overQuota?: string;
}

/** All failures of a sync. */
export const failuresOf = ({ failures, proposal, unread }: Report): Failure[] => [
  ...failures,
  ...(proposal?.failures ?? []),
  ...(unread ? [unreadFailure(unread)] : []),
];

function unreadFailure({ message, holds }: Unread): ConditionUpdate {
  const consequence = holds
    ? "Until then the count is not lowered"
    : "The count follows the load of now, as with an HPA";
  return { type: "Ready", status: "False", reason: "StateUnreadable", message: `${message}. ${consequence}` };
}

/**
 * The Events of the failures, with HPA's reasons (podautoscaler/horizontal.go). Like in HPA, each metric that failed
 * sends one, and a failure that leaves no count a last one, FailedComputeMetricsReplicas.
 */
export const warningsOf = (report: Report): { reason: string; message: string }[] =>
  failuresOf(report).flatMap(({ type, reason, message, event, causes = [{ reason, message, event }] }) => [
    ...causes.map(cause => ({ reason: cause.event ?? cause.reason, message: cause.message })),
    ...(type === "ScalingActive" ? [{ reason: "FailedComputeMetricsReplicas", message }] : []),
  ]);

/** The reason of AbleToScale when the scale was not written. */
export const failedUpdateScale = "FailedUpdateScale";

const ambiguous = "AmbiguousTarget";

/** Whether the MLScaler stands back because another autoscaler acts on the target. */
const standsBack = (report: Report): boolean => failuresOf(report).some(({ reason }) => reason === ambiguous);

/** The condition of clocks that differ, and its reason. Without that it is absent. */
export const clockSkewed = "ClockSkewed";

const hasSkew = (report: Report): boolean => failuresOf(report).some(({ type }) => type === clockSkewed);

/** The condition that is there while replicas stay Pending. */
const replicasPending = "ReplicasPending";

const isPending = (report: Report): boolean => !standsBack(report) && report.waiting?.pending.length !== 0;

/** The noise threshold of skill and coverage, in percentage points. */
const noisePoints = 5;

/** The noise threshold of loads, as a ratio: half of HPA's tolerance. Changes below it cause no status write. */
const noise = 0.05;

/** Computes the status from `report` and the `previous` status. Pure. */
export function statusOf(report: Report, previous: Status): Status {
  const { now, spec, current, proposal, decision } = report;
  const forecast = proposal?.forecast;
  // A process that reads the state later has to know that a forecast was trusted.
  const keepsForecast = report.unread?.holds === true && previous.forecast?.trusted === true;
  // Like HPA, a count that was not written is not what is asked for.
  const asked = failuresOf(report).some(({ reason }) => reason === failedUpdateScale) ? undefined : decision?.final;
  const figures = {
    load: proposal?.load === undefined ? proposal?.metrics?.[0]?.current : formatQuantity(proposal.load),
    forecast: keepsForecast
      ? previous.forecast
      : ((forecast && forecastOf(report, forecast)) ?? stillTrusted(spec, previous)),
    metrics: proposal?.metrics,
  };
  return {
    ...previous,
    observedGeneration: report.generation,
    target: `${targetOf(spec).kind}/${targetOf(spec).name}`,
    current_replicas: current ?? previous.current_replicas,
    predicted_replicas: asked ?? previous.predicted_replicas,
    active_schedules: report.bounds.active.length > 0 ? report.bounds.active : undefined,
    last_scale_time: report.lastScaled ? timestamp(report.lastScaled) : previous.last_scale_time,
    // A sync that only applies bounds looks at no metrics.
    ...(decision && !proposal ? {} : figures),
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
      .filter(({ reason }) => reason !== ambiguous || standsBack(report))
      // These conditions end with their causes. ReplicasPending stays while the pods are unknown.
      .filter(({ type }) => type !== clockSkewed || hasSkew(report))
      .filter(({ type }) => type !== replicasPending || isPending(report)),
  };
}

function forecastOf({ now, replaying }: Report, forecast: Forecast): Status["forecast"] {
  const load = forecast.load === undefined ? undefined : formatQuantity(forecast.load);
  return {
    model: forecast.model,
    load,
    upper: forecast.upper === undefined ? undefined : formatQuantity(forecast.upper),
    at: load && timestamp(new Date(now.getTime() + forecast.horizonSeconds * 1000)),
    horizon_seconds: forecast.horizonSeconds,
    samples: forecast.samples,
    skill_percent: percentOf(forecast.skill),
    upper_skill_percent: percentOf(forecast.upperSkill),
    coverage_percent: percentOf(forecast.coverage),
    // The next process has to know of it.
    trusted: forecast.trusted || replaying === "Held",
  };
}

/**
 * Whether the status trusts the forecast of a load: of the metric with this index, or any forecast where the status is
 * of another generation of the spec, or does not tell the metrics apart.
 */
export function wasTrusted(
  { forecast, metrics, observedGeneration }: Status,
  generation: number,
  { index = -1 }: { index?: number } = {},
): boolean {
  const ofMetric = observedGeneration === generation ? metrics?.[index]?.trusted : undefined;
  return ofMetric ?? forecast?.trusted ?? false;
}

/**
 * The verdict of the last forecast, while there is none. Without it a restart would not wait for a trusted forecast.
 */
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

/** The decision as text: "8 → 12: forecast 1.15 cores in 180 s (lags, 90 % below), 10 replicas per core". */
export function reasonOf({ spec, bounds, current, proposal }: Report, decision: Decision): string {
  const { what = "no metrics", measure, ahead, aheadMeasure = measure } = proposal ?? {};
  const windows = spec.behavior ? "the windows of spec.behavior" : "the last 300 s";
  const basis = {
    Disabled: "the target is scaled to 0, scaling is off",
    Bounds: `outside ${leastText(bounds)} to ${mostText(bounds)}`,
    NoMetrics: "no metrics, the target is left as it is",
    Load: `${what}, ${measure}`,
    Unsampled: `not every pod has a sample yet, ${what} at most, ${measure}`,
    Rollout: `a rollout's start-up load does not count, ${what} with it, ${measure}`,
    Stabilized: `stabilized over ${windows}, ${what}, ${measure}`,
    Forecast: `forecast ${ahead}, ${aheadMeasure}`,
    Floor: `no metrics, on_metric_failure asks for ${spec.on_metric_failure?.replicas} at least`,
    Replaying: `not lowered while trusted forecasts are replayed, ${what}, ${measure}`,
    ClockSkewed: `not lowered, because the age of the metrics cannot be told, ${what}, ${measure}`,
    StateUnread: `not lowered while the stored state cannot be read, ${what}, ${measure}`,
    ForecastAlone: `no metrics, on_metric_failure goes by the forecast alone, ${ahead}, ${aheadMeasure}`,
  }[decision.basis];
  const change = current === decision.final ? `${current}` : `${current} → ${decision.final}`;
  const held = decision.paused ? ` (held: pause ${spec.pause})` : "";
  return `${change}: ${basis}${scheduledText(bounds, decision)}${held}`;
}

const leastText = ({ min, minOf }: BoundsNow): string => `min_replicas ${min}${minOf ? ` of schedule ${minOf}` : ""}`;
const mostText = ({ max, maxOf }: BoundsNow): string => `max_replicas ${max}${maxOf ? ` of schedule ${maxOf}` : ""}`;

/** The schedule bound that limited the count, as text; empty if none did. */
function scheduledText(bounds: BoundsNow, { basis, scalingLimited }: Decision): string {
  if (basis === "Bounds") return "";
  if (scalingLimited === "TooFewReplicas" && bounds.minOf) return `, at least ${leastText(bounds)}`;
  if (scalingLimited === "TooManyReplicas" && bounds.maxOf) return `, at most ${mostText(bounds)}`;
  return "";
}

/** Whether `next` differs from `previous` by more than noise. */
export function worthWriting(previous: Status, next: Status): boolean {
  const [before, after] = [previous, next].map(status => JSON.stringify(withoutCounters(status)));
  return !alike(JSON.parse(before ?? ""), JSON.parse(after ?? ""), "");
}

/**
 * The status with the messages of failures reduced to the words without a digit. Foreign texts have counters, times and
 * ids of requests, which would make each sync a write. The numbers of the forecast's progress are told.
 */
const withoutCounters = (status: Status): Status => ({
  ...status,
  conditions: status.conditions?.map(condition =>
    condition.status === "True" || condition.type === "ForecastReady"
      ? condition
      : {
          ...condition,
          message: condition.message
            .split(/\s/)
            .filter(word => !/\d/.test(word))
            .join(" "),
        },
  ),
});

function findings(report: Report, previous: Status): ConditionUpdate[] {
  const { spec, current, proposal, decision, scaled } = report;
  const failures = failuresOf(report);
  const byType = new Map<string, ConditionUpdate>();
  const find: Find = (type, status, reason, message) => void byType.set(type, { type, status, reason, message });
  if (current !== undefined) find("AbleToScale", "True", "SucceededGetScale", "the target's scale was read");
  if (decision) {
    decided(report, decision, find);
    // Like HPA, keep the condition of the last recommendation. A count that is held outside the bounds stays limited.
    if (decision.stabilized !== undefined || (decision.basis === "Bounds" && proposal)) limited(report, decision, find);
  }
  if (decision && scaled) {
    if (decision.basis === "Forecast" || decision.basis === "ForecastAlone") {
      const predicted = formatQuantity(proposal?.forecast?.load ?? 0);
      find("Scaled", "True", "PredictionBased", `Predicted load: ${predicted}`);
    } else {
      const { basis } = decision;
      const based = basis === "Bounds" || basis === "Floor" ? (`${basis}Based` as const) : "LoadBased";
      find("Scaled", "True", based, reasonOf(report, decision));
    }
  } else if (!previous.conditions?.some(({ type }) => type === "Scaled")) {
    find("Scaled", "False", "NotScaledYet", "this MLScaler has not scaled its target yet");
  }
  if (standsBack(report)) {
    // Earlier findings no longer hold once another autoscaler acts on the target.
    find("ScalingActive", "False", ambiguous, "another scales the target, AbleToScale says who");
    for (const type of ["ScalingLimited", "ForecastReady"] as const)
      find(type, "Unknown", ambiguous, "not looked at while another scales the target");
  }
  if (report.overQuota !== undefined) find("ForecastReady", "False", "QuotaExceeded", report.overQuota);
  else if (spec.forecast?.model === "off") find("ForecastReady", "False", "Off", "spec.forecast.model is off");
  else if (proposal?.forecast) find("ForecastReady", ...forecastReady(proposal.forecast, spec.forecast !== undefined));
  else if (spec.metrics?.every(metric => !hasTotal(metric)))
    find(
      "ForecastReady",
      "False",
      "NoTotal",
      "spec.metrics has only targets of type Value, which have no total to forecast",
    );
  if (report.replaying && proposal?.forecast?.failure === undefined)
    find("ForecastReady", ...replayed(report.replaying));
  const { pending = [] } = report.waiting ?? {};
  const pendingText = pending.map(({ what, why }) => `${what}: ${why}`).join("; ");
  if (pending[0]) find(replicasPending, "True", pending[0].reason, pendingText);
  for (const failure of failures) byType.set(failure.type, failure);
  const first = failures[0];
  if (first) byType.set("Ready", { type: "Ready", status: "False", reason: first.reason, message: first.message });
  else find("Ready", "True", "Synced", spec.mode === "Observe" ? "observes, never scales" : "scales its target");
  return [...byType.values()];
}

type Find = <Type extends ConditionType>(
  type: Type,
  status: ConditionUpdate["status"],
  reason: Reason<Type>,
  message: string,
) => void;

function decided({ spec, scaled, current, proposal }: Report, decision: Decision, find: Find): void {
  if (decision.basis === "Disabled") {
    find("ScalingActive", "False", "ScalingDisabled", "scaling is off, because the target is scaled to 0 replicas");
  } else if (spec.pause === "All" || decision.paused) {
    find("ScalingActive", "False", "Paused", `spec.pause is ${spec.pause}`);
  } else if (decision.recommended !== undefined || proposal?.proposed) {
    find("ScalingActive", "True", "ValidMetricFound", "a count was calculated from the metrics");
  }
  if (scaled) {
    find("AbleToScale", "True", "SucceededRescale", `the target was scaled to ${decision.final}`);
  } else if (decision.ableToScale === "ScaleDownStabilized") {
    const message = "recent recommendations were higher, the highest of the scale-down window counts";
    find("AbleToScale", "True", "ScaleDownStabilized", message);
  } else if (decision.ableToScale === "ScaleUpStabilized") {
    const message = "recent recommendations were lower, the lowest of the scale-up window counts";
    find("AbleToScale", "True", "ScaleUpStabilized", message);
  } else if (decision.paused) {
    find("AbleToScale", "True", "ReadyForNewScale", `held by spec.pause ${spec.pause}`);
  } else if (current !== decision.final) {
    find("AbleToScale", "True", "ReadyForNewScale", `would scale to ${decision.final}, spec.mode is ${spec.mode}`);
  } else if (decision.recommended !== undefined) {
    find("AbleToScale", "True", "ReadyForNewScale", "the target has the replicas it needs");
  }
}

function limited({ spec, bounds }: Report, { scalingLimited }: Decision, find: Find): void {
  const growthLimit = spec.behavior ? "spec.behavior.scaleUp allows" : "max(2 × current, 4) in 15 s";
  const message = {
    DesiredWithinRange: "the wanted count is within the bounds",
    ScaleUpLimit: `the wanted count grows faster than ${growthLimit}`,
    ScaleDownLimit: "the wanted count falls faster than spec.behavior.scaleDown allows",
    TooManyReplicas: `the wanted count is above ${mostText(bounds)}`,
    TooFewReplicas: `the wanted count is below ${leastText(bounds)}`,
  }[scalingLimited];
  find("ScalingLimited", scalingLimited === "DesiredWithinRange" ? "False" : "True", scalingLimited, message);
}

/** The status, reason and message of ForecastReady while a forecast that was trusted before is not there. */
function replayed(replaying: Replaying): [ConditionUpdate["status"], Reason<"ForecastReady">, string] {
  const minutes = replayDeadlineSeconds / 60;
  return replaying === "Held"
    ? [
        "Unknown",
        "Replaying",
        `a trusted forecast is calculated again from its history; the count is not lowered meanwhile, for ${minutes} ` +
          "minutes at most",
      ]
    : [
        "False",
        "Replaying",
        `a trusted forecast is calculated again from its history for more than ${minutes} minutes; the count follows ` +
          "the current load alone",
      ];
}

/** The status, reason and message of ForecastReady. `gated`: the spec has a `forecast` block, so trust needs skill. */
function forecastReady(
  forecast: Forecast,
  gated: boolean,
): [ConditionUpdate["status"], Reason<"ForecastReady">, string] {
  const { model, load, samples, wanted, failure, trusted, skill = 0, upperSkill = skill } = forecast;
  const of = gated ? "scored forecasts" : "samples";
  if (failure !== undefined) return ["False", "ModelFailed", failure];
  if (samples < wanted) return ["False", "Learning", `Learning ${samples} of ${wanted} ${of}`];
  if (load === undefined) return ["False", "Learning", `Learning: no load for ${model} to start from`];
  // Steps of five percent, because each new message causes a status write.
  const percentOf = (skill: number): number => 5 * Math.round(Math.abs(skill) * 20);
  const over = gated ? "24 h" : `${scoredForecasts} syncs`;
  const compared = `about ${percentOf(skill)}% ${skill < 0 ? "worse" : "better"} than the last value over ${over}`;
  if (!trusted && upperSkill < Math.min(0, skill)) {
    const costs = `about ${percentOf(upperSkill)}% more than the last value does over ${over}`;
    return ["False", "Demoted", `its upper quantile costs ${costs}, in unserved load and replicas without load`];
  }
  if (!trusted) return ["False", "Demoted", compared];
  return gated ? ["True", "Trusted", compared] : ["True", "Fitted", `${model} over ${samples} samples`];
}

/** Whether two statuses are equal apart from noise: small changes of loads, and of the texts and times that follow. */
function alike(one: unknown, other: unknown, path: string): boolean {
  if (path === ".forecast.at" || path === ".decision.reason") return typeof one === typeof other;
  if (/^\.forecast\.(skill|upper_skill|coverage)_percent$/.test(path))
    return one === other || Math.abs(Number(one) - Number(other)) < noisePoints;
  if (
    path === ".load" ||
    path === ".forecast.load" ||
    path === ".forecast.upper" ||
    /^\.metrics\.\d+\.(current|forecast)$/.test(path)
  ) {
    if (typeof one === "string" && typeof other === "string" && one !== other) {
      // The text is a percentage, or a Quantity with no suffix other than m.
      const [before, after] = [one, other].map(text => parseFloat(text) / (text.endsWith("m") ? 1000 : 1));
      return Math.abs((before ?? NaN) - (after ?? NaN)) <= noise * Math.max(before ?? NaN, after ?? NaN);
    }
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every(key =>
    alike((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key], `${path}.${key}`),
  );
}
