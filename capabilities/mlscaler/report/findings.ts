import { ConditionUpdate } from "../../kubernetes/conditions";
import { formatQuantity } from "../../kubernetes/quantity";
import { syncPeriodSeconds } from "../hpa-defaults";
import { Forecast, isAwaited, replayDeadlineSeconds, Replaying } from "../forecast/forecast";
import { hasTotal } from "../metrics/total";
import { Activity } from "../scaling/zero/activity";
import { Decision } from "../scaling/decide";
import type { Spec, Status } from "../schema";
import { aboveMaximum, type StandBackReason } from "../target/conflict-messages";
import type { ConditionType, Reason } from "./conditions";
import { asksText, isHeldBack, leastText, mostText, reasonOf } from "./events";
import { AssistedNow, failuresOf, Report, standsBack } from "./report";

export const scaledToZero = "ScaledToZero";

/** What a sync found of a condition; undefined when it leaves the condition as it was. */
type Finding<Type extends ConditionType> = [ConditionUpdate["status"], Reason<Type>, string] | undefined;

const table: { [Type in ConditionType]?: (report: Report, previous: Status) => Finding<Type> } = {
  AbleToScale: ableToScale,
  ScalingActive: scalingActive,
  ScalingLimited: scalingLimited,
  Scaled: hasScaled,
  ScaledToZero: hasScaledToZero,
  ForecastReady: report => withoutLeader(report, withNodes(report, forecastReady(report))),
  ReplicasPending: waits,
  NodesAhead: nodesFound,
  Ready: ready,
};

/** The conditions that a report sets, one a type. A failure takes the place of a finding of its type. Pure. */
export function findings(report: Report, previous: Status): ConditionUpdate[] {
  const found = Object.entries(table).flatMap(([type, find]) => {
    const finding = find(report, previous);
    return finding ? { type, status: finding[0], reason: finding[1], message: finding[2] } : [];
  });
  const failed = failuresOf(report).filter(({ type }) => type !== "Ready");
  return [...new Map([...found, ...failed].map(one => [one.type, one])).values()];
}

function ready(report: Report): Finding<"Ready"> {
  const [failure] = failuresOf(report);
  // It has the reason of any condition.
  if (failure) return ["False", failure.reason as Reason<"Ready">, failure.message];
  const { assisted } = report;
  const works = {
    Active: "scales its target",
    Assist: `assists ${assisted?.autoscaler.text}`,
    Observe: "observes, never scales",
  };
  const notes = [...(assisted ? notesOnAssisted(assisted, report.spec) : []), ...(report.notes ?? [])];
  return ["True", "Synced", [works[report.spec.mode], ...notes].join("; ")];
}

function notesOnAssisted({ autoscaler, minimum }: AssistedNow, { written }: Pick<Spec, "written">): string[] {
  const { text, field, maximum, owner } = autoscaler;
  const notes = written ? aboveMaximum(written, autoscaler) : [];
  if (minimum.own >= maximum) notes.push(`its ${field} ${minimum.own} is its maximum, so there is nothing to raise`);
  if (owner !== undefined) notes.push(`${owner} controls ${text} and may write ${field} back`);
  return notes;
}

function ableToScale({ spec, scaled, current, decision, assisted }: Report): Finding<"AbleToScale"> {
  if (assisted) return ableToAssist(assisted);
  const { final, ableToScale: reason, paused, recommended } = decision ?? {};
  if (decision && scaled) return ["True", "SucceededRescale", `the target was scaled to ${final}`];
  if (reason === "ScaleDownStabilized")
    return ["True", reason, "recent recommendations were higher, the highest of the scale-down window counts"];
  if (reason === "ScaleUpStabilized")
    return ["True", reason, "recent recommendations were lower, the lowest of the scale-up window counts"];
  if (paused) return ["True", "ReadyForNewScale", `held by spec.pause ${spec.pause}`];
  if (decision && current !== final)
    return ["True", "ReadyForNewScale", `would scale to ${final}, spec.mode is ${spec.mode}`];
  if (recommended !== undefined) return ["True", "ReadyForNewScale", "the target has the replicas it needs"];
  return current === undefined ? undefined : ["True", "SucceededGetScale", "the target's scale was read"];
}

function ableToAssist({ autoscaler: { text, field }, minimum }: AssistedNow): Finding<"AbleToScale"> {
  const { own, replicas } = minimum;
  if (replicas === own) return ["True", "MinimumKept", `${text} scales the target, with its own ${field} ${own}`];
  return ["True", "MinimumRaised", `${text} scales the target, with ${field} raised from ${own} to ${replicas}`];
}

function scalingActive(report: Report): Finding<"ScalingActive"> {
  const { spec, decision, proposal } = report;
  const back = standsBack(report);
  // Earlier findings no longer hold once another autoscaler acts on the target.
  if (back)
    return ["False", back, `${standBackTexts[back].who} this target, AbleToScale says ${standBackTexts[back].which}`];
  if (!decision) return undefined;
  if (decision.basis === "Disabled")
    return ["False", "ScalingDisabled", "scaling is off, because the target is scaled to 0 replicas"];
  if (spec.pause === "All" || decision.paused) return ["False", "Paused", `spec.pause is ${spec.pause}`];
  if (decision.recommended === undefined && !proposal?.proposed) return undefined;
  return ["True", "ValidMetricFound", "a count was calculated from the metrics"];
}

const standBackTexts = {
  AmbiguousTarget: { who: "another autoscaler manages", which: "which" },
  HPAsUnknown: { who: "an HPA may manage", which: "why" },
  NoAutoscaler: { who: "no autoscaler manages", which: "why" },
} as const;

function unknownWhile(report: Report): ["Unknown", StandBackReason, string] | undefined {
  const back = standsBack(report);
  return back && ["Unknown", back, `unknown while ${standBackTexts[back].who} this target`];
}

const byForecast: Decision["basis"][] = ["Forecast", "ForecastAlone", "Expected"];

function hasScaled(report: Report, { conditions }: Status): Finding<"Scaled"> {
  const { decision, proposal, activity, assisted } = report;
  if (assisted?.written && assisted.minimum.replicas > assisted.before)
    return ["True", "PredictionBased", `Predicted load: ${formatQuantity(proposal?.forecast?.load ?? 0)}`];
  if (decision && report.scaled) {
    const { basis } = decision;
    if (byForecast.includes(basis)) {
      const { forecast = proposal?.forecast } = activity ?? {};
      return ["True", "PredictionBased", `Predicted load: ${formatQuantity(forecast?.load ?? 0)}`];
    }
    const based = basis === "Bounds" || basis === "Floor" ? (`${basis}Based` as const) : "LoadBased";
    return ["True", based, reasonOf(report, decision)];
  }
  if (conditions?.some(({ type }) => type === "Scaled")) return undefined;
  const missing = assisted ? `raised ${assisted.autoscaler.field} of ${assisted.autoscaler.text}` : "scaled its target";
  return ["False", "NotScaledYet", `this MLScaler has not ${missing} yet`];
}

/** Like HPA, each scaling sets the condition. A target that never goes to 0 has none. */
function hasScaledToZero(report: Report, { conditions }: Status): Finding<"ScaledToZero"> {
  if (report.scaledToZero) return ["True", "ScaledToZero", "this MLScaler scaled the target to 0"];
  const known = conditions?.some(({ type }) => type === scaledToZero);
  const isOver = known || (report.scaled && report.spec.min_replicas === 0);
  if (report.scaledToZero === undefined || !isOver) return undefined;
  return ["False", "NotScaledToZero", "this MLScaler did not scale the target to 0"];
}

function waits({ waiting }: Report): Finding<"ReplicasPending"> {
  const [first, ...others] = waiting?.pending ?? [];
  return first && ["True", first.reason, [first, ...others].map(({ what, why }) => `${what}: ${why}`).join("; ")];
}

function nodesFound({ spec, nodes }: Report): Finding<"NodesAhead"> {
  if (!spec.capacity_buffer || !nodes) return undefined;
  const { problem, isWanted, replicas, failure, isServed, isPlanned } = nodes;
  if (problem) return [problem.reason === "Unavailable" ? "Unknown" : "False", problem.reason, problem.message];
  if (!isWanted) return ["False", "NotTrusted", "no trusted forecast asks for nodes, or the target may not grow"];
  if (failure !== undefined) return ["False", "Failed", failure];
  if (!isServed) return ["Unknown", "NotTakenUp", notTakenUp];
  if (replicas === 0) return ["True", "NothingMissing", "the forecast expects no more pods than exist"];
  if (isPlanned) return ["True", "Planned", "nodes are planned for the pods that the forecast expects"];
  return ["True", "Requested", "the CapacityBuffer asks for nodes for the pods that the forecast expects"];
}

const notTakenUp =
  "no autoscaler of the cluster has taken up the CapacityBuffer; see whether Karpenter has its feature gate " +
  "CapacityBuffer, or Cluster Autoscaler its flag --capacity-buffer-controller-enabled";

/** Why a target that may go to 0 keeps replicas. Without values, because each new message causes a status write. */
const workTexts: Record<Activity["state"], string> = {
  Active: "an activation is above its threshold",
  Expected: "the forecast expects load",
  Unknown: "it is unknown whether there is work",
  CoolingDown: "the cool-down is not over",
  Idle: "scaleDown may not lower it",
};

/** Like HPA, it keeps what was last found. A count that is held outside the bounds stays limited. */
function scalingLimited(report: Report): Finding<"ScalingLimited"> {
  const { spec, bounds, activity, decision, proposal } = report;
  const unknown = unknownWhile(report);
  if (unknown) return unknown;
  if (!decision || (decision.stabilized === undefined && !(decision.basis === "Bounds" && proposal))) return undefined;
  const { scalingLimited: limit, final } = decision;
  const asks = asksText(decision);
  if (limit === "DesiredWithinRange" && asks && isHeldBack(report, decision)) {
    const bound = `spec.forecast.max_extra_percent ${spec.forecast?.max_extra_percent}`;
    return ["True", "ForecastLimited", `${bound} holds the forecast back: ${asks}`];
  }
  const growthLimit = spec.behavior ? "spec.behavior.scaleUp allows" : `max(2 × current, 4) in ${syncPeriodSeconds} s`;
  const message = {
    DesiredWithinRange: "the wanted count is within the bounds",
    ScaleUpLimit: `the wanted count grows faster than ${growthLimit}`,
    ScaleDownLimit: "the wanted count falls faster than spec.behavior.scaleDown allows",
    TooManyReplicas: `the wanted count is above ${mostText(bounds)}`,
    TooFewReplicas:
      activity && bounds.min === 0
        ? `the wanted count is below ${final}, and ${workTexts[activity.state]}`
        : `the wanted count is below ${leastText(bounds)}`,
  }[limit];
  const tells = asks && (limit === "TooManyReplicas" || limit === "ScaleUpLimit");
  return [limit === "DesiredWithinRange" ? "False" : "True", limit, tells ? `${message}: ${asks}` : message];
}

function withNodes({ spec, lead, proposal }: Report, finding: Finding<"ForecastReady">): Finding<"ForecastReady"> {
  const { nodes, horizonSeconds = 0 } = proposal?.forecast ?? {};
  if (!finding || finding[0] !== "True" || !lead) return finding;
  const [status, reason, message] = finding;
  const looks = `${message}; looks ${horizonSeconds} s ahead`;
  if (nodes && lead.nodesFirst) return [status, reason, `${looks}, and ${nodes.horizonSeconds} s for nodes`];
  const isLonger = lead.node !== undefined && spec.forecast?.horizon_seconds === undefined;
  return isLonger ? [status, reason, `${looks}, ${Math.ceil(lead.node ?? 0)} s of it for a new node`] : finding;
}

function withoutLeader({ leaderFailure }: Report, finding: Finding<"ForecastReady">): Finding<"ForecastReady"> {
  if (!finding || leaderFailure === undefined) return finding;
  const [status, reason, message] = finding;
  return [status, reason, `${message}; without a load of spec.forecast.leading: ${leaderFailure}`];
}

function forecastReady(report: Report): Finding<"ForecastReady"> {
  const { spec, proposal, overQuota, replaying } = report;
  if (replaying && proposal?.forecast?.failure === undefined) return replayed(replaying);
  if (overQuota !== undefined) return ["False", "QuotaExceeded", overQuota];
  if (spec.forecast?.model === "off") return ["False", "Off", "spec.forecast.model is off"];
  if (proposal?.forecast) return trusted(proposal.forecast, spec.forecast !== undefined);
  if (spec.metrics.length > 0 && !spec.metrics.some(hasTotal))
    return ["False", "NoTotal", "spec.metrics has only targets of type Value, which have no total to forecast"];
  return unknownWhile(report);
}

function replayed(replaying: Replaying): Finding<"ForecastReady"> {
  const again = "a trusted forecast is calculated again from its history";
  const minutes = replayDeadlineSeconds / 60;
  return isAwaited(replaying)
    ? ["Unknown", "Replaying", `${again}; the count is not lowered meanwhile, for ${minutes} minutes at most`]
    : ["False", "Replaying", `${again} for more than ${minutes} minutes; the count follows the current load alone`];
}

/** @param hasBlock whether the spec has a `forecast` block, so that the forecast is no line */
function trusted(forecast: Forecast, hasBlock: boolean): Finding<"ForecastReady"> {
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
    raised.missing < hpa.missing ? "leaves more shortage than a lower target that costs as much" : "saves nothing";
  return `costs ${more} % more replica-hours and ${saves}`;
}
