import { metricTypes, failureReason } from "../../capabilities/mlscaler/metrics/registry";
import type { stages } from "../../capabilities/mlscaler/report/telemetry";

/** An alert of Prometheus. Its name is also a heading of docs/how-to/monitor.md, in small letters. */
export interface Alert {
  name: string;
  expr: string;
  /** How long the expression holds before the alert fires. */
  for: string;
  severity: "critical" | "warning" | "info";
  summary: string;
  /** What it means and what to do. */
  description: string;
}

/** The page with a section for each alert. The chart replaces it by the value `alerts.runbookUrl`. */
export const runbook = "docs/how-to/monitor.md";

const each = "by (namespace, name)";
const theMlscaler = "MLScaler {{ $labels.namespace }}/{{ $labels.name }}";
const describeIt = "kubectl describe mls {{ $labels.name }} -n {{ $labels.namespace }}";

const replicas = (stage: (typeof stages)[number]): string => `max ${each} (mlscaler_replicas{stage="${stage}"})`;

const raisedUntil = "mlscaler_assist_until_seconds";

/** When a process that acts knows of a raised minimum that is past its end. */
const leftRaised = `0 < max ${each} (${raisedUntil}) < time()`;

/** When nobody acts on a minimum that was raised and is past its end since then. */
const raisedAlone =
  `(0 < max ${each} (last_over_time(${raisedUntil}[1d])) < time() unless max ${each} (${raisedUntil})) ` +
  "and on() (absent(mlscaler_leader == 1) or sum(mlscaler_shards_held) < max(mlscaler_shards))";

/** When a metric that the count follows cannot be read. */
const unreadable = metricTypes.map(failureReason).join("|");

/** The alerts. Each selects by the labels of the module alone, so the names of jobs and pods do not matter. */
export const alerts: readonly Alert[] = [
  {
    name: "MLScalerNoLeader",
    expr: "absent(mlscaler_leader == 1)",
    for: "5m",
    severity: "critical",
    summary: "No process of MLScaler is the leader, so nothing is scaled",
    description:
      "Prometheus sees no watcher that holds the Lease mlscaler. Look at the pods of the watcher and at their logs. " +
      "If they run, look at the targets of Prometheus.",
  },
  {
    name: "MLScalerShardWithoutWatcher",
    expr: "0 < sum(mlscaler_shards_held) < max(mlscaler_shards)",
    for: "5m",
    severity: "critical",
    summary: "No watcher acts in some shards of namespaces, so nothing is scaled there",
    description:
      "The watchers that Prometheus sees do not hold all shards. The Leases mlscaler-shard-N " +
      "name the holder of each. Look at the pods of the watcher and at their logs. If they run, look at the targets " +
      "of Prometheus.",
  },
  {
    name: "MLScalerCrdMissing",
    expr: "max(mlscaler_crds_missing) > 0",
    for: "5m",
    severity: "critical",
    summary: "CustomResourceDefinitions of MLScaler are not installed",
    description: "The log of the watcher names them. Install the CRDs and rights again; the module goes on by itself.",
  },
  {
    name: "MLScalerSyncsLate",
    expr: "histogram_quantile(0.95, sum by (kind, le) (rate(mlscaler_sync_lag_seconds_bucket[5m]))) > 1",
    for: "10m",
    severity: "warning",
    summary: "Syncs of {{ $labels.kind }} start more than 1 s late",
    description:
      "One in twenty syncs of {{ $labels.kind }} starts more than 1 s late. Give the watcher more CPU, or the " +
      "MLScalers a longer sync_period_seconds.",
  },
  {
    name: "MLScalerSyncsFail",
    expr: "sum by (kind, reason) (increase(mlscaler_sync_errors_total[5m])) > 0",
    for: "10m",
    severity: "warning",
    summary: "Syncs of {{ $labels.kind }} fail with {{ $labels.reason }}",
    description:
      "The API server refuses requests, or does not answer. The log of the watcher has the error. After Forbidden, " +
      "install the CRDs and rights again.",
  },
  {
    name: "MLScalerNotReady",
    expr: `max ${each} (mlscaler_ready) == 0`,
    for: "15m",
    severity: "warning",
    summary: `${theMlscaler} is not Ready`,
    description: `Each sync finds a fault. \`${describeIt}\` shows the fault in the condition Ready.`,
  },
  {
    name: "MLScalerMetricsFail",
    expr: `sum by (namespace, name, reason) (increase(mlscaler_failures_total{reason=~"${unreadable}"}[5m])) > 0`,
    for: "10m",
    severity: "critical",
    summary: `${theMlscaler} cannot read its metrics`,
    description:
      "A metric fails with {{ $labels.reason }}, so the count may not follow the load. " +
      `\`${describeIt}\` shows why in the condition ScalingActive.`,
  },
  {
    name: "MLScalerAtMax",
    // Equal bounds are a fixed count, which is intended.
    expr: `${replicas("final")} >= ${replicas("max")} and ${replicas("max")} > ${replicas("min")}`,
    for: "30m",
    severity: "warning",
    summary: `${theMlscaler} is at its upper bound`,
    description:
      "It has had all the replicas that it may have for 30 minutes, and may need more. Raise max_replicas, or the " +
      "max_replicas of the active schedule, or the capacity of a replica.",
  },
  {
    name: "MLScalerMinimumLeftRaised",
    expr: `${leftRaised} or ${raisedAlone}`,
    for: "5m",
    severity: "warning",
    summary: `The minimum that ${theMlscaler} raised is past its end`,
    description:
      "The HPA or ScaledObject still has the raised minimum, so the target keeps replicas that nobody asks for. " +
      `If the watcher runs, \`${describeIt}\` shows the fault. If not, it puts the minimum back when it starts. ` +
      "To do it by hand, set the minimum to the `own` of the annotation mlscaler.example.com/assist, and remove that.",
  },
  {
    name: "MLScalerReplicasPending",
    expr: `max ${each} (mlscaler_replicas_pending) > 0`,
    for: "10m",
    severity: "warning",
    summary: `Replicas of ${theMlscaler} do not start`,
    description:
      `Pods stay Pending because a node or quota is missing. \`${describeIt}\` names the cause in the condition ` +
      "ReplicasPending. Add nodes, raise the quota, or lower the requests of the pods.",
  },
  {
    name: "MLScalerRestless",
    expr: `sum ${each} (increase(mlscaler_rescales_total[1h])) > 30`,
    for: "5m",
    severity: "info",
    summary: `${theMlscaler} scales more than 30 times an hour`,
    description: "Give it a longer scaleDown.stabilizationWindowSeconds in behavior, or a larger tolerance.",
  },
  {
    name: "MLScalerCoverageOff",
    expr:
      `max ${each} (mlscaler_coverage_ratio) < max ${each} (mlscaler_quantile_ratio) - 0.1 ` +
      `and max ${each} (mlscaler_forecast_trusted) == 1`,
    for: "1h",
    severity: "info",
    summary: `The forecast of ${theMlscaler} is too sure of itself`,
    description:
      "In the last day the load was above the upper quantile of the forecast more often than quantile_percent " +
      "allows, by more than 10 percent of the time. Wait a day after a change of the load. If it stays, raise " +
      "forecast.quantile_percent.",
  },
  {
    name: "MLScalerDemotedOften",
    expr: `sum ${each} (increase(mlscaler_demotions_total[1d])) > 3`,
    for: "5m",
    severity: "info",
    summary: `The forecast of ${theMlscaler} was demoted more than 3 times in a day`,
    description:
      "The forecast is hardly worth its replicas, so it scales as an HPA does for part of the day. Choose " +
      'another forecast.model or horizon, or set forecast.model to "off", with the quotes.',
  },
  {
    name: "MLScalerClockSkewed",
    expr: "max by (server) (abs(mlscaler_clock_skew_seconds)) > 60",
    for: "5m",
    severity: "warning",
    summary: "The clock of {{ $labels.server }} and that of MLScaler differ by more than 60 s",
    description:
      "Ages of samples and times of the forecast are wrong. Correct the clock of the node of the watcher, or that of " +
      "{{ $labels.server }}.",
  },
  {
    name: "MLScalerStateNotStored",
    expr: "sum by (reason) (increase(mlscaler_state_write_failures_total[10m])) > 0",
    for: "15m",
    severity: "warning",
    summary: "The state of MLScalers is not stored: {{ $labels.reason }}",
    description:
      "Writes of ConfigMaps in the namespace of the module fail. A restart would lose what is not stored. The log " +
      "of the watcher has the error; look at its rights and at the quota of the namespace.",
  },
  {
    name: "MLScalerCertificateExpires",
    expr: "min(mlscaler_certificate_expiration_timestamp_seconds) - time() < 20 * 86400",
    for: "1h",
    severity: "critical",
    summary: "The certificate of MLScaler's webhook expires in less than 20 days",
    description:
      "The module renews its certificate when a third of its life is left, 30 of 90 days. The log of the watcher " +
      "says why it did not. Renew one of your own, or look at the Certificate of cert-manager.",
  },
  {
    name: "MLScalerNoCertificate",
    // NaN, which is not equal to itself, until there is a certificate.
    expr:
      "count(mlscaler_certificate_expiration_timestamp_seconds != " +
      "mlscaler_certificate_expiration_timestamp_seconds) > 0",
    for: "10m",
    severity: "critical",
    summary: "MLScaler's webhook has no certificate",
    description:
      "The Secret of the certificate is missing or empty, so manifests are not checked by the webhook. The log of " +
      "the watcher says why.",
  },
];
