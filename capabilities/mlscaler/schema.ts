import { z } from "zod";
import { conditionsSchema, int32, intOrQuantity, time } from "../common/crd";
import { parseQuantity } from "../common/quantity";
import { PrinterColumn, Resource } from "../common/resource";
import { Rule, within } from "../common/rules";

const targetSchema = z.strictObject({
  apiVersion: z.string().max(253).describe("API of the target: apps/v1."),
  kind: z.string().max(63).describe("Kind of the target: StatefulSet, or any other with a scale subresource."),
  name: z.string().max(253).describe("Name of the target, in the namespace of the MLScaler."),
});

type Target = z.output<typeof targetSchema>;

export const specSchema = z.strictObject({
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
    .enum(["cpu", "memory"])
    .describe("The load: cpu (cores) or memory (GiB), summed over the target's ready pods, from metrics.k8s.io."),
  history_size: int32().describe("How many samples, one a sync, the regression is fitted on: 2 to 20160."),
  replicas_per_unit: intOrQuantity()
    .default(10)
    .describe("Replicas for each unit of load (core or GiB): replicas = ceil(load × replicas_per_unit). Above 0."),
  sync_period_seconds: int32()
    .default(30)
    .describe("Seconds from one sync to the next, 5 to 3600; also how far ahead the forecast looks."),
  mode: z.enum(["Active", "Observe"]).default("Active").describe("Active scales; Observe reports and never writes."),
  pause: z
    .enum(["None", "All", "Down", "Up"])
    .default("None")
    .describe("Which direction of scaling is held: None, All, Down or Up."),
  on_delete: z
    .enum(["Min", "Keep"])
    .default("Min")
    .describe("What becomes of the target when the MLScaler is deleted: Min (min_replicas) or Keep."),
});

export type Spec = z.output<typeof specSchema>;

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `^${label}(\\.${label})*$`;
const celSubdomain = `^${label}(\\\\.${label})*$`;

/** Everything about a spec that types, required fields and enums do not say. */
export const rules: Rule<Spec>[] = [
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
  within("history_size", 2, 20160, "samples"),
  {
    path: "replicas_per_unit",
    cel: `type(self.replicas_per_unit) == int ? self.replicas_per_unit > 0 : isQuantity(self.replicas_per_unit) && quantity(self.replicas_per_unit).isGreaterThan(quantity('0'))`,
    check: spec => (parseQuantity(spec.replicas_per_unit) ?? 0) > 0,
    message: '%s is not a positive integer or Quantity, use for example 10 or "500m"',
    values: ["replicas_per_unit"],
  },
  within("sync_period_seconds", 5, 3600, "seconds"),
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
  stabilized: int32().optional().describe("After stabilisation: the highest recommendation of the last 300 s."),
  limited: int32().optional().describe("After the limit on the speed of growth and pause."),
  final: int32().describe("Within min_replicas and max_replicas: what is asked of the target."),
  reason: z.string().max(1024).describe("Why, in one sentence."),
});

export const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  target: z.string().max(320).optional().describe("What is scaled, as KIND/NAME."),
  current_replicas: int32().optional().describe("Replicas of the target when it was last read."),
  predicted_replicas: int32().optional().describe("Replicas asked for at the last sync."),
  last_scale_time: time().optional().describe("When the target was last scaled by this MLScaler."),
  forecast: z
    .object({
      model: z.string().max(64).describe("The model that forecasts."),
      load: z.string().max(64).optional().describe("The forecast load, as a Quantity."),
      at: time().optional().describe("The time that the forecast is for."),
      horizon_seconds: int32().describe("How far ahead the forecast looks."),
      samples: int32().describe("Samples of load in the history that the model is fitted on."),
    })
    .optional()
    .describe("The forecast of the last sync."),
  metrics: z
    .array(
      z.object({
        name: z.string().max(253).describe("The metric."),
        current: z.string().max(64).optional().describe("Load now, as a Quantity."),
        forecast: z.string().max(64).optional().describe("Load forecast, as a Quantity."),
      }),
    )
    .max(16)
    .optional()
    .describe("Load by metric."),
  decision: decisionSchema.optional().describe("The steps of the last decision, each with its number."),
  conditions: conditionsSchema
    .optional()
    .describe("Ready, Scaled, AbleToScale, ScalingActive, ScalingLimited, ForecastReady."),
});

export type Status = z.output<typeof statusSchema>;

const printerColumns: PrinterColumn[] = [
  { name: "Target", type: "string", jsonPath: ".status.target" },
  { name: "Load", type: "string", jsonPath: ".status.metrics[0].current" },
  { name: "Forecast", type: "string", jsonPath: ".status.forecast.load" },
  { name: "Min", type: "integer", jsonPath: ".spec.min_replicas" },
  { name: "Max", type: "integer", jsonPath: ".spec.max_replicas" },
  { name: "Replicas", type: "integer", jsonPath: ".status.predicted_replicas" },
  { name: "Model", type: "string", jsonPath: ".status.forecast.model" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
  { name: "Horizon", type: "integer", jsonPath: ".status.forecast.horizon_seconds", priority: 1 },
];

/** The MLScaler resource: from here come its CRD and its admission rules. */
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
  nested: [{ at: "target_ref", rules: targetRules }],
  immutable: [
    { field: "target_deployment", remedy: "delete the MLScaler and create it anew" },
    { field: "target_ref", remedy: "delete the MLScaler and create it anew" },
  ],
  printerColumns,
};
