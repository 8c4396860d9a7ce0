import type { ConditionUpdate } from "../../kubernetes/conditions";
import type { MetricsError } from "../metrics/reading";
import type { Counted } from "./rule/count";
import type { Hold, Proposed } from "./decide";

export interface Failure extends ConditionUpdate {
  /** The errors of the metrics behind it, each with an Event of its own; absent if it is its only cause. */
  causes?: MetricsError[];
}

export interface Proposal {
  /** Absent when the metrics do not allow scaling. */
  proposed?: Proposed;
  failures: Failure[];
  /** Present when no metric is known, with the replicas that trusted forecasts recommend. */
  failed?: { predictive?: number };
  counted: Counted;
}

/** Whether something that is unknown could ask for more than a proposal. */
export const isDoubtful = ({ proposed, counted }: Proposal, hold: Hold | undefined): boolean =>
  hold !== undefined || proposed === undefined || counted.combined.errors.length > 0;

/** The condition of a failure: ScalingActive=False. */
export const failureOf = ({ reason, message, event }: MetricsError): ConditionUpdate => ({
  type: "ScalingActive",
  status: "False",
  reason,
  message,
  event,
});
