import * as z from "zod";
import { optionalFlag, optionalInteger, optionalList, optionalText } from "../definition/fields";
import { conditionsSchema } from "../kubernetes/conditions";
import { time } from "../kubernetes/time";
import { PrinterColumn, Resource } from "../definition/resource";
import { celPattern, ifGiven, intOrString, matching, positive, Rule, within } from "../definition/rules";
import { dnsLabel } from "../kubernetes/names";
import { syncPeriodSeconds } from "./hpa-defaults";
import { faultsOfForecast, type Forecasting, forecastRules, forecastSchema } from "./forecast/schema";
import { type LeadingField, leadingRules, leadingSchema } from "./metrics/leading";
import { type Metric, metricNamed, metricSchema, metricsRules } from "./metrics/registry";
import { pathSegment } from "./metrics/schema";
import { metricFailureInBounds, metricFailureRules, metricFailureSchema } from "./scaling/metric-failure";
import { scaleToZeroRules, scaleToZeroSchema, zeroRules } from "./scaling/zero/scale-to-zero";
import { modes } from "./target/target";
import { faultsOfSchedules, scheduleRules, schedulesRules, schedulesSchema } from "./scaling/schedule/schedule";
import { capacityBufferRules, capacityBufferSchema } from "./scaling/ahead/buffer-schema";
import { mostReplicas } from "./scaling/rule/behavior";
import { behaviorRules, behaviorSchema } from "./scaling/rule/behavior-schema";
import { Fault } from "../definition/check";

const targetSchema = z.strictObject({
  apiVersion: z.string().max(253).describe("API version of the target, for example apps/v1."),
  kind: z.string().max(63).describe("Kind of the target, for example StatefulSet. It needs a scale subresource."),
  name: z.string().max(253).describe("Name of the target, in the namespace of the MLScaler, for example db."),
});

type Target = z.output<typeof targetSchema>;

/** The fields of a spec as the user writes them, with `metric` (short form) or `metrics` (long form). */
export const fieldsSchema = z.strictObject({
  target_deployment: optionalText(253).describe(
    "Name of the Deployment to scale, in the namespace of the MLScaler, for example web. Give this or target_ref. " +
      "Immutable: delete the MLScaler and create it again.",
  ),
  target_ref: targetSchema
    .optional()
    .describe(
      "Object to scale, of any kind with a scale subresource. Give this or target_deployment. " +
        "Immutable: delete the MLScaler and create it again.",
    ),
  min_replicas: z
    .int32()
    .default(1)
    .describe(
      "Lowest number of replicas, for example 2. 0 needs a metric that is known without pods: Object, External, " +
        "Prometheus, or an activation in scale_to_zero.",
    ),
  max_replicas: optionalInteger().describe(
    "Highest number of replicas, at least min_replicas, for example 20. Required, except with mode Assist, where it " +
      "is by default the maximum of the HPA.",
  ),
  metric: optionalText(253).describe(
    "Load of the short form, summed over the ready pods of the target: cpu (cores), memory (GiB), or a metric of " +
      "pods from custom.metrics.k8s.io. It needs history_size. Give this or metrics.",
  ),
  history_size: optionalInteger().describe(
    "Number of samples that the line of the short form is fitted on, one for each sync, 2 to 20160. For example 5: " +
      "with a sync every 30 s the last 150 s. Required with metric, and without effect with forecast.",
  ),
  replicas_per_unit: intOrString()
    .optional()
    .describe(
      "Replicas for each unit of load (core, GiB, or unit of the metric): replicas = ceil(load × replicas_per_unit). " +
        "Above 0, 10 by default. For example 2, when a replica serves half a core. Only with metric.",
    ),
  metrics: optionalList(metricSchema, 16).describe(
    "Metrics of the long form with their targets, as in an HPA (autoscaling/v2), 1 to 16. Give this or metric.",
  ),
  behavior: behaviorSchema
    .optional()
    .describe(
      "Speed and stabilization of scaling, as in an HPA (autoscaling/v2). By default as in an HPA without behavior.",
    ),
  forecast: forecastSchema
    .extend({ leading: leadingSchema })
    .optional()
    .describe(
      "Forecast of the load. Without this block, the long form uses the defaults of the block. The short form fits a " +
        "line to its last history_size samples and looks one sync ahead.",
    ),
  rollout_freeze: z
    .boolean()
    .default(true)
    .describe("Holds increases that only the start-up load of a rollout's new pods asks for."),
  sync_period_seconds: optionalInteger().describe(
    "Seconds from one sync to the next, 5 to 3600. The short form without a forecast block looks this far ahead. " +
      "By default 30 with metric, and otherwise 15, as in an HPA.",
  ),
  mode: z
    .enum(modes)
    .default("Active")
    .describe(
      "Active scales the target. Observe computes and reports, and never scales. Assist leaves the target to its HPA " +
        "or ScaledObject, and raises its minimum ahead of the load. Metrics, max_replicas and behavior then come by " +
        "default from the HPA, and min_replicas is used where it is above 1 and above the HPA's.",
    ),
  take_over: optionalFlag().describe(
    "With mode Active: while an HPA is on the target, assists it as mode Assist does, and scales the target from the " +
      "moment that the HPA is gone. By default false: an MLScaler with mode Active refuses a target with an HPA.",
  ),
  pause: z
    .enum(["None", "All", "Down", "Up"])
    .default("None")
    .describe("Direction of scaling that is held: None, All, Down or Up."),
  guard_replicas: optionalFlag().describe(
    "Keeps spec.replicas of a Deployment, StatefulSet or ReplicaSet when another count is applied. The scale " +
      "subresource (kubectl scale) still sets it. With mode Assist it keeps the raised minimum of the HPA. Not with " +
      "mode Observe or pause All. It needs the policies in dist/optional. By default false.",
  ),
  schedules: schedulesSchema
    .optional()
    .describe("Windows of time with their own bounds. Each begins at the times of a cron expression. At most 32."),
  on_metric_failure: metricFailureSchema
    .optional()
    .describe("Fallback when all metrics have failed for some syncs. By default the count stays."),
  scale_to_zero: scaleToZeroSchema
    .optional()
    .describe(
      "What decides between 0 replicas and 1, as in KEDA. Only with min_replicas 0. Without this block HPA's rule " +
        "decides: the metrics alone, and a target that somebody else scaled to 0 stays there.",
    ),
  capacity_buffer: capacityBufferSchema
    .optional()
    .describe(
      "Asks for the nodes of the pods that a trusted forecast expects, before the pods: with one CapacityBuffer of the " +
        "name of the MLScaler. Karpenter or Cluster Autoscaler makes the nodes. Works in each mode; with mode Observe " +
        "it is all that the MLScaler writes. Without this block it requests no nodes.",
    ),
  on_delete: z
    .enum(["Min", "Keep"])
    .optional()
    .describe(
      "What happens to the target when the MLScaler is deleted: Min scales it to min_replicas, at least 1, Keep " +
        "leaves it. Both wake a target that the MLScaler scaled to 0. " +
        "By default Min with metric, and otherwise Keep, as with an HPA.",
    ),
});

export type Fields = z.output<typeof fieldsSchema>;

/** A spec after defaulting, in one form: `metric` is an entry of `metrics` with a rule of its own. */
export type Spec = Omit<Fields, "forecast" | "metrics" | "max_replicas" | "sync_period_seconds" | "on_delete"> & {
  /** Empty with mode Assist until those of the HPA are known. */
  metrics: Metric[];
  max_replicas: number;
  sync_period_seconds: number;
  on_delete: "Min" | "Keep";
  forecast?: Forecasting & LeadingField;
  /** The line through the last samples, in place of `forecast`; absent with `metrics`. */
  line?: { samples: number };
  /** The fields as written, where the rest is that of an HPA. */
  written?: Fields;
};

function completed(fields: Fields): Spec {
  const { metric, metrics, history_size: samples = 0, replicas_per_unit, sync_period_seconds, on_delete } = fields;
  const isShort = metric !== undefined;
  const assists = fields.mode === "Assist" || (fields.mode === "Active" && fields.take_over);
  const perUnit = isShort ? (replicas_per_unit ?? 10) : replicas_per_unit;
  const forecast = fields.forecast ?? (isShort ? undefined : forecastSchema.parse({}));
  return {
    ...fields,
    metrics: metrics ?? (isShort ? [metricNamed(metric, perUnit ?? "")] : []),
    max_replicas: fields.max_replicas ?? mostReplicas,
    replicas_per_unit: perUnit,
    sync_period_seconds: sync_period_seconds ?? (isShort ? 30 : syncPeriodSeconds),
    forecast: forecast && { ...forecast, model: forecast.model ?? "auto" },
    ...(isShort && !forecast && { line: { samples } }),
    on_delete: on_delete ?? (isShort ? "Min" : "Keep"),
    ...(assists && { written: fields }),
  };
}

/** Parses a spec as the API server stores it. Only a spec that follows the rules means what it says. */
export const specSchema = fieldsSchema.transform(completed);

/** The faults of a spec that no rule of the CRD can check: cron expressions, time zones and dates. */
export const faultsOf = (spec: Pick<Spec, "schedules" | "forecast">): Fault[] => [
  ...faultsOfSchedules(spec),
  ...faultsOfForecast(spec),
];

const subdomain = `^${dnsLabel}(\\.${dnsLabel})*$`;

export const rules: Rule<Fields>[] = [
  {
    path: "target_deployment",
    cel: "has(self.target_deployment) != has(self.target_ref)",
    check: spec => (spec.target_deployment === undefined) !== (spec.target_ref === undefined),
    message: "name one target, either here or in spec.target_ref, not both and not none",
  },
  {
    path: "target_deployment",
    cel: `!has(self.target_deployment) || self.target_deployment.matches(${celPattern(subdomain)})`,
    check: ({ target_deployment: name }) => name === undefined || new RegExp(subdomain).test(name),
    message: '"%s" is not the name of a Deployment, use lower case letters, digits, "-" and "."',
    values: [{ cel: "self.?target_deployment.orValue('')", of: spec => spec.target_deployment }],
  },
  within("min_replicas", 0, 2 ** 31 - 1),
  {
    path: "max_replicas",
    cel: "has(self.max_replicas) || self.mode == 'Assist'",
    check: ({ max_replicas: most, mode }) => most !== undefined || mode === "Assist",
    message: "is required except with spec.mode Assist, use 1 or more",
  },
  ifGiven(within("max_replicas", 1, mostReplicas)),
  {
    path: "min_replicas",
    cel: "!has(self.max_replicas) || self.min_replicas <= self.max_replicas",
    check: spec => spec.max_replicas === undefined || spec.min_replicas <= spec.max_replicas,
    message: "%s is above spec.max_replicas %s, use at most that",
    values: ["min_replicas", "max_replicas"],
  },
  {
    path: "metric",
    cel: "has(self.metric) ? !has(self.metrics) : has(self.metrics) || self.mode == 'Assist'",
    check: ({ metric, metrics, mode }) =>
      metric === undefined ? metrics !== undefined || mode === "Assist" : metrics === undefined,
    message:
      "set exactly one of spec.metric and spec.metrics; " +
      "an HPA without metrics has spec.metrics with Resource cpu and averageUtilization 80",
  },
  ifGiven(pathSegment("metric", "the name of a metric")),
  {
    path: "history_size",
    cel: "has(self.history_size) == has(self.metric)",
    check: spec => (spec.history_size === undefined) === (spec.metric === undefined),
    message: "is required with spec.metric, use 2 to 20160 samples, and leave it out with spec.metrics",
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
  ...zeroRules,
];

const targetRules: Rule<Target>[] = [
  matching(
    "apiVersion",
    "^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?v[a-z0-9]+$",
    '"%s" is not an API version, use GROUP/VERSION as in "apps/v1"',
  ),
  matching("kind", "^[A-Z][A-Za-z0-9]*$", '"%s" is not a kind, use a name as "StatefulSet"'),
  matching("name", subdomain, '"%s" is not the name of an object, use lower case letters, digits, "-" and "."'),
];

const decisionSchema = z.object({
  reactive: optionalInteger().describe("Replicas for the current load."),
  predictive: optionalInteger().describe("Replicas for the forecast. Absent without one."),
  stabilized: optionalInteger().describe("Replicas after the stabilization windows."),
  limited: optionalInteger().describe("Replicas after the rate limits."),
  final: z.int32().describe("Replicas within the bounds and after pause. With mode Active the target gets them."),
  reason: z.string().max(1024).describe('Reason of the count, for example "3 → 5: cpu resource 160m, target 100m".'),
});

export const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("Generation of the spec that this status is for."),
  target: optionalText(320).describe("Target as KIND/NAME, for example Deployment/web."),
  min_replicas: optionalText(32).describe(
    "Lower bound of the replicas now, for example 2. With mode Assist the minimum of the HPA, and what it is raised to: 2→9.",
  ),
  max_replicas: optionalInteger().describe(
    "Upper bound of the replicas now, for example 20. With mode Assist the maximum of the HPA.",
  ),
  current_replicas: optionalInteger().describe("Replicas of the target at the last sync."),
  predicted_replicas: optionalInteger().describe("Replicas that the last sync decided on."),
  active_schedules: optionalList(z.string().max(63), 32).describe(
    "Names of the schedules with an open window, for example office-hours.",
  ),
  load: optionalText(64).describe(
    "Current load, the total of all pods, for example 0.42: CPU in cores, memory in GiB, others in the unit of the " +
      "metric. With several metrics, of the one whose forecast asks for most; `metrics` has each. Without a " +
      "forecast, the value of the first metric.",
  ),
  last_scale_time: time().optional().describe("Time when this MLScaler last scaled the target."),
  forecast: z
    .object({
      model: z
        .string()
        .max(64)
        .describe(
          "Model that leads, for example holt_winters: it had the most weight, " +
            "and no other has twice its weight since.",
        ),
      load: optionalText(64).describe("Forecast of the load at the horizon, in the unit of status.load."),
      upper: optionalText(64).describe(
        "Upper quantile of the load, at its highest until the horizon, in the unit of status.load. The load stays " +
          "below it for quantile_percent of the time.",
      ),
      quantile_percent: optionalInteger().describe(
        "Upper quantile that acts, in percent: that of the spec, or else the one whose replicas bring most.",
      ),
      replica_hours_added: optionalInteger().describe(
        "Replica-hours that this quantile adds to those of an HPA, in the trial of the last seven days. Absent " +
          "before a day of trial, and while no quantile is worth its replicas.",
      ),
      missing_replica_hours_saved: optionalInteger().describe(
        "Replica-hours that an HPA was short of in that trial, and a loop with this quantile was not.",
      ),
      at: time().optional().describe("Time that the forecast is for, for example 2026-11-22T02:07:27Z."),
      horizon_seconds: z.int32().describe("Horizon of the forecast, in seconds, for example 50."),
      samples: z
        .int32()
        .describe(
          "Number of known loads, up to those that the forecast needs to act. In a short form without spec.forecast: " +
            "number of samples that the line is fitted on.",
        ),
      skill_percent: optionalInteger().describe(
        "Skill over the last day, in percent: by how much the error of the forecast is below the error of the last " +
          "value. Negative: above.",
      ),
      coverage_percent: optionalInteger().describe(
        "Share of the last day in which the load was below the upper quantile, in percent.",
      ),
      trusted: optionalFlag().describe(
        "Whether the forecast may raise the count. Stays true while a trusted forecast is calculated again.",
      ),
      next_24h: z
        .object({
          peak_replicas: z
            .int32()
            .describe("Most replicas that an hour asks for, by its upper quantile of 90 percent."),
          peak_at: time().describe("Time at which that hour begins, for example 2026-11-22T09:00:00Z."),
          skill_percent: z
            .int32()
            .describe(
              "Skill over the last two weeks, in percent: by how much the error is below that of the day before or of " +
                "the week before, whichever is better.",
            ),
        })
        .optional()
        .describe(
          "Replicas of the next 24 hours, once an hour. Absent with less than two days of history, and while the " +
            "skill is not above 0.",
        ),
    })
    .optional()
    .describe("Forecast of the last sync. A line has no upper, skill_percent and coverage_percent."),
  metrics: optionalList(
    z.object({
      name: z.string().max(253).describe("Name of the metric, for example cpu."),
      type: optionalText(32).describe("Type of the metric, as in spec.metrics, for example Resource."),
      target: optionalText(64).describe("Target of the metric: a Quantity such as 100m, or a percentage such as 60%."),
      current: optionalText(64).describe("Current value in the form of the target, for example 75m."),
      forecast: optionalText(64).describe(
        "Forecast of the total at the horizon, a Quantity in the unit of the metric, for example 0.88.",
      ),
      trusted: optionalFlag().describe(
        "Whether this forecast may raise the count. Stays true while a trusted forecast is calculated again.",
      ),
    }),
    16,
  ).describe("Value, target and forecast of each metric."),
  assist: z
    .object({
      autoscaler: z.string().max(320).describe("The autoscaler that scales the target, for example HPA web."),
      own_min_replicas: z
        .int32()
        .describe("Minimum that its user set, in replicas. It is put back when nothing raises it."),
      min_replicas: z.int32().describe("Minimum that it has now, in replicas."),
      until: time().optional().describe("Time at which the raised minimum ends, unless a sync moves it."),
    })
    .optional()
    .describe("With mode Assist: the autoscaler of the target, and its minimum."),
  lead: z
    .object({
      start_up_seconds: z.int32().describe("Start-up time of the target's pods, in seconds."),
      node_seconds: optionalInteger().describe(
        "Time that a pod waits for a new node, in seconds: of the target, else of its namespace, else of the " +
          "cluster. Absent where no pod has waited for one in the last four weeks.",
      ),
      metric_seconds: z.int32().describe("Delay of the metrics, in seconds."),
    })
    .optional()
    .describe("Time until new replicas serve load. By default the forecast looks this far ahead, plus one sync."),
  capacity_buffer: z
    .object({
      replicas: z.int32().describe("Replicas whose nodes the CapacityBuffer requests."),
      planned: optionalFlag().describe(
        "Whether the autoscaler of the nodes has room for them, on nodes that exist or that it has ordered. " +
          "Absent where it does not say so.",
      ),
    })
    .optional()
    .describe("The CapacityBuffer of the MLScaler. Absent without one."),
  decision: decisionSchema.optional().describe("Replicas after each step of the last decision."),
  shadow: z
    .object({
      hpa_replicas: z.int32().describe("Replicas that the target would have without the forecast."),
      replica_hours_saved_24h: z
        .int32()
        .describe("Replica-hours of the last 24 hours that the forecast saved. Negative: it cost them."),
      underprovisioned_seconds_24h: z
        .int32()
        .describe(
          "Seconds of the last 24 hours in which the load was above the target load of the replicas that had started, " +
            "by more than the tolerance.",
        ),
      underprovisioned_seconds_hpa_24h: z.int32().describe("The same seconds without the forecast."),
    })
    .optional()
    .describe(
      "Comparison with the same rules without the forecast, as in an HPA. It begins with the process, and is " +
        "updated every five minutes.",
    ),
  conditions: conditionsSchema
    .optional()
    .describe(
      "Conditions: Ready, Scaled, AbleToScale, ScalingActive, ScalingLimited, ForecastReady. ClockSkewed exists " +
        "while clocks differ, ReplicasPending while replicas stay Pending, ScaledToZero where min_replicas is 0, and " +
        "NodesAhead with capacity_buffer.",
    ),
});

export type Status = z.output<typeof statusSchema>;

const printerColumns: PrinterColumn[] = [
  { name: "Target", type: "string", jsonPath: ".status.target" },
  { name: "Current", type: "integer", jsonPath: ".status.current_replicas" },
  { name: "Desired", type: "integer", jsonPath: ".status.predicted_replicas" },
  { name: "Min", type: "string", jsonPath: ".status.min_replicas" },
  { name: "Max", type: "integer", jsonPath: ".status.max_replicas" },
  { name: "Forecast", type: "string", jsonPath: ".status.forecast.load" },
  { name: "Trust", type: "string", jsonPath: '.status.conditions[?(@.type=="ForecastReady")].reason' },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Load", type: "string", jsonPath: ".status.load", priority: 1 },
  { name: "Model", type: "string", jsonPath: ".status.forecast.model", priority: 1 },
  { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
  { name: "Horizon", type: "integer", jsonPath: ".status.forecast.horizon_seconds", priority: 1 },
  { name: "Skill%", type: "integer", jsonPath: ".status.forecast.skill_percent", priority: 1 },
  { name: "Coverage%", type: "integer", jsonPath: ".status.forecast.coverage_percent", priority: 1 },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason', priority: 1 },
  { name: "Why", type: "string", jsonPath: ".status.decision.reason", priority: 1 },
];

export const mlscaler: Resource<Spec, Status> = {
  group: "example.com",
  version: "v1",
  kind: "MLScaler",
  plural: "mlscalers",
  shortNames: ["mls"],
  description: "Scales a workload before its load arrives, by a regression over the history of the load.",
  spec: specSchema,
  fields: { schema: fieldsSchema, complete: fields => completed(fields as Fields) },
  status: statusSchema,
  rules,
  nested: [
    { at: "target_ref", rules: targetRules },
    ...metricsRules,
    ...behaviorRules,
    ...forecastRules,
    ...leadingRules,
    ...scheduleRules,
    ...metricFailureRules,
    ...scaleToZeroRules,
    ...capacityBufferRules,
  ],
  immutable: [
    { field: "target_deployment", remedy: "delete the MLScaler and create it again" },
    { field: "target_ref", remedy: "delete the MLScaler and create it again" },
  ],
  printerColumns,
};
