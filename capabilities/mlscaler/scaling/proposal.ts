import { formatQuantity } from "../../kubernetes/quantity";
import { ConditionUpdate } from "../../kubernetes/conditions";
import { Forecast } from "../forecast/forecast";
import { MetricsError } from "../metrics/reading";
import { Proposed } from "./decide";

/** A failure as the condition that it sets. */
export interface Failure extends ConditionUpdate {
  /** The errors of the metrics behind it, each with an Event of its own; absent if it is its only cause. */
  causes?: MetricsError[];
}

/** The recommendation of the metrics and forecasts, with its texts for status and events. */
export interface Proposal {
  /** Absent when the metrics do not allow scaling. */
  proposed?: Proposed;
  failures: Failure[];
  /** Present when no metric is known, with the replicas that trusted forecasts recommend. */
  failed?: { predictive?: number };
  /** The entries of status.metrics. */
  metrics?: MetricFigures[];
  /** The metric of the recommendation: "load 0.60 cores". */
  what: string;
  /** The target of that metric: "10 replicas per core", "target 60%". */
  measure: string;
  /** Current load, in the metric's unit; absent when the metrics have no total. */
  load?: number;
  /** The forecast of the recommendation. */
  forecast?: Forecast;
  /** The forecast as text: "1150 requests in 180 s (lags, 90 % below)". */
  ahead?: string;
  /** The target of the forecast's metric, if that is another metric. */
  aheadMeasure?: string;
}

/** An entry of status.metrics. */
export interface MetricFigures {
  name: string;
  type?: string;
  target?: string;
  current?: string;
  forecast?: string;
  trusted?: boolean;
}

/** The proposal without a recommendation. `failure` is absent when the metrics were not needed. */
export const noProposal = (failure?: MetricsError): Proposal => ({
  failures: failure ? [failureOf(failure)] : [],
  ...(failure && { failed: {} }),
  what: "no metrics",
  measure: "",
});

/** The condition of a failure: ScalingActive=False. */
export const failureOf = ({ reason, message, event }: MetricsError): ConditionUpdate => ({
  type: "ScalingActive",
  status: "False",
  reason,
  message,
  event,
});

/** A forecast as text: "1150 requests in 180 s (lags, 90 % below)", "0.60 cores in 30 s (linear over 5 samples)". */
export const aheadText = (
  { model, load, upper, samples, horizonSeconds }: Forecast,
  unit: string,
  percent?: number,
): string =>
  percent === undefined || upper === undefined
    ? `${formatQuantity(load ?? 0)} ${unit} in ${horizonSeconds} s (${model} over ${samples} samples)`
    : `${formatQuantity(upper)} ${unit} in ${horizonSeconds} s (${model}, ${percent} % below)`;
