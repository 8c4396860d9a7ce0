import { Fields } from "../objects";
import { Draw } from "./draw";
import type { Episode } from "./episodes";
import { App, firstThemed, Scenario, Wave } from "./scenario";

/** What befalls a cluster: see the functions of these names. */
const themes = ["crowd", "hangs", "slow", "flapping", "handover", "pairs", "behind", "guesses"] as const;

/** The time of the first fault, in seconds: a process holds the Lease for a minute by then. */
const beginSeconds = 110;

/**
 * A cluster with one cause of trouble and nothing else, so that whatever is late, lost or told wrongly has no other
 * cause. The themes take turns, seed by seed.
 */
export function themedScenario(seed: number): Scenario {
  const draw = new Draw(`seed ${seed}`);
  const scenario: Scenario = {
    ...{ seed, namespaces: ["red", "blue"], apps: [], scalers: [], values: [], histories: [], episodes: [] },
    ...{ watchers: 1, shards: 1, faultSeconds: 0, quietSeconds: 60 },
  };
  const theme = { crowd, hangs, slow, flapping, handover, pairs, behind, guesses }[
    themes[(seed - firstThemed) % themes.length] ?? "crowd"
  ];
  const episodes = theme(scenario, draw);
  scenario.faultSeconds = Math.max(beginSeconds, ...episodes.map(({ to }) => to));
  scenario.episodes = episodes.sort((one, other) => one.from - other.from);
  return scenario;
}

/** A load that falls and rises within minutes. */
const swinging = (mean: number, draw: Draw): Wave => ({
  ...{ mean, swing: draw.pick([0.4, 0.8]), periodSeconds: draw.pick([180, 300, 600]) },
  ...{ phase: draw.fraction(), noise: 0.02 },
});

function addApp(scenario: Scenario, namespace: string, name: string, replicas = 3): App {
  const app: App = { namespace, name, kind: "Deployment", replicas, startUpSeconds: 5, skew: 1, loads: {} };
  scenario.apps.push(app);
  return app;
}

const common = (target: string, periodSeconds: number): Fields => ({
  ...{ target_deployment: target, min_replicas: 1, max_replicas: 16, sync_period_seconds: periodSeconds },
  ...{ on_delete: "Keep", behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
});

/** An MLScaler by the lengths of queues. */
function addQueues(
  scenario: Scenario,
  app: App,
  { count = 1, period = 5, wave }: { count?: number; period?: number; wave: Wave },
): void {
  const { namespace, name } = app;
  const metrics = Array.from({ length: count }, (_, index): Fields => {
    const queue = `queue-${name}-${index}`;
    scenario.values.push({ api: "external", namespace, name: queue, wave });
    const target = { type: "AverageValue", averageValue: "30" };
    return { type: "External", external: { metric: { name: queue }, target } };
  });
  const spec = { ...common(name, period), metrics, forecast: { model: "off" } };
  scenario.scalers.push({ namespace, name, spec });
}

/** An MLScaler by cpu, of the short form or the long one. */
function addCpu(scenario: Scenario, app: App, wave: Wave, fields: Fields = {}): void {
  const { namespace, name } = app;
  app.loads.cpu = wave;
  scenario.scalers.push({ namespace, name, spec: { ...common(name, 5), ...fields } });
}

const short: Fields = { metric: "cpu", replicas_per_unit: 4, history_size: 200 };
const byValue: Fields = {
  metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "250m" } } }],
  forecast: { model: "off" },
};

/**
 * The sources of two namespaces hang, and one of them has more MLScalers that are changed at that moment than there are
 * places for syncs. Those of the third namespace go on.
 */
function crowd(scenario: Scenario, draw: Draw): Episode[] {
  scenario.namespaces = ["red", "green", "blue"];
  const wave = { mean: 60, swing: 0, periodSeconds: 600, phase: 0, noise: 0 };
  const changed = Array.from({ length: 70 }, (_, index): Episode => {
    const app = addApp(scenario, "red", `red-${index}`, 1);
    addQueues(scenario, app, { period: 60, wave });
    return { kind: "spec changed", from: beginSeconds + 1, to: beginSeconds + 2, app: app.name, amount: 0.3 };
  });
  for (let index = 0; index < 3; index++) addQueues(scenario, addApp(scenario, "green", `green-${index}`, 1), { wave });
  for (let index = 0; index < 5; index++)
    addQueues(scenario, addApp(scenario, "blue", `blue-${index}`), { wave: swinging(150, draw.of(index)) });
  const [from, to] = [beginSeconds, beginSeconds + 40];
  const hanging = ["red", "green"].map((namespace): Episode => {
    return { kind: "metrics silent", from, to, namespace, api: "external", amount: 1 };
  });
  return [...changed, ...hanging];
}

/** A source of one namespace answers nothing. */
function hangs(scenario: Scenario, draw: Draw): Episode[] {
  for (const [index, namespace] of ["red", "red", "blue", "blue"].entries()) {
    const one = draw.of(index);
    const app = addApp(scenario, namespace, `${namespace}-${index}`);
    addQueues(scenario, app, { period: one.pick([5, 10]), wave: swinging(150, one) });
  }
  return [
    {
      ...{ kind: "metrics silent", from: beginSeconds, to: beginSeconds + 120 },
      ...{ namespace: "red", api: "external", amount: 1 },
    },
  ];
}

/** A source answers within its time-out, and one namespace asks it more than it has places for at a time. */
function slow(scenario: Scenario, draw: Draw): Episode[] {
  const changed = Array.from({ length: 20 }, (_, index): Episode => {
    const app = addApp(scenario, "red", `red-${index}`);
    addQueues(scenario, app, { count: 2, period: 60, wave: swinging(150, draw.of(index)) });
    // So that all are synced at the same time.
    return { kind: "spec changed", from: beginSeconds + 5, to: beginSeconds + 6, app: app.name, amount: 0.3 };
  });
  addQueues(scenario, addApp(scenario, "blue", "blue-0"), { wave: swinging(150, draw.of("blue")) });
  const to = beginSeconds + 100;
  const late = { kind: "api slow", scope: "external metrics", namespace: "red", amount: 4, every: true } as const;
  return [...changed, { ...late, from: beginSeconds, to }];
}

/** Loads that are others with each sample or slot, and sources that fail for minutes. */
function flapping(scenario: Scenario, draw: Draw): Episode[] {
  const wave = { mean: 240, swing: 0, periodSeconds: 600, phase: draw.fraction(), noise: 0.9 };
  addQueues(scenario, addApp(scenario, "blue", "blue-0", 8), { wave });
  addQueues(scenario, addApp(scenario, "red", "red-0"), { wave: swinging(150, draw.of("red")) });
  addCpu(scenario, addApp(scenario, "red", "red-1"), swinging(1.5, draw.of("cpu")), short);
  const failing = (api: "external" | "resource", from: number, to: number): Episode => ({
    ...{ kind: draw.pick(["metrics 500", "metrics 403", "metrics HTML"]), from, to },
    ...{ namespace: "red", api, amount: 1 },
  });
  // What comes in ten minutes is what is now, so no forecast is better than the last value.
  const alternates = { mean: 240, swing: 0.5, periodSeconds: 600, phase: 0.25, noise: 0.01 };
  addQueues(scenario, addApp(scenario, "blue", "blue-2"), { wave: alternates });
  const [alternating] = scenario.scalers.slice(-1);
  if (alternating) alternating.spec.forecast = { model: "holt", horizon_seconds: 600, max_extra_percent: 100 };
  scenario.histories.push({ name: "blue-2", wave: alternates, days: 8 });
  // A target that refuses more than 20 replicas.
  const refusing = addApp(scenario, "blue", "blue-1");
  refusing.kind = "Hello";
  addQueues(scenario, refusing, { wave: { ...wave, mean: 690, noise: 0 } });
  const [added] = scenario.scalers.slice(-1);
  if (added) {
    delete added.spec.target_deployment;
    const target_ref = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: refusing.name };
    Object.assign(added.spec, { target_ref, max_replicas: 24 });
  }
  return [
    failing("external", beginSeconds, 360),
    failing("resource", 400, 620),
    { kind: "HPA", from: beginSeconds - 10, to: 200, app: "red-0" },
    { kind: "spec changed", from: 150, to: 151, app: "red-0", amount: 0.3 },
  ];
}

/** The namespaces of four shards: 0, 1, 2 and 3. */
const sharded = ["blue", "grey", "red", "black"];

/** A second watcher joins after the first one has all shards, while there is an HPA on each target. */
function joins(scenario: Scenario): Episode {
  Object.assign(scenario, { namespaces: sharded, watchers: 2, shards: 4, quietSeconds: 120 });
  return { kind: "terminated", from: 40, to: 41, process: 1, amount: beginSeconds - 40 };
}

/** A watcher joins, and gets shards, also twice in short succession; some of their targets have an HPA. */
function handover(scenario: Scenario, draw: Draw): Episode[] {
  const joined = joins(scenario);
  const episodes: Episode[] = [joined];
  for (const namespace of sharded) {
    const one = draw.of(namespace);
    addCpu(scenario, addApp(scenario, namespace, `${namespace}-0`, 2), swinging(2, one), short);
    addCpu(scenario, addApp(scenario, namespace, `${namespace}-1`, 2), swinging(2, one.of(1)), byValue);
    const name = `${namespace}-2`;
    addCpu(scenario, addApp(scenario, namespace, name, 2), swinging(2, one.of(2)), byValue);
    episodes.push({ kind: "HPA", from: 30, to: beginSeconds + 120, app: name });
  }
  return episodes;
}

/**
 * A watcher joins while each page of MLScalers is slow. Each target has two MLScalers, and some of the younger ones
 * change meanwhile.
 */
function pairs(scenario: Scenario, draw: Draw): Episode[] {
  const joined = joins(scenario);
  const changes: Episode[] = [];
  for (const namespace of sharded) {
    for (let index = 0; index < 2; index++) {
      const app = addApp(scenario, namespace, `${namespace}-${index}`, 4);
      addCpu(scenario, app, swinging(1, draw.of(app.name)), byValue);
      const first = scenario.scalers.pop();
      // The older one is listed before the other or after it.
      const other = draw.chance(0.5) ? `a-${app.name}` : `z-${app.name}`;
      const [older, younger] = index === 0 ? [app.name, other] : [other, app.name];
      scenario.scalers.push({ namespace, name: older, spec: { ...first?.spec } });
      const spec: Fields = { ...first?.spec, min_replicas: 20, max_replicas: 24 };
      scenario.scalers.push({ namespace, name: younger, spec });
    }
    // The watcher that joins has a page of its list by then.
    const at = beginSeconds + 5.5;
    changes.push({ kind: "spec changed", from: at, to: at + 1, app: `${namespace}-1`, amount: 0.3 });
    // With five MLScalers in each namespace, a page of four ends between the two of a target.
    const alone = addApp(scenario, namespace, `${namespace}-2`, 4);
    addCpu(scenario, alone, swinging(1, draw.of(alone.name)), byValue);
  }
  const [from, to] = [beginSeconds - 10, beginSeconds + 60];
  const late: Episode = {
    ...{ kind: "api slow", from, to, scope: "MLScalers listed" },
    ...{ amount: draw.pick([1, 3]), every: true },
  };
  // A change of one that is already there takes nothing over.
  const changed: Episode = { kind: "spec changed", from: to + 30, to: to + 31, app: "red-0", amount: 0.3 };
  return [joined, late, ...changes, changed];
}

/** A process starts with a clock that was put back, or its clock is put ahead, while a window holds the count. */
function behind(scenario: Scenario, draw: Draw): Episode[] {
  for (let index = 0; index < 3; index++) {
    const one = draw.of(index);
    const wave = { ...swinging(240, one), swing: 0.8, periodSeconds: 300, phase: one.between(0.9, 1) };
    const app = addApp(scenario, "red", `red-${index}`);
    addQueues(scenario, app, { wave });
    const [added] = scenario.scalers.slice(-1);
    const scaleDown = { stabilizationWindowSeconds: one.pick([120, 300]) };
    if (added) added.spec.behavior = { scaleDown };
  }
  const guessed = addApp(scenario, "blue", "blue-0", 8);
  addCpu(scenario, guessed, swinging(2, draw.of("cpu")), short);
  const partial: Episode = {
    ...{ kind: "metrics partial", from: beginSeconds, to: beginSeconds + 300 },
    ...{ namespace: "blue", api: "resource", amount: 0.4 },
  };
  const from = beginSeconds + draw.between(60, 140);
  const amount = draw.pick([-3600e3, -600e3, -120e3, 600e3]);
  const wrong: Episode = { kind: "clock", from: from + 1, to: from + 150, process: 0, amount };
  const killed: Episode = { kind: "killed", from, to: from + 1, process: 0, amount: 3 };
  return [partial, wrong, ...(amount > 0 ? [] : [killed])];
}

/** Some pods have no fresh sample for many minutes, or are not Ready any more, while the load falls. */
function guesses(scenario: Scenario, draw: Draw): Episode[] {
  const falls = (mean: number, one: Draw): Wave => ({
    ...{ mean, swing: 0, periodSeconds: 600, phase: one.fraction(), noise: 0.02 },
    jump: { at: one.between(480, 620), factor: one.pick([0.2, 0.5]) },
  });
  const utilization = { type: "Utilization", averageUtilization: 50 };
  const long = { metrics: [{ type: "Resource", resource: { name: "cpu", target: utilization } }] };
  const add = (name: string, fields: Fields): App => {
    const app = addApp(scenario, "red", name, 8);
    app.skew = 4;
    addCpu(scenario, app, falls(2, draw.of(name)), fields);
    return app;
  };
  add("red-0", short);
  add("red-1", byValue);
  add("red-2", { ...long, forecast: { model: "off" } });
  add("red-3", short);
  const name = "red-4";
  const forecast = { model: "holt_winters", horizon_seconds: 600, max_extra_percent: 100 };
  const rises = { mean: 2, swing: 0.5, periodSeconds: 5400, phase: 0.7, noise: 0.01 };
  addCpu(scenario, addApp(scenario, "red", name, 8), rises, { ...byValue, forecast });
  scenario.histories.push({ name, wave: rises, days: 8, isExact: false });
  const kind = draw.pick(["metrics partial", "metrics busy missing", "metrics stale in part"]);
  return [
    { kind, from: beginSeconds + 40, to: 680, api: "resource", amount: 0.5 },
    { kind: "pods crash", from: 520, to: 660, app: "red-3" },
    { kind: "pods crash", from: 200, to: 300, app: "red-0" },
  ];
}
