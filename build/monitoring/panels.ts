/** How a panel draws its queries: lines, areas on top of each other, a number, or states over time. */
export type Drawing = "Lines" | "Areas" | "Number" | "States";

/** A query of a panel. */
export interface Query {
  expr: string;
  /** The name of its series; a label as in {{ reason }}. */
  legend: string;
}

/** A panel of the dashboard. Its description has what its series mean. */
export interface Panel {
  title: string;
  drawing: Drawing;
  /** The id of a unit of Grafana. */
  unit: "short" | "s" | "percentunit" | "bytes" | "cps";
  queries: Query[];
  /** Fills the area between the series of these two legends. */
  band?: { upper: string; lower: string };
}

/** A row of panels, of the fleet or of the MLScaler that the variables of the dashboard choose. */
export interface Row {
  title: string;
  panels: Panel[];
}

/** The variables that choose an MLScaler. */
export const chosen = 'namespace="$namespace",name="$name"';

const each = "by (namespace, name)";
const rate = "$__rate_interval";

/** The value of each MLScaler. Two processes have it while the leader changes. */
const ofEach = (series: string): string => `max ${each} (${series})`;
const replicas = (stage: string): string => ofEach(`mlscaler_replicas{stage="${stage}"}`);
const quantile = (share: number, series: string): string => `quantile(${share}, ${series})`;
const slowest = (series: string, label: string): string =>
  `histogram_quantile(0.95, sum by (${label}, le) (rate(${series}_bucket[${rate}])))`;
const one = (expr: string, legend: string): Query[] => [{ expr, legend }];

const fleet: Row = {
  title: "Fleet",
  panels: [
    {
      title: "MLScalers",
      drawing: "Number",
      unit: "short",
      queries: one(`count(${ofEach("mlscaler_ready")})`, "MLScalers"),
    },
    {
      title: "Ready",
      drawing: "Number",
      unit: "percentunit",
      queries: one(`avg(${ofEach("mlscaler_ready")})`, "ready"),
    },
    {
      title: "Trusted forecasts",
      drawing: "Number",
      unit: "percentunit",
      queries: one(`avg(${ofEach("mlscaler_forecast_trusted")})`, "trusted"),
    },
    {
      title: "Replicas that forecasts add",
      drawing: "Number",
      unit: "short",
      queries: one(`sum(${replicas("current")} - ${replicas("hpa")})`, "replicas"),
    },
    {
      title: "Pending replicas",
      drawing: "Number",
      unit: "short",
      queries: one(`sum(${ofEach("mlscaler_replicas_pending")})`, "pending"),
    },
    { title: "Leaders", drawing: "Number", unit: "short", queries: one("sum(mlscaler_leader)", "leaders") },
    {
      title: "Replicas, and those of an HPA",
      drawing: "Lines",
      unit: "short",
      queries: [
        { expr: `sum(${replicas("current")} and ${replicas("hpa")})`, legend: "MLScaler" },
        { expr: `sum(${replicas("hpa")})`, legend: "HPA" },
      ],
    },
    {
      title: "What decides the counts",
      drawing: "Areas",
      unit: "short",
      queries: one("count by (basis) (max by (namespace, name, basis) (mlscaler_decision))", "{{ basis }}"),
    },
    {
      title: "Skill",
      drawing: "Lines",
      unit: "percentunit",
      queries: [
        { expr: quantile(0.9, ofEach("mlscaler_skill_ratio")), legend: "90th percentile" },
        { expr: quantile(0.5, ofEach("mlscaler_skill_ratio")), legend: "median" },
        { expr: quantile(0.1, ofEach("mlscaler_skill_ratio")), legend: "10th percentile" },
      ],
    },
    {
      title: "Faults",
      drawing: "Areas",
      unit: "cps",
      queries: one(`sum by (reason) (rate(mlscaler_failures_total[${rate}]))`, "{{ reason }}"),
    },
    {
      title: "Scalings in an hour",
      drawing: "Areas",
      unit: "short",
      queries: one("sum by (direction) (increase(mlscaler_rescales_total[1h]))", "{{ direction }}"),
    },
    {
      title: "Demotions in a day",
      drawing: "Lines",
      unit: "short",
      queries: one("sum(increase(mlscaler_demotions_total[1d]))", "demotions"),
    },
  ],
};

const workload: Row = {
  title: "$namespace / $name",
  panels: [
    {
      title: "Load and forecast",
      drawing: "Lines",
      unit: "short",
      queries: [
        { expr: `max(mlscaler_load{${chosen}})`, legend: "load" },
        { expr: `max(mlscaler_forecast{${chosen}})`, legend: "forecast" },
        { expr: `max(mlscaler_forecast_upper{${chosen}})`, legend: "upper quantile" },
      ],
      band: { upper: "upper quantile", lower: "forecast" },
    },
    {
      title: "Replicas, and those of an HPA",
      drawing: "Lines",
      unit: "short",
      queries: one(`max by (stage) (mlscaler_replicas{${chosen},stage=~"current|hpa|min|max"})`, "{{ stage }}"),
    },
    {
      title: "What decided the count",
      drawing: "States",
      unit: "short",
      queries: one(`max by (basis) (mlscaler_decision{${chosen}})`, "{{ basis }}"),
    },
    {
      title: "Steps of the decision",
      drawing: "Lines",
      unit: "short",
      queries: one(
        `max by (stage) (mlscaler_replicas{${chosen},stage=~"reactive|predictive|stabilized|limited|final"})`,
        "{{ stage }}",
      ),
    },
    {
      title: "Ready and trusted",
      drawing: "States",
      unit: "short",
      queries: [
        { expr: `max(mlscaler_ready{${chosen}})`, legend: "ready" },
        { expr: `max(mlscaler_forecast_trusted{${chosen}})`, legend: "trusted" },
      ],
    },
    {
      title: "Skill and coverage",
      drawing: "Lines",
      unit: "percentunit",
      queries: [
        { expr: `max(mlscaler_skill_ratio{${chosen}})`, legend: "skill" },
        { expr: `max(mlscaler_coverage_ratio{${chosen}})`, legend: "coverage" },
        { expr: `max(mlscaler_quantile_ratio{${chosen}})`, legend: "wanted coverage" },
      ],
    },
    {
      title: "Faults",
      drawing: "Areas",
      unit: "cps",
      queries: one(`sum by (reason) (rate(mlscaler_failures_total{${chosen}}[${rate}]))`, "{{ reason }}"),
    },
    {
      title: "Scalings and demotions in an hour",
      drawing: "Lines",
      unit: "short",
      queries: [
        { expr: `sum by (direction) (increase(mlscaler_rescales_total{${chosen}}[1h]))`, legend: "{{ direction }}" },
        { expr: `sum(increase(mlscaler_demotions_total{${chosen}}[1h]))`, legend: "demotions" },
      ],
    },
    {
      title: "Pending replicas",
      drawing: "Lines",
      unit: "short",
      queries: one(`max(mlscaler_replicas_pending{${chosen}})`, "pending"),
    },
  ],
};

const process: Row = {
  title: "Module",
  panels: [
    {
      title: "Lag of syncs, 95th percentile",
      drawing: "Lines",
      unit: "s",
      queries: one(slowest("mlscaler_sync_lag_seconds", "kind"), "{{ kind }}"),
    },
    {
      title: "Duration of syncs, 95th percentile",
      drawing: "Lines",
      unit: "s",
      queries: one(slowest("mlscaler_sync_duration_seconds", "kind"), "{{ kind }}"),
    },
    {
      title: "Ends of syncs",
      drawing: "Areas",
      unit: "cps",
      queries: one(`sum by (next) (rate(mlscaler_sync_duration_seconds_count[${rate}]))`, "{{ next }}"),
    },
    {
      title: "Duration of reads of metrics, 95th percentile",
      drawing: "Lines",
      unit: "s",
      queries: one(slowest("mlscaler_metric_read_duration_seconds", "type"), "{{ type }}"),
    },
    {
      title: "Failed reads of metrics",
      drawing: "Areas",
      unit: "cps",
      queries: one(`sum by (type) (rate(mlscaler_metric_read_errors_total[${rate}]))`, "{{ type }}"),
    },
    {
      title: "Queue",
      drawing: "Lines",
      unit: "short",
      queries: [
        { expr: "max(mlscaler_queue_depth)", legend: "waiting" },
        { expr: "max(mlscaler_objects)", legend: "objects" },
      ],
    },
    {
      title: "Memory of the leader",
      drawing: "Lines",
      unit: "bytes",
      queries: one("max(process_resident_memory_bytes and mlscaler_leader == 1)", "resident"),
    },
    {
      title: "Cores of the leader",
      drawing: "Lines",
      unit: "short",
      queries: one(`max(rate(process_cpu_seconds_total[${rate}]) and mlscaler_leader == 1)`, "cores"),
    },
    {
      title: "Clocks ahead of that of the module",
      drawing: "Lines",
      unit: "s",
      queries: one("max by (server) (mlscaler_clock_skew_seconds)", "{{ server }}"),
    },
  ],
};

/** A column of the table of all MLScalers. */
export interface Column {
  title: string;
  expr: string;
  unit: "short" | "percentunit";
}

/** The columns of the table of all MLScalers, after those of namespace and name. */
export const columns: readonly Column[] = [
  { title: "Ready", expr: ofEach("mlscaler_ready"), unit: "short" },
  { title: "Trusted", expr: ofEach("mlscaler_forecast_trusted"), unit: "short" },
  { title: "Skill", expr: ofEach("mlscaler_skill_ratio"), unit: "percentunit" },
  { title: "Coverage", expr: ofEach("mlscaler_coverage_ratio"), unit: "percentunit" },
  { title: "Replicas", expr: replicas("current"), unit: "short" },
  { title: "Replicas of an HPA", expr: replicas("hpa"), unit: "short" },
];

/** The rows of the dashboard. */
export const rows: readonly Row[] = [fleet, workload, process];
