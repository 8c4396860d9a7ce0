import { Counter, Gauge } from "prom-client";
import { registry } from "../common/telemetry";
import { failuresOf, Report } from "./status";

const labelNames = ["namespace", "name"];
const registers = [registry];

const load = new Gauge({ name: "mlscaler_load", help: "Load now, in units of the metric", labelNames, registers });

const forecast = new Gauge({ name: "mlscaler_forecast", help: "Load forecast", labelNames, registers });

const upper = new Gauge({
  name: "mlscaler_forecast_upper",
  help: "What the load stays below as often as the forecast's quantile says, at its highest until the horizon",
  labelNames,
  registers,
});

const skill = new Gauge({
  name: "mlscaler_skill_ratio",
  help: "1 - mean error of the forecast / mean error of the last load, over the last day",
  labelNames,
  registers,
});

const coverage = new Gauge({
  name: "mlscaler_coverage_ratio",
  help: "Share of loads that were below the upper forecast, over the last day",
  labelNames,
  registers,
});

const trusted = new Gauge({
  name: "mlscaler_forecast_trusted",
  help: "Whether the forecast may raise the count: 1, or 0",
  labelNames,
  registers,
});

const replicas = new Gauge({
  name: "mlscaler_replicas",
  help: "Replicas of the target, by stage of the decision",
  labelNames: [...labelNames, "stage"],
  registers,
});

const failures = new Counter({
  name: "mlscaler_failures_total",
  help: "Syncs that found a fault, by the reason in the condition",
  labelNames: [...labelNames, "reason"],
  registers,
});

const stages = ["current", "reactive", "predictive", "stabilized", "limited", "final"] as const;

/** Shows what a sync found as Prometheus series of its MLScaler. */
export function observe(namespace: string, name: string, report: Report): void {
  const labels = { namespace, name };
  set(load, labels, report.asked?.load);
  const found = report.asked?.forecast;
  set(forecast, labels, found?.load);
  set(upper, labels, found?.upper);
  set(skill, labels, found?.skill);
  set(coverage, labels, found?.coverage);
  set(trusted, labels, found && Number(found.trusted));
  const counts = { current: report.current, ...report.decision };
  for (const stage of stages) set(replicas, { ...labels, stage }, counts[stage]);
  for (const { reason } of failuresOf(report)) failures.inc({ ...labels, reason });
}

/** Removes the series of an MLScaler that is gone. */
export function forget(namespace: string, name: string): void {
  for (const gauge of [load, forecast, upper, skill, coverage, trusted]) gauge.remove({ namespace, name });
  for (const stage of stages) replicas.remove({ namespace, name, stage });
  // The reasons are open-ended, so its counters are found by their labels.
  void failures.get().then(({ values }) => {
    for (const { labels } of values) {
      if (labels.namespace === namespace && labels.name === name) failures.remove(labels);
    }
  });
}

function set(gauge: Gauge, labels: Record<string, string>, value: number | undefined): void {
  if (value === undefined) gauge.remove(labels);
  else gauge.set(labels, value);
}
