import { Fields } from "../objects";
import { addAssisted } from "./assisted";
import { Draw } from "./draw";
import { Episode, greedyMetrics, greedyObjects } from "./episodes";
import { App, firstGreedy, firstThemed, Scenario, Wave } from "./scenario";

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
  const themes = seed >= firstGreedy ? [greedy] : [slow, handover, pairs, raises, nodes];
  const episodes = (themes[(seed - firstThemed) % themes.length] ?? slow)(scenario, draw);
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

/** The period of the syncs in the theme `greedy`, in seconds. */
const greedySeconds = 5;

/** The steps of the syncs of one namespace would use half of the CPU, or up to one and a half of it. */
function greedy(scenario: Scenario, draw: Draw): Episode[] {
  // Beside those of its metrics, a sync has one for its bounds and one for its loads.
  const steps = greedyObjects * (greedyMetrics + 2);
  scenario.stepMilliseconds = (draw.between(0.5, 1.5) * 1000 * greedySeconds) / steps;
  for (let index = 0; index < greedyMetrics; index++) {
    const wave = { mean: 10, swing: 0, periodSeconds: 60, phase: 0, noise: 0 };
    scenario.values.push({ api: "external", namespace: "red", name: `greedy-${index}`, wave });
  }
  for (const name of ["blue-0", "blue-1", "blue-2"]) {
    const app = addApp(scenario, "blue", name);
    addQueues(scenario, app, { count: 8, period: greedySeconds, wave: swinging(150, draw.of(name)) });
  }
  const to = beginSeconds + draw.whole(40, 60);
  const changes = [0.3, 0.1].map((amount, index): Episode => {
    const from = draw.of(index).between(beginSeconds, to - 10);
    return { kind: "spec changed", from, to: from + 1, app: "blue-0", amount };
  });
  return [{ kind: "tenant greedy", from: beginSeconds, to, namespace: "red" }, ...changes];
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

/** The requests of a sync that raises a minimum or puts it back. */
const raiseRequests = 8;
/** The time in which another process leads, and raises the minimum or puts it back, in seconds. */
const settledSeconds = 50;

/** The process is killed after each request of a sync that puts a minimum back, and of one that raises it again. */
function raises(scenario: Scenario, draw: Draw): Episode[] {
  addAssisted(scenario, 0, draw);
  const [scaler] = scenario.scalers;
  if (!scaler) return [];
  Object.assign(scaler.spec, { pause: "None", sync_period_seconds: 5 });
  scenario.quietSeconds = 120;
  return Array.from({ length: raiseRequests }, (_, index): Episode[] => {
    const from = beginSeconds + 2 * settledSeconds * index;
    const killed = (at: number): Episode => ({
      ...{ kind: "killed at a request", from: at, to: at + 20, scope: "a sync", amount: index },
    });
    const to = from + settledSeconds;
    return [killed(from), { kind: "spec paused", from, to, app: scaler.name }, killed(to - 0.001)];
  }).flat();
}

/** The time of one fault of a buffer, and of what follows, in seconds. */
const bufferSeconds = 130;
const bufferFaults = [
  ...["buffer edited", "buffer taken", "buffers away", "api 403", "api 500", "killed in a write", "killed"],
  ...["MLScaler re-created", "cut off"],
] as const;

/**
 * The process is killed after each request of a sync that asks for nodes again, and the MLScaler wants none when the
 * next process comes. Then each fault strikes a buffer, which loses its reason meanwhile.
 */
function nodes(scenario: Scenario, draw: Draw): Episode[] {
  addAssisted(scenario, 0, draw);
  const [[scaler], [hpa]] = [scenario.scalers, scenario.autoscalers ?? []];
  if (!scaler || !hpa) return [];
  // The load rises during the whole run.
  Object.assign(hpa.wave, { mean: 8 * hpa.perReplica, swing: 0.6, periodSeconds: 7200, phase: 0.5 });
  const observes = { mode: "Observe", pause: "None", sync_period_seconds: 5, metrics: [hpa.metric] };
  Object.assign(scaler.spec, { ...observes, max_replicas: 20, capacity_buffer: draw.pick([{}, { max_replicas: 2 }]) });
  scenario.quietSeconds = 120;
  const about = { app: scaler.name, scope: "buffers" as const, amount: 10, every: true };
  const without = { ...about, kind: "spec without buffer" };
  const at = (index: number): number => beginSeconds + bufferSeconds * index;
  const kills = Array.from({ length: raiseRequests }, (_, index): Episode[] => {
    const from = at(index);
    const killed = { kind: "killed at a request", scope: "a sync", amount: index, from: from + 29.999 } as const;
    return [
      { ...without, from, to: from + 30 },
      { ...killed, to: from + 40 },
      { ...without, from: from + 35, to: from + 100 },
    ];
  });
  const others = bufferFaults.map((kind, index): Episode[] => {
    const from = at(raiseRequests + index);
    const ends = draw.of(index).pick([without.kind, "spec paused"]);
    return [
      { ...about, kind, from, to: from + 40 },
      { ...about, kind: ends, from: from + 20, to: from + 110 },
    ];
  });
  return [...kills, ...others].flat();
}
