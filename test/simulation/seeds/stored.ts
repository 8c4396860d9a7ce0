import { Fields } from "../objects";
import { Draw } from "./draw";
import type { Episode } from "./episodes";
import type { App, Scenario, Wave } from "./scenario";

/** What befalls what is stored: it cannot be read, another watcher writes it, its MLScaler is replaced, time passes. */
const themes = ["unread", "leaders", "replaced", "days"] as const;

/** The time of the first fault, in seconds: forecasts are trusted and states are stored by then. */
const beginSeconds = 170;

/**
 * A small cluster in which faults of one theme strike what is stored, in the order in which they show. No source lies
 * in it, so that each stored load is known.
 */
export function storedScenario(seed: number): Scenario {
  const draw = new Draw(`seed ${seed}`);
  const theme = themes[seed % themes.length] ?? "unread";
  const isSlow = theme === "days";
  const scenario: Scenario = {
    ...{ seed, namespaces: ["red", "blue"], apps: [], scalers: [], values: [], histories: [], episodes: [] },
    ...{ watchers: theme === "leaders" ? 2 : 1, shards: 1, orphans: 2 },
    ...{ faultSeconds: isSlow ? 3300 : 600, quietSeconds: isSlow ? 7500 : theme === "replaced" ? 1000 : 400 },
  };
  const periods = isSlow ? [60] : [5, 10];
  const count = isSlow ? 1 : draw.whole(2, 3);
  for (let index = 0; index < count; index++) addShort(scenario, index, periods, draw.of(`short ${index}`));
  for (let index = 0; index < count; index++) addLong(scenario, 10 + index, periods, draw.of(`long ${index}`));
  const apis = ["external", draw.pick(["external", "prometheus"] as const), "cpu"] as const;
  apis.forEach((api, index) => addDays(scenario, 20 + index, api, periods, draw.of(`days ${index}`)));
  if (isSlow) addDays(scenario, 30, "prometheus", periods, draw.of("new"), true);
  const episodes = { unread, leaders, replaced, days }[theme](scenario, draw.of("faults"));
  scenario.faultSeconds = Math.max(scenario.faultSeconds, ...episodes.map(({ to }) => to));
  scenario.episodes = episodes.sort((one, other) => one.from - other.from);
  return scenario;
}

/** A load that falls and rises within minutes. */
const swinging = (mean: number, draw: Draw): Wave => ({
  ...{ mean, swing: draw.pick([0.5, 0.9]), periodSeconds: draw.pick([300, 600, 1200]) },
  ...{ phase: draw.fraction(), noise: draw.pick([0, 0.02]) },
});

/** Windows in which recommendations count, or periods in which scale events do. */
function behaviorOf(draw: Draw): Fields {
  const policies = [{ type: "Percent", value: draw.pick([50, 100]), periodSeconds: draw.pick([60, 300]) }];
  return {
    scaleDown: draw.chance(0.5)
      ? { stabilizationWindowSeconds: draw.pick([60, 120, 300]) }
      : { stabilizationWindowSeconds: 0, policies },
  };
}

/** A Deployment, sometimes with a count out of the bounds of its MLScaler. */
function addApp(scenario: Scenario, index: number, draw: Draw): App {
  const namespace = draw.pick(scenario.namespaces);
  const app: App = {
    ...{ namespace, name: `${namespace}-${index}`, kind: "Deployment", replicas: draw.pick([2, 5, 8, 20]) },
    ...{ startUpSeconds: draw.pick([5, 20]), skew: 1, loads: {} },
  };
  scenario.apps.push(app);
  return app;
}

const common = (app: App, periods: number[], draw: Draw): Fields => ({
  ...{ target_deployment: app.name, min_replicas: draw.pick([1, 1, 3]), max_replicas: 16, on_delete: "Keep" },
  sync_period_seconds: draw.pick(periods),
});

function addShort(scenario: Scenario, index: number, periods: number[], draw: Draw): void {
  const app = addApp(scenario, index, draw);
  app.loads.cpu = swinging(2, draw.of("load"));
  const spec = {
    ...common(app, periods, draw),
    ...{ metric: "cpu", replicas_per_unit: 4, history_size: draw.pick([12, 200]), behavior: behaviorOf(draw) },
  };
  scenario.scalers.push({ namespace: app.namespace, name: app.name, spec });
}

function addLong(scenario: Scenario, index: number, periods: number[], draw: Draw): void {
  const app = addApp(scenario, index, draw);
  const { namespace, name } = app;
  scenario.values.push({ api: "external", namespace, name: `queue-${name}`, wave: swinging(240, draw.of("load")) });
  const external = { metric: { name: `queue-${name}` }, target: { type: "AverageValue", averageValue: "30" } };
  const spec = {
    ...common(app, periods, draw),
    ...{ metrics: [{ type: "External", external }], forecast: { model: "off" }, behavior: behaviorOf(draw) },
  };
  scenario.scalers.push({ namespace, name, spec });
}

/**
 * An MLScaler that forecasts a load of days, which are stored, or which only Prometheus knows. Some loads are noise, of
 * which no forecast may be trusted.
 */
function addDays(
  scenario: Scenario,
  index: number,
  api: "external" | "prometheus" | "cpu",
  periods: number[],
  draw: Draw,
  isNew = false,
): void {
  const app = addApp(scenario, index, draw);
  const { namespace, name } = app;
  const perReplica = api === "cpu" ? 0.3 : 40;
  const isNoise = draw.chance(0.25);
  const wave: Wave = {
    ...{ mean: draw.between(5, 8) * perReplica, swing: isNoise ? 0 : draw.pick([0.4, 0.6]) },
    ...{ periodSeconds: draw.pick([5400, 7200]), phase: draw.between(0.6, 0.75), noise: isNoise ? 0.4 : 0.01 },
  };
  const target = { type: "AverageValue", averageValue: api === "cpu" ? "300m" : "40" };
  const query = `sum(rate(${name.replace("-", "_")}[1m]))`;
  if (api === "cpu") app.loads.cpu = wave;
  else scenario.values.push({ api, namespace, name: api === "external" ? `days-${name}` : query, wave });
  const metric = {
    external: { type: "External", external: { metric: { name: `days-${name}` }, target } },
    prometheus: { type: "Prometheus", prometheus: { query, target } },
    cpu: { type: "Resource", resource: { name: "cpu", target } },
  }[api];
  const spec: Fields = {
    ...{ ...common(app, periods, draw), min_replicas: 1, metrics: [metric] },
    behavior: { scaleDown: { stabilizationWindowSeconds: draw.pick([0, 0, 15]) } },
    forecast: {
      ...{ model: draw.pick(["holt", "holt_winters"]), horizon_seconds: draw.pick([600, 900]) },
      max_extra_percent: draw.pick([20, 50, 100]),
    },
  };
  scenario.scalers.push({ namespace, name, spec });
  if (isNew) (scenario.backfilled ??= []).push({ name, wave, days: 28 });
  else scenario.histories.push({ name, wave, days: 8, isExact: api !== "cpu" });
}

/** A restart while what is stored cannot be read, or cannot be decoded. */
function unread({ scalers }: Scenario, draw: Draw): Episode[] {
  const at = beginSeconds + draw.between(0, 60);
  if (draw.chance(0.25)) {
    const garbled = scalers.slice(0, 4).map(({ name: app }): Episode => {
      return { kind: "state garbled", from: at + 5, to: at + 6, app };
    });
    return [{ kind: "killed", from: at, to: at + 1, process: 0, amount: 20 }, ...garbled];
  }
  const lasts = draw.pick([100, 200, 760]);
  const kind = draw.pick(["api 403", "api 500", "api 503", "api reset"]);
  const scope = draw.pick(["states read", "states read", "days read"] as const);
  const killed = (from: number): Episode => ({ kind: "killed", from, to: from + 1, process: 0, amount: 2 });
  const again = lasts < 700 && draw.chance(0.7) ? [killed(at + 60)] : [];
  return [{ kind, from: at, to: at + lasts, scope, amount: 25 }, killed(at + 1), ...again];
}

/** The Lease changes its holder and back, a write comes late, and the Lease is deleted, held or free. */
function leaders(_scenario: Scenario, draw: Draw): Episode[] {
  const cuts = [0, 1, 0, 1].map((process, index): Episode => {
    const from = beginSeconds + 80 * index + draw.between(0, 10);
    return { kind: "cut off", from, to: from + 40, process };
  });
  // The first watcher holds the Lease then.
  const at = beginSeconds + 400 + draw.between(0, 30);
  const late: Episode[] = [
    { kind: "api slow", from: at - 20, to: at, scope: "states", amount: 25 + draw.whole(0, 10) },
    { kind: "killed", from: at, to: at + 1, process: 0, amount: 60 },
  ];
  if (draw.chance(0.5)) return [...cuts, ...late, { kind: "Lease deleted", from: at + 120, to: at + 121 }];
  // The one that takes it then knows of no term before.
  const restarted: Episode = { kind: "killed", from: at - 60, to: at - 59, process: 1, amount: 2 };
  return [...cuts, restarted, ...late, { kind: "Lease deleted", from: at + 3, to: at + 4 }];
}

/** MLScalers that are deleted, and created again at once or soon, while events are late or a write fails. */
function replaced({ scalers, histories }: Scenario, draw: Draw): Episode[] {
  const all = scalers.map(({ name }) => name);
  const named = histories.map(({ name }) => name);
  const late: Episode[] = draw.chance(0.5)
    ? [
        { kind: "watches late", from: beginSeconds, to: beginSeconds + 110, amount: 40 },
        ...[20, 25].map((after, index): Episode => {
          const from = beginSeconds + after;
          return { kind: "spec changed", from, to: from + 1, app: all[index] ?? "", amount: draw.pick([0.3, 0.6]) };
        }),
      ]
    : [];
  const at = beginSeconds + 160;
  const [first = "", second = "", third = ""] = draw.chance(0.5) ? named : [...named].reverse();
  const failing: Episode[] = draw.chance(0.5)
    ? [
        { kind: "api 500", from: at + 5, to: at + 60, scope: "ConfigMap created", amount: 1 },
        { kind: "killed in a write", from: at + 5, to: at + 60, process: 0, scope: "ConfigMap created", amount: 5 },
      ]
    : [
        { kind: "api 503", from: at + 5, to: at + 60, scope: "days read", amount: 25 },
        { kind: "killed", from: at + 30, to: at + 31, process: 0, amount: 2 },
      ];
  // A process that sees no deletion finds another object under the name.
  const dead: Episode[] = draw.chance(0.5) ? [{ kind: "watches dead", from: at + 115, to: at + 265, amount: 3 }] : [];
  return [
    ...late,
    ...dead,
    { kind: "MLScaler re-created", from: at, to: at + 1, app: first },
    ...failing,
    { kind: "MLScaler replaced", from: at + 120, to: at + 121, app: all[0] ?? "" },
    { kind: "MLScaler replaced", from: at + 130, to: at + 131, app: second },
    { kind: draw.pick(["MLScaler deleted", "MLScaler replaced"]), from: at + 140, to: at + 141, app: third },
  ];
}

/** Hours with an outage of sources, a clock that is wrong for minutes, and days that cannot be read. */
function days(_scenario: Scenario, draw: Draw): Episode[] {
  const silent = 400 + draw.between(0, 100);
  const clock = 1300 + draw.between(0, 100);
  const unreadable = 2600 + draw.between(0, 100);
  const offset = draw.pick([-3600e3, -600e3, 3600e3, 28 * 86400e3]);
  return [
    { kind: "Prometheus down", from: 30, to: 200 },
    { kind: "metrics silent", from: silent, to: silent + draw.pick([400, 700]), api: "external", amount: 1 },
    { kind: "clock", from: clock, to: clock + draw.pick([420, 900]), process: 0, amount: offset },
    { kind: "api 403", from: unreadable, to: unreadable + 300, scope: "days read", amount: 25 },
    { kind: "killed", from: unreadable + 1, to: unreadable + 2, process: 0, amount: 2 },
  ];
}
