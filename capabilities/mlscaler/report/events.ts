import type { EventText } from "../../kubernetes/events";
import { stabilizationMilliseconds } from "../hpa-defaults";
import { Decision } from "../scaling/decide";
import { BoundsNow } from "../scaling/schedule/schedule";
import type { Spec } from "../schema";
import { type AssistedNow, failuresOf, type NodesNow, Report } from "./report";

/** One Event for each metric that failed, as in HPA, and a last one where no count is left. */
export const warningsOf = (report: Report): { reason: string; message: string }[] =>
  failuresOf(report).flatMap(({ type, reason, message, event, causes = [{ reason, message, event }] }) => [
    ...causes.map(cause => ({ reason: cause.event ?? cause.reason, message: cause.message })),
    ...(type === "ScalingActive" ? [{ reason: "FailedComputeMetricsReplicas", message }] : []),
  ]);

/** The Event of a scaled target. `message` is the reason of the decision. */
export const rescaledEvent = (message: string): EventText => ({
  type: "Normal",
  reason: "SuccessfulRescale",
  message,
  action: "Rescale",
});

/** The Event of an autoscaler whose minimum changed. `message` is the reason of the decision. */
export const minimumEvent = (
  { autoscaler: { text, field }, before, minimum }: AssistedNow,
  message: string,
): EventText => ({
  type: "Normal",
  reason: minimum.replicas > before ? "MinimumRaised" : "MinimumLowered",
  message: `${field} of ${text} ${before} → ${minimum.replicas}, target ${message}`,
  action: "Assist",
});

/** The Event of an autoscaler whose minimum is raised for the first time on a day. */
export const assistedEvent = ({ autoscaler: { field }, minimum }: AssistedNow, by: string): EventText => ({
  type: "Normal",
  reason: "MinimumRaised",
  message: `MLScaler ${by} raised ${field} from ${minimum.own} to ${minimum.replicas} by its forecast, and puts it back`,
  action: "Assist",
});

/** The Event of nodes that are asked for, or that their autoscaler has planned; undefined where neither is news. */
export function nodesEvent(
  { replicas = 0, before = 0, isPlanned }: NodesNow,
  wasPlanned: boolean | undefined,
  horizonSeconds: number | undefined,
): EventText | undefined {
  const pods = replicas === 1 ? "1 more replica" : `${replicas} more replicas`;
  const [type, action] = ["Normal", "Provision"] as const;
  if (replicas > before) {
    const when = horizonSeconds === undefined ? "" : ` in ${horizonSeconds} s`;
    return {
      type,
      reason: "NodesRequested",
      message: `asks for nodes for ${pods} that the forecast expects${when}`,
      action,
    };
  }
  if (replicas === 0 || !isPlanned || wasPlanned) return undefined;
  return { type, reason: "NodesPlanned", message: `the autoscaler of the nodes has planned nodes for ${pods}`, action };
}

/** The Event of a target that the deletion of its MLScaler scaled. */
export const releasedEvent = (
  { on_delete }: Pick<Spec, "on_delete">,
  done: { from: number; to: number },
): EventText => ({
  ...rescaledEvent(`${done.from} → ${done.to}: the MLScaler is deleted, on_delete is ${on_delete}`),
  action: "Delete",
});

/** The decision as text: "8 → 12: forecast p90 1.15 cores in 180 s (model lags), 10 replicas per core". */
export function reasonOf(report: Report, decision: Decision): string {
  const { spec, bounds, current, proposal, activity } = report;
  const { what = "no metrics", measure, ahead, aheadMeasure = measure } = proposal ?? {};
  const work = activity?.what ?? what;
  const windows = spec.behavior ? "the windows of spec.behavior" : `the last ${stabilizationMilliseconds / 1000} s`;
  const basis = {
    Disabled: "the target is scaled to 0, scaling is off",
    Bounds: `outside ${leastText(bounds)} to ${mostText(bounds)}`,
    NoMetrics: "no metrics, the target is left as it is",
    Load: `${what}, ${measure}`,
    Unsampled: `not every pod has a sample yet, ${what} at most, ${measure}`,
    Rollout: `scale-up held during a rollout, ${what} with its start-up load, ${measure}`,
    Stabilized: `stabilized over ${windows}, ${what}, ${measure}`,
    Forecast: `forecast ${ahead}, ${aheadMeasure}`,
    Floor: `no metrics, on_metric_failure asks for ${spec.on_metric_failure?.replicas} at least`,
    Replaying: `not lowered while trusted forecasts are replayed, ${what}, ${measure}`,
    ClockSkewed: `scale-down held: a metric has no usable timestamp, ${what}, ${measure}`,
    StateUnread: `not lowered while the stored state cannot be read, ${what}, ${measure}`,
    Idle: `idle, ${work}`,
    Active: work,
    Expected: `woken ahead, ${work}`,
    ForecastAlone: `no metrics, on_metric_failure goes by the forecast alone, ${ahead}, ${aheadMeasure}`,
  }[decision.basis];
  const change = current === decision.final ? `${current}` : `${current} → ${decision.final}`;
  const held = decision.paused ? ` (held: pause ${spec.pause})` : "";
  return `${change}: ${basis}${scheduledText(bounds, decision)}${heldBackText(report, decision)}${held}`;
}

/** Whether `max_extra_percent` holds the forecast back. */
export const isHeldBack = ({ proposal }: Report, { predictive = 0, recommended = 0 }: Decision): boolean =>
  predictive > Math.max(recommended, proposal?.proposed?.most ?? Infinity);

/** The count that the forecast asks for, as text; empty if it asks for no more than the final one. */
export const asksText = ({ predictive = 0, final }: Decision): string =>
  predictive > final ? `the forecast asks for ${predictive}` : "";

function heldBackText(report: Report, decision: Decision): string {
  const { spec, bounds } = report;
  const asks = asksText(decision);
  if (!asks) return "";
  if (isHeldBack(report, decision))
    return `, held back by forecast.max_extra_percent ${spec.forecast?.max_extra_percent}: ${asks}`;
  if (decision.scalingLimited === "ScaleUpLimit") return `, held back by the limit on growth: ${asks}`;
  if (decision.scalingLimited !== "TooManyReplicas") return "";
  return bounds.maxOf ? `: ${asks}` : `, held back by ${mostText(bounds)}: ${asks}`;
}

/** The lower bound as text, with the schedule that sets it. */
export const leastText = ({ min, minOf }: BoundsNow): string =>
  `min_replicas ${min}${minOf ? ` of schedule ${minOf}` : ""}`;

/** The upper bound as text, with the schedule that sets it. */
export const mostText = ({ max, maxOf }: BoundsNow): string =>
  `max_replicas ${max}${maxOf ? ` of schedule ${maxOf}` : ""}`;

function scheduledText(bounds: BoundsNow, { basis, scalingLimited }: Decision): string {
  if (basis === "Bounds") return "";
  if (scalingLimited === "TooFewReplicas" && bounds.minOf) return `, at least ${leastText(bounds)}`;
  if (scalingLimited === "TooManyReplicas" && bounds.maxOf) return `, at most ${mostText(bounds)}`;
  return "";
}
