import { apiVersionOf, kindOf } from "../kinds";
import { Fields } from "../objects";
import { addAssisted, assistEpisodes } from "./assisted";
import { Draw } from "./draw";
import { episodesOf, lateChanges, otherFinalizer, rareEpisodes } from "./episodes";
import {
  App,
  firstAssisted,
  firstRare,
  firstSharded,
  firstSmall,
  firstStored,
  firstThemed,
  firstZero,
  Scenario,
  Wave,
} from "./scenario";
import { storedScenario } from "./stored";
import { themedScenario } from "./themes";

const kinds = ["Deployment", "Deployment", "Deployment", "StatefulSet", "Checkout", "Hello", "Echo"] as const;

/** Seconds of virtual time before the first fault. */
const warmUpSeconds = 60;
/** The same in a small cluster, in which users change objects meanwhile. */
const calmSeconds = 170;

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const isAssisted = seed >= firstAssisted;
  if (seed >= firstThemed && !isAssisted) return themedScenario(seed);
  if (seed >= firstStored && !isAssisted) return storedScenario(seed);
  const draw = new Draw(`seed ${seed}`);
  const isSmall = seed >= firstSmall;
  const sharding = seed >= firstSharded && !(isAssisted && seed % 2 === 0) ? draw.of("shards") : undefined;
  const count = draw.whole(2, isSmall ? 2 : 4);
  const namespaces = ["red", "blue", "green", "black"].slice(0, sharding ? 4 : count);
  const faultSeconds = isAssisted ? draw.whole(320, 420) : isSmall ? draw.whole(360, 560) : draw.whole(420, 900);
  const scenario: Scenario = {
    ...{ seed, namespaces, apps: [], scalers: [], values: [], histories: [], episodes: [], faultSeconds },
    ...{ watchers: draw.chance(0.5) ? 2 : 1, shards: 1, quietSeconds: 400 },
    ...(sharding && { watchers: sharding.whole(2, 3), shards: sharding.whole(2, 4) }),
  };
  const objects = isAssisted ? 1 : isSmall ? draw.whole(4, 6) : draw.whole(10, 22);
  for (let index = 0; index < objects; index++) addApp(scenario, index, draw.of(`app ${index}`));
  const idle = seed >= firstZero && !isAssisted ? draw.whole(2, 4) : 0;
  for (let index = 0; index < idle; index++) addIdle(scenario, 100 + index, draw.of(`idle ${index}`));
  const assisted = isAssisted ? 2 : 0;
  for (let index = 0; index < assisted; index++) addAssisted(scenario, 200 + index, draw.of(`assisted ${index}`));
  const forecasts = draw.chance(0.4) && !isAssisted ? draw.whole(1, 2) : 0;
  for (let index = 0; index < forecasts; index++) addForecast(scenario, objects + index, draw.of(`forecast ${index}`));
  scenario.episodes = episodesOf({ ...scenario, isSmall }, isSmall ? calmSeconds : warmUpSeconds, draw.of("faults"));
  // Those that people delete for good leave nothing to assist.
  if (isAssisted)
    for (const episode of scenario.episodes)
      if (episode.kind === "MLScaler deleted") episode.kind = "MLScaler re-created";
  if (seed >= firstRare) {
    // The name of the draws keeps the known seeds as they were.
    const more = [...rareEpisodes(scenario, draw.of("admission")), ...lateChanges(scenario, draw.of("late"))];
    if (isAssisted) more.push(...assistEpisodes(scenario, calmSeconds, draw.of("assist")));
    scenario.episodes = [...scenario.episodes, ...more].sort((one, other) => one.from - other.from);
    scenario.quietSeconds = isAssisted ? 400 : 550;
  }
  return scenario;
}

function waveOf(mean: number, draw: Draw, faultSeconds: number): Wave {
  return {
    mean,
    swing: draw.pick([0, 0.2, 0.5, 0.9]),
    periodSeconds: draw.pick([120, 300, 600, 3600, 86_400]),
    phase: draw.fraction(),
    noise: draw.pick([0, 0.02, 0.1]),
    ...(draw.chance(0.3) && { jump: { at: draw.between(60, faultSeconds), factor: draw.pick([0.2, 0.5, 2, 5]) } }),
  };
}

function addApp(scenario: Scenario, index: number, draw: Draw): void {
  const { faultSeconds } = scenario;
  const namespace = draw.pick(scenario.namespaces);
  const kind = draw.pick(kinds);
  const name = `${namespace}-${index}`;
  const app: App = {
    ...{ namespace, name, kind, replicas: draw.whole(1, 8) },
    startUpSeconds: draw.pick([5, 20, 20, 60]),
    skew: draw.pick([1, 1, 4, 20]),
    loads: {},
  };
  scenario.apps.push(app);
  const max = draw.pick([8, 12, 16, 20]);
  const wanted = draw.between(2, 0.8 * max);
  const target =
    kind === "Deployment" && draw.chance(0.7)
      ? { target_deployment: name }
      : { target_ref: { apiVersion: apiVersionOf(kindOf(kind)), kind, name } };
  const common: Fields = {
    ...target,
    ...{ min_replicas: draw.whole(1, 2), max_replicas: max },
    sync_period_seconds: draw.pick([5, 5, 5, 10, 10, 15, 15, 20, 30, 60]),
    ...(draw.chance(0.7) && { behavior: behaviorOf(draw.of("behavior")) }),
    ...(draw.chance(0.2) && { on_metric_failure: onFailure(draw.of("failure"), max) }),
    ...(draw.chance(0.08) && { mode: "Observe" }),
    ...(draw.chance(0.08) && { pause: draw.pick(["All", "Down", "Up"]) }),
    ...(draw.chance(0.1) && { schedules: [scheduleOf(draw.of("schedule"), max)] }),
    ...(draw.chance(0.1) && { rollout_freeze: false }),
    on_delete: draw.pick(["Keep", "Keep", "Min"]),
    ...(scenario.seed >= firstSmall && smallFields(draw.of("small"))),
    ...(scenario.seed >= firstRare && rareFields(draw.of("rare"), max)),
  };
  const spec = draw.chance(0.4) ? shortSpec(app, wanted, draw, faultSeconds) : longSpec(scenario, app, wanted, draw);
  const isOthers = scenario.seed >= firstSmall && draw.of("finalizer").chance(0.3);
  const finalizers = isOthers ? { finalizers: [otherFinalizer] } : {};
  scenario.scalers.push({ namespace, name, spec: { ...common, ...spec }, ...finalizers });
}

/** Fields that decide about a deletion, more often than in large clusters. */
const smallFields = (draw: Draw): Fields => ({
  on_delete: draw.pick(["Keep", "Min", "Min"]),
  ...(draw.chance(0.15) && { pause: draw.pick(["All", "Down", "Up"]) }),
});

/** Fields that other clusters have never or rarely: several policies, no scaling down, other tolerances, windows. */
function rareFields(draw: Draw, max: number): Fields {
  const limits = {
    policies: [
      { type: "Pods", value: draw.pick([1, 2]), periodSeconds: draw.pick([15, 60]) },
      { type: "Percent", value: draw.pick([10, 50, 100]), periodSeconds: draw.pick([15, 60]) },
    ],
    selectPolicy: draw.pick(["Max", "Min", "Disabled"]),
  };
  const tolerances = draw.pick([
    ["0.3", "0.01"],
    ["0.01", "0.3"],
  ]);
  const [up, down] = tolerances.map(tolerance => (draw.chance(0.4) ? { tolerance } : {}));
  const rules = { stabilizationWindowSeconds: draw.pick([0, 0, 15]) };
  const behavior = {
    scaleUp: { ...rules, ...up, ...(draw.chance(0.2) && limits) },
    scaleDown: { ...rules, ...down, ...(draw.chance(0.5) && limits) },
  };
  return {
    ...(draw.chance(0.5) && { behavior }),
    ...(draw.chance(0.25) && { schedules: [scheduleOf(draw.of("schedule"), max)] }),
  };
}

/** An MLScaler whose target goes to 0 by what it works off, with pauses in which there is nothing. */
function addIdle(scenario: Scenario, index: number, draw: Draw): void {
  const { faultSeconds } = scenario;
  const namespace = draw.pick(scenario.namespaces);
  const name = `${namespace}-${index}`;
  const max = draw.pick([8, 12]);
  const app: App = {
    ...{ namespace, name, kind: "Deployment", replicas: draw.whole(0, 6) },
    ...{ startUpSeconds: draw.pick([5, 20, 40]), skew: 1, loads: {} },
  };
  scenario.apps.push(app);
  const mean = 30 * draw.between(1, 0.5 * max);
  const sources = Array.from({ length: draw.pick([1, 1, 2]) }, (_, place) => {
    const one = draw.of(`source ${place}`);
    const wave: Wave = {
      ...{ mean, swing: one.pick([1.5, 3]), periodSeconds: one.pick([240, 600]) },
      ...{ phase: one.fraction(), noise: one.pick([0, 0.1]) },
    };
    const api = one.pick(["external", "prometheus"] as const);
    const value = api === "external" ? `queue-${name}-${place}` : `sum(rate(${name.replace("-", "_")}_${place}[1m]))`;
    scenario.values.push({ api, namespace, name: value, wave });
    const field = (limit: Fields): Fields =>
      api === "external"
        ? { type: "External", external: { metric: { name: value }, ...limit } }
        : { type: "Prometheus", prometheus: { query: value, ...limit } };
    return {
      metric: field({ target: { type: "AverageValue", averageValue: "30" } }),
      activation: field({ threshold: one.pick(["0", milli(mean / 2)]) }),
    };
  });
  app.loads.cpu = waveOf(0.25 * draw.between(1, 0.5 * max), draw.of("load"), faultSeconds);
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  // Without activations, the metrics that are known without pods decide.
  const named = draw.chance(0.6);
  const byHpa = !named && draw.chance(0.3);
  const block = {
    ...{ cooldown_seconds: draw.pick([0, 15, 60]), replicas: draw.pick([1, 1, 3]) },
    ...(named && { activation: sources.map(({ activation }) => activation) }),
  };
  const spec: Fields = {
    ...{ target_deployment: name, min_replicas: 0, max_replicas: max, forecast: { model: "off" } },
    sync_period_seconds: draw.pick([5, 10, 15, 30]),
    metrics: named ? [draw.chance(0.5) ? cpu : sources[0]?.metric] : sources.map(({ metric }) => metric),
    ...(!byHpa && { scale_to_zero: block }),
    ...(draw.chance(0.7) && { behavior: behaviorOf(draw.of("behavior")) }),
    ...(draw.chance(0.2) && { on_metric_failure: onFailure(draw.of("failure"), max) }),
    ...(draw.chance(0.1) && { pause: draw.pick(["All", "Down", "Up"]) }),
    on_delete: draw.pick(["Keep", "Keep", "Min"]),
  };
  scenario.scalers.push({ namespace, name, spec });
}

/** An MLScaler whose forecast is trusted by its history. Its load rises during the run. */
function addForecast(scenario: Scenario, index: number, draw: Draw): void {
  const namespace = draw.pick(scenario.namespaces);
  const name = `${namespace}-${index}`;
  const wanted = draw.between(5, 8);
  const wave: Wave = {
    ...{ mean: 0, swing: draw.pick([0.4, 0.6]), periodSeconds: draw.pick([5400, 7200]) },
    ...{ phase: draw.between(0.6, 0.75), noise: draw.pick([0, 0.01]) },
  };
  const app: App = {
    ...{ namespace, name, kind: "Deployment", replicas: draw.whole(3, 6), skew: 1 },
    ...{ startUpSeconds: draw.pick([5, 20]), loads: {} },
  };
  const source = draw.pick(["short", "cpu", "Prometheus"]);
  const spec: Fields = {
    ...{ target_deployment: name, min_replicas: 1, max_replicas: 20, sync_period_seconds: draw.pick([5, 10, 15]) },
    ...{ behavior: { scaleDown: { stabilizationWindowSeconds: draw.pick([0, 0, 15]) } }, on_delete: "Keep" },
    forecast: {
      ...{ model: draw.pick(["holt", "holt_winters"]), horizon_seconds: draw.pick([600, 900]) },
      max_extra_percent: draw.pick([20, 50, 100]),
    },
  };
  if (source === "short") {
    wave.mean = wanted / 4;
    app.loads.cpu = wave;
    Object.assign(spec, { metric: "cpu", replicas_per_unit: 4, history_size: 200 });
  } else if (source === "cpu") {
    wave.mean = wanted * 0.3;
    app.loads.cpu = wave;
    const target = { type: "AverageValue", averageValue: "300m" };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  } else {
    wave.mean = wanted * 40;
    const query = `sum(rate(${name.replace("-", "_")}[1m]))`;
    scenario.values.push({ api: "prometheus", namespace, name: query, wave });
    spec.metrics = [
      { type: "Prometheus", prometheus: { query, target: { type: "AverageValue", averageValue: "40" } } },
    ];
  }
  scenario.apps.push(app);
  scenario.scalers.push({ namespace, name, spec });
  scenario.histories.push({ name, wave, days: 8 });
}

function shortSpec(app: App, wanted: number, draw: Draw, faultSeconds: number): Fields {
  const metric = draw.pick(["cpu", "cpu", "cpu", "memory", "rps"]);
  const perUnit = { cpu: draw.pick([4, 10]), memory: draw.pick([4, 8]), rps: draw.pick([0.05, 0.1]) }[metric] ?? 1;
  const unit = metric === "memory" ? 2 ** 30 : 1;
  app.loads[metric] = waveOf((wanted / perUnit) * unit, draw.of("load"), faultSeconds);
  return {
    metric,
    replicas_per_unit: perUnit < 1 ? `${perUnit * 1000}m` : perUnit,
    history_size: draw.pick([2, 5, 12, 200, 2000]),
    ...(draw.chance(0.15) && { forecast: { model: draw.pick(["off", "linear", "holt"]) } }),
  };
}

function longSpec(scenario: Scenario, app: App, wanted: number, draw: Draw): Fields {
  const count = draw.pick([1, 1, 1, 2, 3]);
  const metrics = Array.from({ length: count }, (_, index) =>
    metricOf(scenario, app, wanted, draw.of(`metric ${index}`)),
  );
  const forecasts = draw.chance(0.25);
  const forecast = forecasts
    ? {
        model: draw.pick(["linear", "holt", "last"]),
        ...(draw.chance(0.5) && { horizon_seconds: draw.pick([60, 600]) }),
      }
    : { model: "off" };
  return { metrics, forecast };
}

const milli = (value: number): string => `${Math.max(1, Math.round(value * 1000))}m`;

function metricOf(scenario: Scenario, app: App, wanted: number, draw: Draw): Fields {
  const { namespace, name } = app;
  const { faultSeconds } = scenario;
  const wave = (perReplica: number): Wave => waveOf(wanted * perReplica, draw.of("load"), faultSeconds);
  const type = draw.pick(
    ["Utilization", "Utilization", "AverageValue", "Container", "memory", "Pods", "Pods"].concat([
      "External",
      "External",
      "Object",
      "Prometheus",
      "Prometheus",
    ]),
  );
  // The pods of the module's own resources request nothing.
  const requests = app.kind !== "Hello" && app.kind !== "Echo";
  switch (!requests && (type === "Utilization" || type === "Container") ? "AverageValue" : type) {
    case "Utilization":
    case "Container": {
      const percent = draw.pick([50, 60, 80, 120]);
      app.loads.cpu ??= wave((0.5 * percent) / 100);
      const target = { type: "Utilization", averageUtilization: percent };
      return type === "Container"
        ? { type: "ContainerResource", containerResource: { name: "cpu", container: "main", target } }
        : { type: "Resource", resource: { name: "cpu", target } };
    }
    case "AverageValue":
      app.loads.cpu ??= wave(0.25);
      return { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "250m" } } };
    case "memory":
      app.loads.memory ??= wave(2 ** 28);
      return {
        type: "Resource",
        resource: { name: "memory", target: { type: "AverageValue", averageValue: "256Mi" } },
      };
    case "Pods":
      app.loads.rps ??= wave(20);
      return { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "20" } } };
    case "External": {
      const metric = `queue-${name}-${draw.whole(0, 1)}`;
      scenario.values.push({ api: "external", namespace, name: metric, wave: wave(30) });
      return {
        type: "External",
        external: { metric: { name: metric }, target: { type: "AverageValue", averageValue: "30" } },
      };
    }
    case "Object": {
      const byValue = draw.chance(0.3);
      const object = `ingresses.networking.k8s.io/${name}/rate`;
      scenario.values.push({
        api: "custom",
        namespace,
        name: object,
        wave: byValue ? waveOf(40, draw.of("load"), faultSeconds) : wave(10),
      });
      const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name };
      const target = byValue ? { type: "Value", value: "40" } : { type: "AverageValue", averageValue: "10" };
      return { type: "Object", object: { describedObject, metric: { name: "rate" }, target } };
    }
    default: {
      const perReplica = draw.pick([0.5, 40]);
      const query = `sum(rate(${name.replace("-", "_")}[1m]))${draw.chance(0.3) ? " or vector(0)" : ""}`;
      scenario.values.push({ api: "prometheus", namespace, name: query, wave: wave(perReplica) });
      return {
        type: "Prometheus",
        prometheus: { query, target: { type: "AverageValue", averageValue: milli(perReplica) } },
      };
    }
  }
}

function behaviorOf(draw: Draw): Fields {
  const policies = [
    { type: draw.pick(["Pods", "Percent"]), value: draw.pick([4, 50, 100]), periodSeconds: draw.pick([15, 60]) },
  ];
  const rules = (windows: number[]): Fields => ({
    stabilizationWindowSeconds: draw.pick(windows),
    ...(draw.chance(0.3) && { policies }),
    ...(draw.chance(0.1) && { selectPolicy: draw.pick(["Max", "Min"]) }),
    ...(draw.chance(0.2) && { tolerance: draw.pick(["0", "0.05", "0.2"]) }),
  });
  return { scaleDown: rules([0, 0, 0, 15, 60, 120]), ...(draw.chance(0.4) && { scaleUp: rules([0, 0, 30]) }) };
}

function onFailure(draw: Draw, max: number): Fields {
  const behavior = draw.pick(["Hold", "Floor", "Forecast"]);
  return {
    ...{ behavior, failure_threshold: draw.whole(1, 4) },
    ...(behavior === "Floor" && { replicas: draw.whole(1, max) }),
  };
}

/** A window within the run, which starts at 8:00 UTC. */
const scheduleOf = (draw: Draw, max: number): Fields => ({
  ...{ name: "rush", cron: `${draw.whole(1, 12)} 8 * * *`, duration_seconds: draw.pick([60, 180, 300]) },
  ...(draw.chance(0.5) ? { min_replicas: draw.whole(2, max) } : { max_replicas: draw.whole(3, max) }),
});
