import { knowsSeasons, takesLeaders } from "../forecast/models/models";
import { ForecastBlock, forecastSchema } from "../forecast/schema";
import { rememberedLoads } from "../memory/memory";
import { hasTotal } from "../metrics/total";
import { limitsOf, rulesOf } from "../scaling/rule/behavior";
import { noPast } from "../scaling/past";
import { Spec } from "../schema";
import { canGuard, kindId, targetOf } from "../target/target";

const fewSamples = 100;

/** A warning for each setting without effect, or that keeps a target at 0. Pure. */
export const withoutEffect = (spec: Spec): string[] => [
  ...ofForecast(spec),
  ...ofLeading(spec),
  ...ofHistory(spec),
  ...ofTolerance(spec),
  ...ofWindows(spec),
  ...ofPoliciesAtZero(spec),
  ...ofMetricFailure(spec),
  ...ofGuard(spec),
  ...ofAssist(spec),
  ...ofCapacityBuffer(spec),
];

const defaults = forecastSchema.parse({});

/** The fields of a forecast block that differ from the defaults, which the API server fills in: "NAME: VALUE". */
const given = (forecast: ForecastBlock, fields: (keyof ForecastBlock)[]): string[] =>
  fields
    .filter(field => JSON.stringify(forecast[field]) !== JSON.stringify(defaults[field]))
    .map(field => `${field}: ${JSON.stringify(forecast[field])}`);

const noEffect = (forecast: ForecastBlock, fields: (keyof ForecastBlock)[], why: string, remedy: string): string[] =>
  given(forecast, fields).map(field => `spec.forecast.${field} has no effect ${why}; leave it out, or ${remedy}`);

function ofForecast({ forecast, metrics }: Spec): string[] {
  if (!forecast) return [];
  const { model, seasonality, max_extra_percent: extra } = forecast;
  const limits = ["quantile_percent", "max_extra_percent", "act_after_seconds"] as const;
  const all = ["horizon_seconds", ...limits, "seasonality", "timezone"] as const;
  if (model === "off") return noEffect(forecast, [...all], 'beside spec.forecast.model "off"', "name a model");
  if (metrics.length > 0 && !metrics.some(hasTotal))
    return noEffect(
      forecast,
      [...all],
      "where all targets in spec.metrics are of type Value, which has no total to forecast",
      "use AverageValue",
    );
  const seasons =
    model === "holt_winters" && seasonality && !seasonality.includes("Daily")
      ? [
          `spec.forecast.seasonality: ${JSON.stringify(seasonality)} leaves holt_winters no season, ` +
            "it forecasts as holt does; add Daily, or name model holt",
        ]
      : [];
  const unseasonal =
    !knowsSeasons(model) &&
    noEffect(
      forecast,
      ["seasonality", "timezone"],
      `beside spec.forecast.model ${model}, which knows no seasons`,
      "use auto",
    );
  const raises =
    extra === 0
      ? [
          "spec.forecast.max_extra_percent: 0 lets the forecast raise nothing; " +
            "use 1 to 1000, or mode Observe to look at it only",
        ]
      : [];
  return [...seasons, ...(unseasonal || []), ...raises];
}

/** Leading loads enter the regression of a forecast load. */
function ofLeading({ forecast, metrics }: Spec): string[] {
  const { leading = [], model = "auto" } = forecast ?? {};
  if (leading.length === 0) return [];
  if (!takesLeaders(model))
    return [
      `spec.forecast.leading: its loads have no effect beside spec.forecast.model ${model}, which has no regression on ` +
        "lags; leave them out, or use auto or lags",
    ];
  if (metrics.length > 0 && !metrics.some(hasTotal))
    return ["spec.forecast.leading: its loads have no effect where nothing is forecast; leave them out"];
  return [];
}

function ofHistory({ history_size: size = 0, forecast }: Spec): string[] {
  if (!forecast || size <= fewSamples) return [];
  return [
    `spec.history_size: ${size} has no effect beside spec.forecast, whose models learn from four weeks of ` +
      "five minutes; 2 is enough",
  ];
}

function ofTolerance({ metric, behavior }: Spec): string[] {
  if (metric === undefined) return [];
  return (["scaleUp", "scaleDown"] as const).flatMap(direction => {
    const tolerance = behavior?.[direction]?.tolerance;
    if (tolerance === undefined) return [];
    return [
      `spec.behavior.${direction}.tolerance: ${tolerance} has no effect beside spec.metric, which knows none; ` +
        "leave it out, or use spec.metrics",
    ];
  });
}

/** A window of at most one sync period contains no earlier sync. */
function ofWindows({ behavior, sync_period_seconds: period }: Spec): string[] {
  const { up, down } = rulesOf(behavior ?? {});
  const windows = { scaleUp: up.windowMilliseconds / 1000, scaleDown: down.windowMilliseconds / 1000 };
  return (["scaleUp", "scaleDown"] as const).flatMap(direction => {
    const window = windows[direction];
    if (window === 0 || window > period) return [];
    const isDefault = behavior?.[direction]?.stabilizationWindowSeconds === undefined;
    return [
      `spec.behavior.${direction}.stabilizationWindowSeconds: ` +
        `${window}${isDefault ? " (the default)" : ""} has no effect with spec.sync_period_seconds ` +
        `${period}, it looks back on no sync; use more than ${period}, or a shorter period`,
    ];
  });
}

/** A percentage of 0 replicas is 0, so policies may let a target never leave 0, as those of an HPA. */
function ofPoliciesAtZero({ behavior, min_replicas: min, scale_to_zero: toZero, schedules = [] }: Spec): string[] {
  const { selectPolicy = "Max" } = behavior?.scaleUp ?? {};
  const state = { current: 0, behavior, ...noPast, lastSync: 0, now: 0 };
  const isWoken = min > 0 || toZero || schedules.some(({ min_replicas: least = 0 }) => least > 0);
  if (isWoken || selectPolicy === "Disabled" || limitsOf(state).most > 0) return [];
  const policies = behavior?.scaleUp?.policies ? "its policies" : "the default policies";
  return [
    `spec.behavior.scaleUp.selectPolicy: ${selectPolicy} of ${policies} keeps a target of 0 replicas there, because ` +
      "a percentage of 0 is 0; use Max and a policy of type Pods, or spec.scale_to_zero, or spec.min_replicas 1",
  ];
}

function ofMetricFailure(spec: Spec): string[] {
  const { on_metric_failure: failure, forecast, metrics } = spec;
  if (failure?.behavior !== "Forecast" || spec.mode === "Assist") return [];
  const isForecast = forecast && forecast.model !== "off" && metrics.some(hasTotal);
  if (isForecast) return [];
  return [
    "spec.on_metric_failure.behavior: Forecast does no more than Hold where no load is forecast; " +
      "use Hold or Floor, or have spec.forecast forecast one",
  ];
}

/** The HPA decides what happens without metrics, at 0 replicas, and above its minimum. */
function ofAssist({ mode, take_over, written, schedules = [] }: Spec): string[] {
  if (mode !== "Assist")
    return take_over !== undefined && mode === "Observe"
      ? [`spec.take_over: ${take_over} has no effect beside spec.mode Observe; leave it out, or use mode Active`]
      : [];
  const lowering = schedules.filter(({ max_replicas: max }) => max !== undefined).map(({ name }) => name);
  const fields = (["scale_to_zero", "on_metric_failure", "on_delete", "take_over"] as const).filter(
    field => written?.[field] !== undefined,
  );
  return [
    ...fields.map(
      field =>
        `spec.${field} has no effect beside spec.mode Assist, which leaves that to the HPA; leave it out, or use mode ` +
        "Active",
    ),
    ...lowering.map(
      name =>
        `spec.schedules: max_replicas of ${name} lowers nothing beside spec.mode Assist, it only limits what the ` +
        "minimum of the HPA is raised to; set the maximum of the HPA",
    ),
  ];
}

/** Nodes are asked for by a forecast that looks further than one sync, and never raises what it does not trust. */
function ofCapacityBuffer(spec: Spec): string[] {
  if (!spec.capacity_buffer) return [];
  const noEffect = (why: string, remedy: string): string[] => [
    `spec.capacity_buffer has no effect ${why}; leave it out, or ${remedy}`,
  ];
  if (spec.line)
    return noEffect("in a short form without spec.forecast, whose line looks one sync ahead", "add spec.forecast");
  if (spec.forecast?.model === "off") return noEffect('beside spec.forecast.model "off"', "name a model");
  if (spec.forecast?.max_extra_percent === 0)
    return noEffect("beside spec.forecast.max_extra_percent 0", "use 1 to 1000 there");
  if (spec.metrics.length > 0 && rememberedLoads(spec).length === 0)
    return noEffect("where nothing is forecast", "use a target of type AverageValue in spec.metrics");
  return [];
}

function ofGuard(spec: Spec): string[] {
  if (!spec.guard_replicas || canGuard(spec)) return [];
  return [
    `spec.guard_replicas: true has no effect on a target of kind ${kindId(targetOf(spec))}; leave it out, it keeps ` +
      "the replicas of Deployments, StatefulSets and ReplicaSets of apps",
  ];
}
