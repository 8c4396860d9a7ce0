import * as z from "zod";
import { int32, intOrQuantity } from "../definition/crd";
import { conditionsSchema } from "../kubernetes/conditions";
import { time } from "../kubernetes/time";
import { PrinterColumn, Resource } from "../definition/resource";
import { ifGiven, positive, Rule, within } from "../definition/rules";
import { dnsLabel } from "../kubernetes/names";
import { forecastRules, forecastSchema } from "./forecast/schema";
import { metricSchema, metricsRules } from "./metrics/registry";
import { pathSegment } from "./metrics/schema";
import { metricFailureInBounds, metricFailureRules, metricFailureSchema } from "./scaling/metric-failure";
import { scheduleRules, schedulesRules, schedulesSchema } from "./scaling/schedule";
import { behaviorRules, behaviorSchema } from "./scaling/behavior-schema";
import { Form, ShortForm } from "./scaling/form";

const targetSchema = z.strictObject({
  apiVersion: z.string().max(253).describe("API of the target: apps/v1."),
  kind: z.string().max(63).describe("Kind of the target: StatefulSet, or any other with a scale subresource."),
  name: z.string().max(253).describe("Name of the target, in the namespace of the MLScaler."),
});

type Target = z.output<typeof targetSchema>;

/** The fields of a spec as the user writes them, of both forms. */
export const fieldsSchema = z.strictObject({
  target_deployment: z
    .string()
    .max(253)
    .optional()
    .describe("Name of the Deployment to scale, in the namespace of the MLScaler. Immutable: delete and create."),
  target_ref: targetSchema
    .optional()
    .describe("Instead of target_deployment: anything with a scale subresource. Immutable: delete and create."),
  min_replicas: int32().default(1).describe("The lowest number of replicas, at least 1."),
  max_replicas: int32().describe("The highest number of replicas, not below min_replicas."),
  metric: z
    .string()
    .max(253)
    .optional()
    .describe(
      "The load, summed over the target's ready pods: cpu (cores), memory (GiB), or the name of a metric that each " +
        "pod has, from custom.metrics.k8s.io. With history_size; this or metrics.",
    ),
  history_size: int32()
    .optional()
    .describe("With metric: how many samples, one a sync, the regression is fitted on, 2 to 20160."),
  replicas_per_unit: intOrQuantity()
    .optional()
    .describe(
      "With metric: replicas for each unit of load (core, GiB, or as it is): " +
        "replicas = ceil(load × replicas_per_unit). Above 0, 10 by default.",
    ),
  metrics: z
    .array(metricSchema)
    .max(16)
    .optional()
    .describe("Instead of metric: metrics with their targets, as in an HPA (autoscaling/v2), 1 to 16."),
  behavior: behaviorSchema
    .optional()
    .describe("How fast and how steadily is scaled, as in an HPA (autoscaling/v2); without it as an HPA without it."),
  forecast: forecastSchema
    .optional()
    .describe(
      "How the load is forecast. Without it metrics have the defaults of this block, and metric a line through its " +
        "last history_size samples, one sync ahead.",
    ),
  rollout_freeze: z
    .boolean()
    .default(true)
    .describe("Whether increases are held that the start-up load of a rollout's own pods asks for."),
  sync_period_seconds: int32()
    .optional()
    .describe(
      "Seconds from one sync to the next, 5 to 3600; also how far ahead a forecast without a forecast block looks. " +
        "By default 30 with metric, and 15, as an HPA's, with metrics.",
    ),
  mode: z.enum(["Active", "Observe"]).default("Active").describe("Active scales; Observe reports and never writes."),
  pause: z
    .enum(["None", "All", "Down", "Up"])
    .default("None")
    .describe("Which direction of scaling is held: None, All, Down or Up."),
  schedules: schedulesSchema
    .optional()
    .describe("Windows that begin at the times of a cron expression, with bounds of their own; at most 32."),
  on_metric_failure: metricFailureSchema
    .optional()
    .describe("What is done when no metric has been known for some syncs; without it the count stays as it is."),
  on_delete: z
    .enum(["Min", "Keep"])
    .optional()
    .describe(
      "What becomes of the target when the MLScaler is deleted: Min (min_replicas) or Keep. By default Min with " +
        "metric, and Keep, as with an HPA, with metrics.",
    ),
});

type Fields = z.output<typeof fieldsSchema>;

/** The fields that every spec has after defaulting. */
type Completed = Omit<Fields, "forecast"> & { sync_period_seconds: number; on_delete: "Min" | "Keep" };

/** A spec of one of the two forms. */
export type Spec = Omit<Completed, keyof ShortForm> & Form;

/** Fills in the defaults that depend on the form. The rules check that the fields match one form. */
function completed(fields: Fields): Spec {
  const { metrics, replicas_per_unit, sync_period_seconds, on_delete } = fields;
  const forecast = fields.forecast ?? (metrics && forecastSchema.parse({}));
  return {
    ...fields,
    replicas_per_unit: replicas_per_unit ?? (metrics ? undefined : 10),
    sync_period_seconds: sync_period_seconds ?? (metrics ? 15 : 30),
    forecast: forecast && { ...forecast, model: forecast.model ?? "auto" },
    on_delete: on_delete ?? (metrics ? "Keep" : "Min"),
  } as Spec;
}

/** Parses a spec as the API server stores it. Only a spec that passes the rules has one of the forms. */
export const specSchema = fieldsSchema.transform(completed);

const subdomain = `^${dnsLabel}(\\.${dnsLabel})*$`;
const celSubdomain = `^${dnsLabel}(\\\\.${dnsLabel})*$`;

/** The rules on a spec beyond types, required fields and enums. */
export const rules: Rule<Fields>[] = [
  {
    path: "target_deployment",
    cel: "has(self.target_deployment) != has(self.target_ref)",
    check: spec => (spec.target_deployment === undefined) !== (spec.target_ref === undefined),
    message: "name one target, either here or in spec.target_ref, not both and not none",
    values: [],
  },
  {
    path: "target_deployment",
    cel: `!has(self.target_deployment) || self.target_deployment.matches('${celSubdomain}')`,
    check: ({ target_deployment: name }) => name === undefined || new RegExp(subdomain).test(name),
    message: '"%s" is not the name of a Deployment, use lower case letters, digits, "-" and "."',
    values: [{ cel: "self.?target_deployment.orValue('')", of: spec => spec.target_deployment }],
  },
  within("min_replicas", 1, 2 ** 31 - 1),
  within("max_replicas", 1, 2 ** 31 - 1),
  {
    path: "min_replicas",
    cel: "self.min_replicas <= self.max_replicas",
    check: spec => spec.min_replicas <= spec.max_replicas,
    message: "%s is above spec.max_replicas %s, use at most that",
    values: ["min_replicas", "max_replicas"],
  },
  {
    path: "metric",
    cel: "has(self.metric) != has(self.metrics)",
    check: spec => (spec.metric === undefined) !== (spec.metrics === undefined),
    message:
      "name the load, either here or in spec.metrics, not both and not none; " +
      "what an HPA without metrics means is spec.metrics with Resource cpu and averageUtilization 80",
    values: [],
  },
  ifGiven(pathSegment("metric", "the name of a metric")),
  {
    path: "history_size",
    cel: "has(self.history_size) == has(self.metric)",
    check: spec => (spec.history_size === undefined) === (spec.metric === undefined),
    message:
      "goes with spec.metric and not without it, use 2 to 20160 samples there and leave it out beside spec.metrics",
    values: [],
  },
  ifGiven(within("history_size", 2, 20160, "samples")),
  {
    path: "replicas_per_unit",
    cel: "!has(self.replicas_per_unit) || !has(self.metrics)",
    check: spec => spec.replicas_per_unit === undefined || spec.metrics === undefined,
    message: "%s is for spec.metric only, leave it out: the targets in spec.metrics say the load of a replica",
    values: ["replicas_per_unit"],
  },
  ifGiven(positive("replicas_per_unit")),
  {
    path: "metrics",
    cel: "!has(self.metrics) || size(self.metrics) > 0",
    check: ({ metrics }) => metrics === undefined || metrics.length > 0,
    message: "%s metrics, use 1 to 16; what an HPA without metrics means is Resource cpu with averageUtilization 80",
    values: [{ cel: "size(self.metrics)", of: ({ metrics = [] }) => metrics.length }],
  },
  ifGiven(within("sync_period_seconds", 5, 3600, "seconds")),
  ...schedulesRules,
  metricFailureInBounds,
];

const targetRules: Rule<Target>[] = [
  {
    path: "apiVersion",
    cel: "self.apiVersion.matches('^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?v[a-z0-9]+$')",
    check: ({ apiVersion }) => /^([a-z0-9]([-.a-z0-9]*[a-z0-9])?\/)?v[a-z0-9]+$/.test(apiVersion),
    message: '"%s" is not an API version, use GROUP/VERSION as in "apps/v1"',
    values: ["apiVersion"],
  },
  {
    path: "kind",
    cel: "self.kind.matches('^[A-Z][A-Za-z0-9]*$')",
    check: ({ kind }) => /^[A-Z][A-Za-z0-9]*$/.test(kind),
    message: '"%s" is not a kind, use a name as "StatefulSet"',
    values: ["kind"],
  },
  {
    path: "name",
    cel: `self.name.matches('${celSubdomain}')`,
    check: ({ name }) => new RegExp(subdomain).test(name),
    message: '"%s" is not the name of an object, use lower case letters, digits, "-" and "."',
    values: ["name"],
  },
];

const decisionSchema = z.object({
  reactive: int32().optional().describe("What the load of now asks for."),
  predictive: int32().optional().describe("What the forecast asks for."),
  stabilized: int32().optional().describe("After stabilisation over the recommendations of the window."),
  limited: int32().optional().describe("After the limit on the speed of growth and pause."),
  final: int32().describe("Within min_replicas and max_replicas: what is asked of the target."),
  reason: z.string().max(1024).describe("Why, in one sentence."),
});

export const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  target: z.string().max(320).optional().describe("What is scaled, as KIND/NAME."),
  current_replicas: int32().optional().describe("Replicas of the target when it was last read."),
  predicted_replicas: int32().optional().describe("Replicas asked for at the last sync."),
  active_schedules: z.array(z.string().max(63)).max(32).optional().describe("The schedules whose windows are open."),
  load: z
    .string()
    .max(64)
    .optional()
    .describe("Load now, as a Quantity: the total that is forecast, or the first of metrics where nothing is."),
  last_scale_time: time().optional().describe("When the target was last scaled by this MLScaler."),
  forecast: z
    .object({
      model: z.string().max(64).describe("The model that forecasts."),
      load: z.string().max(64).optional().describe("The forecast load, as a Quantity."),
      upper: z
        .string()
        .max(64)
        .optional()
        .describe("What the load stays below quantile_percent of the time, as a Quantity."),
      at: time().optional().describe("The time that the forecast is for."),
      horizon_seconds: int32().describe("How far ahead the forecast looks."),
      samples: int32().describe(
        "Samples of load that the line is fitted on; with a model of spec.forecast its scored forecasts, " +
          "up to the 288 that it needs to be trusted.",
      ),
      skill_percent: int32()
        .optional()
        .describe("By how much it was nearer to the load than the last load was, over the last day; below 0: farther."),
      upper_skill_percent: int32()
        .optional()
        .describe(
          "By how much less upper cost than the last load alone, in unserved load and in replicas without load, " +
            "over the last day; below 0: more.",
        ),
      coverage_percent: int32().optional().describe("How often the load was below upper, over the last day."),
      trusted: z
        .boolean()
        .optional()
        .describe("Whether the forecast may raise the count. Stays true while a trusted forecast is replayed."),
    })
    .optional()
    .describe("The forecast of the last sync."),
  metrics: z
    .array(
      z.object({
        name: z.string().max(253).describe("The metric."),
        type: z.string().max(32).optional().describe("Where it comes from, as in spec.metrics."),
        target: z.string().max(64).optional().describe("What it is to be: a Quantity, or a percentage as 60%."),
        current: z.string().max(64).optional().describe("Load now, as a Quantity."),
        forecast: z.string().max(64).optional().describe("Load forecast, as a Quantity."),
        trusted: z
          .boolean()
          .optional()
          .describe("Whether this forecast may raise the count. Stays true while a trusted forecast is replayed."),
      }),
    )
    .max(16)
    .optional()
    .describe("Load by metric."),
  decision: decisionSchema.optional().describe("The steps of the last decision, each with its number."),
  shadow: z
    .object({
      hpa_replicas: int32().describe("Replicas that there would be without the forecast."),
      replica_hours_saved_24h: int32().describe(
        "Replica-hours that would have been more without the forecast, in the last 24 hours; below 0: less.",
      ),
      underprovisioned_seconds_24h: int32().describe(
        "Seconds of the last 24 hours in which the load was above the target load of the replicas that had started, " +
          "by more than the tolerance.",
      ),
      underprovisioned_seconds_hpa_24h: int32().describe("The same without the forecast."),
    })
    .optional()
    .describe(
      "What the same rules would have done without the forecast, as an HPA; " +
        "from when this process began, looked at every five minutes.",
    ),
  conditions: conditionsSchema
    .optional()
    .describe(
      "Ready, Scaled, AbleToScale, ScalingActive, ScalingLimited, ForecastReady; ClockSkewed while clocks differ, " +
        "ReplicasPending while replicas stay Pending.",
    ),
});

export type Status = z.output<typeof statusSchema>;

const printerColumns: PrinterColumn[] = [
  { name: "Target", type: "string", jsonPath: ".status.target" },
  { name: "Load", type: "string", jsonPath: ".status.load" },
  { name: "Forecast", type: "string", jsonPath: ".status.forecast.load" },
  { name: "Min", type: "integer", jsonPath: ".spec.min_replicas" },
  { name: "Max", type: "integer", jsonPath: ".spec.max_replicas" },
  { name: "Replicas", type: "integer", jsonPath: ".status.predicted_replicas" },
  { name: "Model", type: "string", jsonPath: ".status.forecast.model" },
  { name: "Trust", type: "string", jsonPath: '.status.conditions[?(@.type=="ForecastReady")].reason' },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
  { name: "Horizon", type: "integer", jsonPath: ".status.forecast.horizon_seconds", priority: 1 },
  { name: "Skill%", type: "integer", jsonPath: ".status.forecast.skill_percent", priority: 1 },
  { name: "Coverage%", type: "integer", jsonPath: ".status.forecast.coverage_percent", priority: 1 },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
  { name: "Why", type: "string", jsonPath: ".status.decision.reason", priority: 1 },
];

/** The MLScaler resource. Its CRD and its admission rules derive from it. */
export const mlscaler: Resource<Spec, Status> = {
  group: "example.com",
  version: "v1",
  kind: "MLScaler",
  plural: "mlscalers",
  shortNames: ["mls"],
  description: "Scales a workload before its load arrives, from a regression over the load it has seen.",
  spec: specSchema,
  status: statusSchema,
  rules,
  nested: [
    { at: "target_ref", rules: targetRules },
    ...metricsRules,
    ...behaviorRules,
    ...forecastRules,
    ...scheduleRules,
    ...metricFailureRules,
  ],
  immutable: [
    { field: "target_deployment", remedy: "delete the MLScaler and create it again" },
    { field: "target_ref", remedy: "delete the MLScaler and create it again" },
  ],
  printerColumns,
};
