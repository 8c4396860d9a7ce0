import { Finding, longestMessage, timestamp, withTransitions } from "../common/conditions";
import { formatQuantity } from "../common/quantity";
import { Forecast } from "./forecast";
import { scoredForecasts } from "./forecast/trust";
import { hasTotal } from "./metrics/total";
import { Asked } from "./observation";
import { Decision } from "./scaling/decide";
import { BoundsNow } from "./scaling/schedule";
import { Comparison } from "./scaling/shadow";
import { Spec, Status } from "./schema";
import { targetOf } from "./target";

/** What one sync found and did. */
export interface Report {
  now: Date;
  generation: number;
  spec: Spec;
  /** Those of the spec, or of its schedules whose windows are open. */
  bounds: BoundsNow;
  /** The target's replicas as read; absent when it could not be. */
  current?: number;
  /** What the metrics ask for; absent when nothing was asked. */
  asked?: Asked;
  /** Whether history from before was filled in. */
  backfilled?: boolean;
  decision?: Decision;
  /** What HPA alone would have done; absent while nothing is forecast. */
  comparison?: Comparison;
  /** Whether the target was written. */
  scaled: boolean;
  /** When this process last wrote it, even if that is not in the status yet. */
  lastScaled?: Date;
  /** What failed beside the metrics, as the condition that it belongs to. */
  failures: Finding[];
}

/** All that failed. */
export const failuresOf = ({ failures, asked }: Report): Finding[] => [...failures, ...(asked?.failures ?? [])];

/** What is told of that in Events, by HPA's reasons (podautoscaler/horizontal.go): where no count is known, twice. */
export const warningsOf = (report: Report): { reason: string; message: string }[] =>
  failuresOf(report).flatMap(({ type, reason, message, event = reason }) => [
    { reason: event, message },
    ...(type === "ScalingActive" ? [{ reason: "FailedComputeMetricsReplicas", message }] : []),
  ]);

const ambiguous = "AmbiguousTarget";

/** Whether the target is left to another that scales it. */
const standsBack = (report: Report): boolean => failuresOf(report).some(({ reason }) => reason === ambiguous);

/** So many percent more or less of skill or coverage are noise, too. */
const noisePoints = 5;

/** A change of load or forecast below this share of it is noise, and not worth a write: a half of HPA's tolerance. */
const noise = 0.05;

/** The status that follows from `report`, given the `previous` one. Pure. */
export function statusOf(report: Report, previous: Status): Status {
  const { now, spec, current, asked, decision } = report;
  const forecast = asked?.forecast;
  const forecastLoad = forecast?.load === undefined ? undefined : formatQuantity(forecast.load);
  return {
    ...previous,
    observedGeneration: report.generation,
    target: `${targetOf(spec).kind}/${targetOf(spec).name}`,
    current_replicas: current ?? previous.current_replicas,
    predicted_replicas: decision?.final ?? previous.predicted_replicas,
    active_schedules: report.bounds.active.length > 0 ? report.bounds.active : undefined,
    load: asked?.load === undefined ? asked?.metrics?.[0]?.current : formatQuantity(asked.load),
    last_scale_time: report.lastScaled ? timestamp(report.lastScaled) : previous.last_scale_time,
    forecast: forecast && {
      model: forecast.model,
      load: forecastLoad,
      upper: forecast.upper === undefined ? undefined : formatQuantity(forecast.upper),
      at: forecastLoad && timestamp(new Date(now.getTime() + forecast.horizonSeconds * 1000)),
      horizon_seconds: forecast.horizonSeconds,
      samples: forecast.samples,
      skill_percent: percentOf(forecast.skill),
      coverage_percent: percentOf(forecast.coverage),
      trusted: forecast.trusted,
    },
    metrics: asked?.metrics,
    decision: decision && {
      reactive: decision.reactive,
      predictive: decision.predictive,
      stabilized: decision.stabilized,
      limited: decision.limited,
      final: decision.final,
      reason: reasonOf(report, decision).slice(0, longestMessage),
    },
    shadow: decision ? report.comparison && shadowOf(report.comparison) : previous.shadow,
    conditions: withTransitions(previous.conditions ?? [], findings(report, previous), now, report.generation).filter(
      // What only stood for a target that another scaled is gone with that.
      ({ reason }) => reason !== ambiguous || standsBack(report),
    ),
  };
}

const shadowOf = (comparison: Comparison): Status["shadow"] => ({
  hpa_replicas: comparison.hpaReplicas,
  replica_hours_saved_24h: Math.round(comparison.replicaHoursSaved),
  underprovisioned_seconds_24h: Math.round(comparison.underprovisionedSeconds),
  underprovisioned_seconds_hpa_24h: Math.round(comparison.underprovisionedSecondsOfHpa),
});

/** A share in whole percent, as far as an int32 of the CRD goes; what is worse than that is as bad. */
const percentOf = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.max(-1_000_000, Math.round(share * 100));

/** Why the decision is what it is: "8 → 12: forecast 1.15 cores in 180 s (lags, 90 % below), 10 replicas per core". */
export function reasonOf({ spec, bounds, current, asked }: Report, decision: Decision): string {
  const { what = "no metrics", measure, ahead, aheadMeasure = measure } = asked ?? {};
  const basis = {
    Disabled: "the target is scaled to 0, scaling is off",
    Bounds: `outside ${leastText(bounds)} to ${mostText(bounds)}`,
    NoMetrics: "no metrics, the target is left as it is",
    Load: `${what}, ${measure}`,
    Unsampled: `not every pod has a sample yet, ${what} at most, ${measure}`,
    Rollout: `a rollout's start-up load does not count, ${what} with it, ${measure}`,
    Stabilized: `stabilized over ${spec.behavior ? "the windows of spec.behavior" : "the last 300 s"}, ${what}, ${measure}`,
    Forecast: `forecast ${ahead}, ${aheadMeasure}`,
    Floor: `no metrics, on_metric_failure asks for ${spec.on_metric_failure?.replicas} at least`,
    ForecastAlone: `no metrics, on_metric_failure goes by the forecast alone, ${ahead}, ${aheadMeasure}`,
  }[decision.basis];
  const change = current === decision.final ? `${current}` : `${current} → ${decision.final}`;
  const held = decision.paused ? ` (held: pause ${spec.pause})` : "";
  return `${change}: ${basis}${scheduledText(bounds, decision)}${held}`;
}

const leastText = ({ min, minOf }: BoundsNow): string => `min_replicas ${min}${minOf ? ` of schedule ${minOf}` : ""}`;
const mostText = ({ max, maxOf }: BoundsNow): string => `max_replicas ${max}${maxOf ? ` of schedule ${maxOf}` : ""}`;

/** The bound of a schedule that a count was brought to. */
function scheduledText(bounds: BoundsNow, { basis, scalingLimited }: Decision): string {
  if (basis === "Bounds") return "";
  if (scalingLimited === "TooFewReplicas" && bounds.minOf) return `, at least ${leastText(bounds)}`;
  if (scalingLimited === "TooManyReplicas" && bounds.maxOf) return `, at most ${mostText(bounds)}`;
  return "";
}

/** Whether `next` says more than `previous` did: something other than a load within noise. */
export function worthWriting(previous: Status, next: Status): boolean {
  return !alike(JSON.parse(JSON.stringify(previous)), JSON.parse(JSON.stringify(next)), "");
}

function findings(report: Report, previous: Status): Finding[] {
  const { spec, current, asked, decision, scaled } = report;
  const failures = failuresOf(report);
  const byType = new Map<string, Finding>();
  const find = (type: string, status: Finding["status"], reason: string, message: string): void => {
    byType.set(type, { type, status, reason, message });
  };
  if (current !== undefined) find("AbleToScale", "True", "SucceededGetScale", "the target's scale was read");
  if (decision) {
    decided(report, decision, find);
    // Without metrics there is no wanted count: as an HPA does, it stays as it was.
    if (decision.basis !== "NoMetrics" && decision.basis !== "Floor") limited(report, decision, find);
  }
  if (decision && scaled) {
    if (decision.basis === "Forecast" || decision.basis === "ForecastAlone") {
      const predicted = formatQuantity(asked?.forecast?.load ?? 0);
      find("Scaled", "True", "PredictionBased", `Predicted load: ${predicted}`);
    } else {
      const { basis } = decision;
      const based = basis === "Bounds" || basis === "Floor" ? `${basis}Based` : "LoadBased";
      find("Scaled", "True", based, reasonOf(report, decision));
    }
  } else if (!previous.conditions?.some(({ type }) => type === "Scaled")) {
    find("Scaled", "False", "NotScaledYet", "this MLScaler has not scaled its target yet");
  }
  if (standsBack(report)) {
    // What was found before another scaled the target holds no more.
    find("ScalingActive", "False", ambiguous, "another scales the target, AbleToScale says who");
    for (const type of ["ScalingLimited", "ForecastReady"])
      find(type, "Unknown", ambiguous, "not looked at while another scales the target");
  }
  if (spec.forecast?.model === "off") find("ForecastReady", "False", "Off", "spec.forecast.model is off");
  else if (asked?.forecast) find("ForecastReady", ...forecastReady(asked.forecast, spec.forecast !== undefined));
  else if (spec.metrics?.every(metric => !hasTotal(metric)))
    find(
      "ForecastReady",
      "False",
      "NoTotal",
      "spec.metrics has only targets of type Value, which have no total to forecast",
    );
  for (const failure of failures) byType.set(failure.type, failure);
  const first = failures[0];
  if (first) find("Ready", "False", first.reason, first.message);
  else find("Ready", "True", "Synced", spec.mode === "Observe" ? "observes, never scales" : "scales its target");
  return [...byType.values()];
}

type Find = (type: string, status: Finding["status"], reason: string, message: string) => void;

function decided({ spec, scaled, current }: Report, decision: Decision, find: Find): void {
  if (decision.basis === "Disabled") {
    find("ScalingActive", "False", "ScalingDisabled", "scaling is off, because the target is scaled to 0 replicas");
  } else if (spec.pause === "All" || decision.paused) {
    find("ScalingActive", "False", "Paused", `spec.pause is ${spec.pause}`);
  } else if (decision.recommended !== undefined) {
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
  } else {
    find("AbleToScale", "True", "ReadyForNewScale", "the target has the replicas it needs");
  }
}

function limited({ spec, bounds }: Report, { scalingLimited }: Decision, find: Find): void {
  const message = {
    DesiredWithinRange: "the wanted count is within the bounds",
    ScaleUpLimit: `the wanted count grows faster than ${spec.behavior ? "spec.behavior.scaleUp allows" : "max(2 × current, 4) in 15 s"}`,
    ScaleDownLimit: "the wanted count falls faster than spec.behavior.scaleDown allows",
    TooManyReplicas: `the wanted count is above ${mostText(bounds)}`,
    TooFewReplicas: `the wanted count is below ${leastText(bounds)}`,
  }[scalingLimited];
  find("ScalingLimited", scalingLimited === "DesiredWithinRange" ? "False" : "True", scalingLimited, message);
}

/** How sure a forecast is: of one that has to be trusted, whether it is. */
function forecastReady(forecast: Forecast, gated: boolean): [Finding["status"], string, string] {
  const { model, load, samples, wanted, failure, trusted, skill = 0 } = forecast;
  const of = gated ? "scored forecasts" : "samples";
  if (failure !== undefined) return ["False", "ModelFailed", failure];
  if (samples < wanted) return ["False", "Learning", `Learning ${samples} of ${wanted} ${of}`];
  if (load === undefined) return ["False", "Learning", `Learning: no load for ${model} to start from`];
  // In steps of five: a message that changes is a write.
  const percent = 5 * Math.round(Math.abs(skill) * 20);
  const over = gated ? "24 h" : `${scoredForecasts} syncs`;
  const compared = `about ${percent}% ${skill < 0 ? "worse" : "better"} than the last value over ${over}`;
  if (!trusted) return ["False", "Demoted", compared];
  return gated ? ["True", "Trusted", compared] : ["True", "Fitted", `${model} over ${samples} samples`];
}

/** Whether two statuses are the same but for noise: loads that moved little, and the time and the text that move with them. */
function alike(one: unknown, other: unknown, path: string): boolean {
  if (path === ".forecast.at" || path === ".decision.reason") return typeof one === typeof other;
  if (path === ".forecast.skill_percent" || path === ".forecast.coverage_percent")
    return one === other || Math.abs(Number(one) - Number(other)) < noisePoints;
  if (
    path === ".load" ||
    path === ".forecast.load" ||
    path === ".forecast.upper" ||
    /^\.metrics\.\d+\.(current|forecast)$/.test(path)
  ) {
    if (typeof one === "string" && typeof other === "string" && one !== other) {
      // A percentage, or a Quantity with no suffix but m.
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
