import { ConditionUpdate } from "../../kubernetes/conditions";
import { formatQuantity } from "../../kubernetes/quantity";
import { Forecast, replayDeadlineSeconds, Replaying } from "../forecast/forecast";
import { hasTotal } from "../metrics/total";
import { Activity } from "../scaling/activity";
import { Decision } from "../scaling/decide";
import { Status } from "../schema";
import type { ConditionType, Reason } from "./conditions";
import { asksText, isHeldBack, leastText, mostText, reasonOf } from "./events";
import { failuresOf, replicasPending, Report, standsBack } from "./report";

/** The condition of a target that its MLScaler scaled to 0. */
export const scaledToZero = "ScaledToZero";

/** The conditions that a report sets, one a type. A failure takes the place of a finding of its type. Pure. */
export function findings(report: Report, previous: Status): ConditionUpdate[] {
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
    if (byForecast.includes(decision.basis)) {
      const { forecast = proposal?.forecast } = report.activity ?? {};
      const predicted = formatQuantity(forecast?.load ?? 0);
      find("Scaled", "True", "PredictionBased", `Predicted load: ${predicted}`);
    } else {
      const { basis } = decision;
      const based = basis === "Bounds" || basis === "Floor" ? (`${basis}Based` as const) : "LoadBased";
      find("Scaled", "True", based, reasonOf(report, decision));
    }
  } else if (!previous.conditions?.some(({ type }) => type === "Scaled")) {
    find("Scaled", "False", "NotScaledYet", "this MLScaler has not scaled its target yet");
  }
  // Like HPA, each scaling sets the condition. A target that never goes to 0 has none.
  const known = previous.conditions?.find(({ type }) => type === scaledToZero);
  if (report.scaledToZero) find(scaledToZero, "True", "ScaledToZero", "this MLScaler scaled the target to 0");
  else if (report.scaledToZero === false && (known || (scaled && spec.min_replicas === 0)))
    find(scaledToZero, "False", "NotScaledToZero", "this MLScaler did not scale the target to 0");
  const back = standsBack(report);
  if (back) {
    // Earlier findings no longer hold once another autoscaler acts on the target.
    const [who, tells] = standBackTexts[back];
    find("ScalingActive", "False", back, `${who} the target, AbleToScale says ${tells}`);
    for (const type of ["ScalingLimited", "ForecastReady"] as const)
      find(type, "Unknown", back, `not looked at while ${who} the target`);
  }
  if (report.overQuota !== undefined) find("ForecastReady", "False", "QuotaExceeded", report.overQuota);
  else if (spec.forecast?.model === "off") find("ForecastReady", "False", "Off", "spec.forecast.model is off");
  else if (proposal?.forecast) find("ForecastReady", ...forecastReady(proposal.forecast, spec.forecast !== undefined));
  else if (spec.metrics.every(metric => !hasTotal(metric)))
    find(
      "ForecastReady",
      "False",
      "NoTotal",
      "spec.metrics has only targets of type Value, which have no total to forecast",
    );
  if (report.replaying && proposal?.forecast?.failure === undefined)
    find("ForecastReady", ...replayed(report.replaying));
  const ready = byType.get("ForecastReady");
  if (report.leaderFailure !== undefined && ready)
    ready.message += `; without a load of spec.forecast.leading: ${report.leaderFailure}`;
  const { pending = [] } = report.waiting ?? {};
  const pendingText = pending.map(({ what, why }) => `${what}: ${why}`).join("; ");
  if (pending[0]) find(replicasPending, "True", pending[0].reason, pendingText);
  for (const failure of failures) byType.set(failure.type, failure);
  const first = failures[0];
  if (first) byType.set("Ready", { type: "Ready", status: "False", reason: first.reason, message: first.message });
  else find("Ready", "True", "Synced", [workText(spec), ...(report.notes ?? [])].join("; "));
  return [...byType.values()];
}

const standBackTexts = {
  AmbiguousTarget: ["another scales", "who"],
  HPAsUnknown: ["an HPA may scale", "why"],
} as const;

const workText = ({ mode }: Report["spec"]): string =>
  mode === "Observe" ? "observes, never scales" : "scales its target";

/** The bases of a count that a forecast decided. */
const byForecast: Decision["basis"][] = ["Forecast", "ForecastAlone", "Expected"];

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

/** Why a target that may go to 0 keeps replicas. Without values, because each new message causes a status write. */
const workTexts: Record<Activity["state"], string> = {
  Active: "an activation is above its threshold",
  Expected: "the forecast expects load",
  Unknown: "it is unknown whether there is work",
  CoolingDown: "the cool-down is not over",
  Idle: "scaleDown may not lower it",
};

function limited(report: Report, decision: Decision, find: Find): void {
  const { spec, bounds, activity } = report;
  const { scalingLimited, final } = decision;
  const asks = asksText(decision);
  if (scalingLimited === "DesiredWithinRange" && asks && isHeldBack(report, decision)) {
    const bound = `spec.forecast.max_extra_percent ${spec.forecast?.max_extra_percent}`;
    find("ScalingLimited", "True", "ForecastLimited", `${bound} holds the forecast back: ${asks}`);
    return;
  }
  const growthLimit = spec.behavior ? "spec.behavior.scaleUp allows" : "max(2 × current, 4) in 15 s";
  const message = {
    DesiredWithinRange: "the wanted count is within the bounds",
    ScaleUpLimit: `the wanted count grows faster than ${growthLimit}`,
    ScaleDownLimit: "the wanted count falls faster than spec.behavior.scaleDown allows",
    TooManyReplicas: `the wanted count is above ${mostText(bounds)}`,
    TooFewReplicas:
      activity && bounds.min === 0
        ? `the wanted count is below ${final}, and ${workTexts[activity.state]}`
        : `the wanted count is below ${leastText(bounds)}`,
  }[scalingLimited];
  const limits = scalingLimited === "TooManyReplicas" || scalingLimited === "ScaleUpLimit";
  const text = limits && asks ? `${message}: ${asks}` : message;
  find("ScalingLimited", scalingLimited === "DesiredWithinRange" ? "False" : "True", scalingLimited, text);
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

/** The status, reason and message of ForecastReady. `hasBlock`: the spec has a `forecast` block, so it is no line. */
function forecastReady(
  forecast: Forecast,
  hasBlock: boolean,
): [ConditionUpdate["status"], Reason<"ForecastReady">, string] {
  const { model, load, samples, wanted, failure, worthless, skill } = forecast;
  if (failure !== undefined) return ["False", "ModelFailed", failure];
  if (samples < wanted) return ["False", "Learning", `Learning ${samples} of ${wanted} samples`];
  if (load === undefined) return ["False", "Learning", `Learning: no load for ${model} to start from`];
  if (worthless) return ["False", "Demoted", worthlessText(worthless)];
  if (!hasBlock) return ["True", "Fitted", `${model} over ${samples} samples`];
  // Steps of five percent, because each new message causes a status write.
  const percent = 5 * Math.round(Math.abs(skill ?? 0) * 20);
  const compared = `about ${percent}% ${(skill ?? 0) < 0 ? "worse" : "better"} than the last value over 24 h`;
  return ["True", "Trusted", compared];
}

/** What a forecast that steps back costs and saves. In whole percent, because a new message causes a status write. */
function worthlessText({ hpa, raised }: NonNullable<Forecast["worthless"]>): string {
  const more = Math.round(100 * (hpa.replicas > 0 ? raised.replicas / hpa.replicas - 1 : 0));
  const saves =
    raised.missing < hpa.missing
      ? "leaves more than twice the shortage of a lower target that costs as much"
      : "saves nothing";
  return `costs ${more} % more replica-hours and ${saves}`;
}
