import { Counter, Gauge } from "prom-client";
import { keyOf, type Metadata } from "../../kubernetes/metadata";
import { objectRegistry, reasonLabel, reasons } from "../../operator/telemetry";
import { firstQuantile } from "../forecast/forecast";
import { unknownAge, unsampledPods } from "../metrics/load";
import { failureReason, metricTypes } from "../metrics/registry";
import { Decision } from "../scaling/decide";
import { failuresOf, Report, standsBack } from "./report";

/** A gauge with a series for each MLScaler, or one for each value of the label `more`. */
const gauge = (name: string, help: string, ...more: string[]): Gauge =>
  new Gauge({ name, help, labelNames: ["namespace", "name", ...more], registers: [objectRegistry] });

const counter = (name: string, help: string, ...more: string[]): Counter =>
  new Counter({ name, help, labelNames: ["namespace", "name", ...more], registers: [objectRegistry] });

const ready = gauge("mlscaler_ready", "1 if the last sync found no fault, else 0");
const load = gauge("mlscaler_load", "Current load, in units of the metric");
const planned = gauge(
  "mlscaler_planned_replicas",
  "Replicas that trusted forecasts ask for, within max_replicas, max_extra_percent and behavior; absent while no " +
    "forecast is trusted",
);
const forecast = gauge(
  "mlscaler_forecast_load",
  "Forecast load of the metric whose forecast asks for the most replicas, trusted or not",
  ...["metric", "unit", "quantile"],
);
const nextDay = gauge(
  "mlscaler_forecast_day",
  "Replicas that the forecast of the next 24 hours asks for, by hour; absent while it is not better than the day " +
    "before and the week before",
  "hour",
);
const skill = gauge(
  "mlscaler_skill_ratio",
  "1 - mean error of the forecast / mean error of the last load, over the last day",
);
const coverage = gauge(
  "mlscaler_coverage_ratio",
  "Share of loads below the upper quantile of their forecast, over the last day",
);
const quantile = gauge("mlscaler_quantile_ratio", "Wanted share of loads below the upper quantile of their forecast");
const trusted = gauge("mlscaler_forecast_trusted", "1 if the forecast may raise the replica count, else 0");
const replicas = gauge("mlscaler_replicas", "Replicas of the target, by stage of the decision", "stage");
const decided = gauge("mlscaler_decision", "1 for what decided the count of the last sync", "basis");
const pending = gauge(
  "mlscaler_replicas_pending",
  "Replicas that stay Pending because a node or quota is missing, for longer than they take to start",
);
const buffered = gauge(
  "mlscaler_capacity_buffer_replicas",
  "Replicas whose nodes the CapacityBuffer of the MLScaler asks for; absent without one",
);
const assistUntil = gauge(
  "mlscaler_assist_until_seconds",
  "Time at which the raised minimum of the assisted autoscaler ends, seconds since 1970; 0 when none is raised",
);
const rescales = counter("mlscaler_rescales_total", "Scalings of the target, by direction", "direction");
const demotions = counter("mlscaler_demotions_total", "Demotions of a trusted forecast");
const failures = counter(
  "mlscaler_failures_total",
  "Syncs that found a fault, by the reason in the condition",
  "reason",
);

/** The series whose names and labels stay. */
export const stableSeries = ["mlscaler_planned_replicas", "mlscaler_forecast_load"];

export const stages = [
  "min",
  "max",
  "current",
  "reactive",
  "predictive",
  "stabilized",
  "limited",
  "final",
  "hpa",
] as const;
export const directions = ["up", "down"] as const;

/** The values of the label `hour`. */
const hoursAhead = Array.from({ length: 24 }, (_, hour) => String(hour));

/** The values of the label `basis`, each with its meaning. */
export const bases: Record<Decision["basis"], string> = {
  Load: "the current load",
  Forecast: "a trusted forecast",
  Stabilized: "an earlier count of the stabilization window",
  Bounds: "the count was outside the bounds",
  Unsampled: "pods without a sample",
  Rollout: "the start-up load of a rollout does not count",
  Replaying: "not lowered while a trusted forecast is replayed",
  StateUnread: "not lowered while the stored state cannot be read",
  ClockSkewed: "not lowered while clocks differ",
  NoMetrics: "no metrics, the count stays",
  Floor: "no metrics, `on_metric_failure` asks for its replicas",
  ForecastAlone: "no metrics, `on_metric_failure` goes by the forecast",
  Disabled: "the target is at 0 replicas",
  Idle: "no work, the target goes to 0 replicas or stays there",
  Active: "work for a target at 0 replicas",
  Expected: "work for a target at 0 replicas, by a trusted forecast",
};

/** The reasons that failures of a sync can have: those of MLScaler and those of the API server. */
export const faults = [
  ...["AmbiguousSelector", "AmbiguousTarget", "ClockSkewed", "FailedGetScale", "FailedUpdateScale", "HPAsUnknown"],
  ...["InvalidForecast", "InvalidMetricSourceType", "InvalidSchedule", "InvalidSelector", "StateUnreadable"],
  ...[unknownAge, unsampledPods],
  ...metricTypes.map(failureReason),
  ...reasons,
];

type Labels = Pick<Metadata, "namespace" | "name">;

export class ObjectSeries {
  /** Whether the forecast of each MLScaler was trusted when it was last scored, by key. */
  readonly #wasTrusted = new Map<string, boolean>();

  /** The labels of the forecast loads of each MLScaler, by key: they change with its spec and its load. */
  readonly #forecasts = new Map<string, Record<string, string>[]>();

  observe(namespace: string, name: string, report: Report): void {
    const labels = { namespace, name };
    const found = failuresOf(report);
    ready.set(labels, found.length === 0 ? 1 : 0);
    set(load, labels, report.proposal?.load);
    const ahead = report.proposal?.forecast;
    set(planned, labels, report.planned?.replicas);
    this.#observeForecast(labels, report);
    if (report.nextDay !== undefined)
      for (const hour of hoursAhead) set(nextDay, { ...labels, hour }, report.nextDay?.hours[Number(hour)]?.replicas);
    set(skill, labels, ahead?.skill);
    set(coverage, labels, ahead?.coverage);
    // The coverage is that of the quantile before a verdict.
    const { forecast: block } = report.spec;
    set(quantile, labels, ahead && block ? (block.quantile_percent ?? firstQuantile) / 100 : undefined);
    set(trusted, labels, ahead && Number(ahead.trusted));
    const { min, max } = report.bounds;
    const counts = { min, max, current: report.current, ...report.decision, hpa: report.comparison?.hpaReplicas };
    for (const stage of stages) set(replicas, { ...labels, stage }, counts[stage]);
    for (const basis of Object.keys(bases)) if (basis !== report.decision?.basis) decided.remove({ ...labels, basis });
    if (report.decision) decided.set({ ...labels, basis: report.decision.basis }, 1);
    set(
      pending,
      labels,
      report.waiting?.pending.reduce((sum, { replicas: those }) => sum + those, 0),
    );
    if (report.nodes && !report.nodes.problem) set(buffered, labels, report.nodes.replicas);
    if (report.assisted) assistUntil.set(labels, (report.assisted.minimum.until ?? 0) / 1000);
    else if (!mayBeRaised(report)) assistUntil.remove(labels);
    // Counters start at 0. Otherwise rate() and increase() miss the first event.
    for (const direction of directions) rescales.inc({ ...labels, direction }, Number(scaled(report) === direction));
    demotions.inc(labels, Number(this.#demoted(keyOf(labels), report)));
    for (const { reason } of found) failures.inc({ ...labels, reason: reasonLabel(reason, faults) });
  }

  forget(namespace: string, name: string): void {
    const labels = { namespace, name };
    const key = keyOf(labels);
    this.#wasTrusted.delete(key);
    for (const one of this.#forecasts.get(key) ?? []) forecast.remove(one);
    this.#forecasts.delete(key);
    const gauges = [ready, load, planned, skill, coverage, quantile, trusted, pending, buffered, assistUntil];
    for (const one of [...gauges, demotions]) one.remove(labels);
    for (const stage of stages) replicas.remove({ ...labels, stage });
    for (const hour of hoursAhead) nextDay.remove({ ...labels, hour });
    for (const basis of Object.keys(bases)) decided.remove({ ...labels, basis });
    for (const direction of directions) rescales.remove({ ...labels, direction });
    for (const reason of faults) failures.remove({ ...labels, reason });
  }

  /** The median is at the horizon, and the upper quantile is the highest until then. */
  #observeForecast(labels: Labels, { proposal }: Report): void {
    const key = keyOf(labels);
    for (const one of this.#forecasts.get(key) ?? []) forecast.remove(one);
    this.#forecasts.delete(key);
    const { forecast: ahead, aheadOf } = proposal ?? {};
    if (!ahead || !aheadOf) return;
    const { percent } = ahead;
    const loads = { "0.5": ahead.load, ...(percent !== undefined && { [String(percent / 100)]: ahead.upper }) };
    const shown = Object.entries(loads).flatMap(([quantile, value]) => {
      if (value === undefined) return [];
      const one = { ...labels, ...aheadOf, quantile };
      forecast.set(one, value);
      return [one];
    });
    this.#forecasts.set(key, shown);
  }

  /** Whether this sync demoted the forecast. A forecast that is still being scored, as after a restart, is ignored. */
  #demoted(key: string, { proposal, replaying }: Report): boolean {
    const { samples = 0, wanted = Infinity, trusted: now = false } = proposal?.forecast ?? {};
    if (samples < wanted || replaying) return false;
    const before = this.#wasTrusted.get(key) ?? false;
    this.#wasTrusted.set(key, now);
    return before && !now;
  }
}

const mayBeRaised = (report: Report): boolean =>
  report.leftRaised === true || (report.spec.mode === "Assist" && !standsBack(report));

function set(gauge: Gauge, labels: Record<string, string>, value: number | undefined): void {
  if (value === undefined) gauge.remove(labels);
  else gauge.set(labels, value);
}

function scaled({ scaled, current = 0, decision }: Report): (typeof directions)[number] | undefined {
  if (!scaled || !decision) return undefined;
  return decision.final > current ? "up" : "down";
}
