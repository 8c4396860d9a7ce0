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

/** Panels that draw expressions of PromQL, each with its legend. */
const panel =
  (drawing: Drawing) =>
  (title: string, unit: Panel["unit"], expressions: Record<string, string>): Panel => {
    const queries = Object.entries(expressions).map(([legend, expr]) => ({ legend, expr }));
    return { title, drawing, unit, queries };
  };
const [number, lines, areas, states] = [panel("Number"), panel("Lines"), panel("Areas"), panel("States")];

const fleet: Row = {
  title: "Fleet",
  panels: [
    number("MLScalers", "short", { MLScalers: `count(${ofEach("mlscaler_ready")})` }),
    number("Ready", "percentunit", { ready: `avg(${ofEach("mlscaler_ready")})` }),
    number("Trusted forecasts", "percentunit", { trusted: `avg(${ofEach("mlscaler_forecast_trusted")})` }),
    number("Replicas that forecasts add", "short", { replicas: `sum(${replicas("current")} - ${replicas("hpa")})` }),
    number("Pending replicas", "short", { pending: `sum(${ofEach("mlscaler_replicas_pending")})` }),
    number("Leaders", "short", { leaders: "sum(mlscaler_leader)" }),
    lines("Replicas, and those of an HPA", "short", {
      MLScaler: `sum(${replicas("current")} and ${replicas("hpa")})`,
      HPA: `sum(${replicas("hpa")})`,
    }),
    areas("What decides the counts", "short", {
      "{{ basis }}": "count by (basis) (max by (namespace, name, basis) (mlscaler_decision))",
    }),
    lines("Skill", "percentunit", {
      "90th percentile": quantile(0.9, ofEach("mlscaler_skill_ratio")),
      median: quantile(0.5, ofEach("mlscaler_skill_ratio")),
      "10th percentile": quantile(0.1, ofEach("mlscaler_skill_ratio")),
    }),
    areas("Faults", "cps", { "{{ reason }}": `sum by (reason) (rate(mlscaler_failures_total[${rate}]))` }),
    areas("Scalings in an hour", "short", {
      "{{ direction }}": "sum by (direction) (increase(mlscaler_rescales_total[1h]))",
    }),
    lines("Demotions in a day", "short", { demotions: "sum(increase(mlscaler_demotions_total[1d]))" }),
  ],
};

/** The stages of a decision, in its order. */
const steps = "reactive|predictive|stabilized|limited|final";

const workload: Row = {
  title: "$namespace / $name",
  panels: [
    {
      ...lines("Load and forecast", "short", {
        load: `max(mlscaler_load{${chosen}})`,
        forecast: `max(mlscaler_forecast_load{${chosen},quantile="0.5"})`,
        "upper quantile": `max(mlscaler_forecast_load{${chosen},quantile!="0.5"})`,
      }),
      band: { upper: "upper quantile", lower: "forecast" },
    },
    lines("Replicas, and those of an HPA", "short", {
      "{{ stage }}": `max by (stage) (mlscaler_replicas{${chosen},stage=~"current|hpa|min|max"})`,
      planned: `max(mlscaler_planned_replicas{${chosen}})`,
    }),
    lines("Replicas of the next 24 hours", "short", {
      peak: `max(mlscaler_forecast_day{${chosen}})`,
      "in an hour": `max(mlscaler_forecast_day{${chosen},hour="1"})`,
      now: `max(mlscaler_replicas{${chosen},stage="current"})`,
    }),
    states("What decided the count", "short", { "{{ basis }}": `max by (basis) (mlscaler_decision{${chosen}})` }),
    lines("Steps of the decision", "short", {
      "{{ stage }}": `max by (stage) (mlscaler_replicas{${chosen},stage=~"${steps}"})`,
    }),
    states("Ready and trusted", "short", {
      ready: `max(mlscaler_ready{${chosen}})`,
      trusted: `max(mlscaler_forecast_trusted{${chosen}})`,
    }),
    lines("Skill and coverage", "percentunit", {
      skill: `max(mlscaler_skill_ratio{${chosen}})`,
      coverage: `max(mlscaler_coverage_ratio{${chosen}})`,
      "wanted coverage": `max(mlscaler_quantile_ratio{${chosen}})`,
    }),
    areas("Faults", "cps", {
      "{{ reason }}": `sum by (reason) (rate(mlscaler_failures_total{${chosen}}[${rate}]))`,
    }),
    lines("Scalings and demotions in an hour", "short", {
      "{{ direction }}": `sum by (direction) (increase(mlscaler_rescales_total{${chosen}}[1h]))`,
      demotions: `sum(increase(mlscaler_demotions_total{${chosen}}[1h]))`,
    }),
    lines("Pending replicas", "short", { pending: `max(mlscaler_replicas_pending{${chosen}})` }),
    lines("Replicas whose nodes are requested", "short", {
      buffer: `max(mlscaler_capacity_buffer_replicas{${chosen}})`,
    }),
    lines("Time until a raised minimum ends", "s", {
      left: `max(mlscaler_assist_until_seconds{${chosen}} > 0) - time()`,
    }),
  ],
};

const process: Row = {
  title: "Module",
  panels: [
    lines("Lag of syncs, 95th percentile", "s", { "{{ kind }}": slowest("mlscaler_sync_lag_seconds", "kind") }),
    lines("Duration of syncs, 95th percentile", "s", {
      "{{ kind }}": slowest("mlscaler_sync_duration_seconds", "kind"),
    }),
    areas("Ends of syncs", "cps", {
      "{{ next }}": `sum by (next) (rate(mlscaler_sync_duration_seconds_count[${rate}]))`,
    }),
    lines("Duration of reads of metrics, 95th percentile", "s", {
      "{{ type }}": slowest("mlscaler_metric_read_duration_seconds", "type"),
    }),
    areas("Failed reads of metrics", "cps", {
      "{{ type }}": `sum by (type) (rate(mlscaler_metric_read_errors_total[${rate}]))`,
    }),
    lines("Queue", "short", { waiting: "max(mlscaler_queue_depth)", objects: "max(mlscaler_objects)" }),
    lines("Memory of the leader", "bytes", { resident: "max(process_resident_memory_bytes and mlscaler_leader == 1)" }),
    lines("Cores of the leader", "short", {
      cores: `max(rate(process_cpu_seconds_total[${rate}]) and mlscaler_leader == 1)`,
    }),
    lines("Clocks ahead of the module's clock", "s", {
      "{{ server }}": "max by (server) (mlscaler_clock_skew_seconds)",
    }),
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
