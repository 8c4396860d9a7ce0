import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { untilPhase } from "../../capabilities/operator/phase";
import { type Bundle, bundleModule } from "../simulation/bundle";
import type { Call } from "../simulation/call";
import { at, type Stored } from "../simulation/objects";
import { Cluster } from "../simulation/seeds/cluster";
import { startSeconds } from "../simulation/seeds/episodes";
import { storeHistory } from "../simulation/seeds/history";
import type { Scenario } from "../simulation/seeds/scenario";
import { isReady } from "../simulation/workloads";
import { quantile, table } from "./report";
import { periodSeconds, perNamespace, type ShardsSettings } from "./shards";

const patienceSeconds = 600;

/** The figures of one number of watchers, which are all in this process. */
interface Figures {
  watchers: number;
  /** How long the steady state was observed. */
  seconds: number;
  readySeconds: number;
  /** Undefined without stored histories. */
  trustedSeconds?: number;
  /** For each sync, the seconds from its place in the period until it reads the scale. */
  lags: number[];
  /** By method and resource, in all. */
  requests: Map<string, number>;
  /** Of this process in a sync: the module and the simulated API server. */
  cpuMilliseconds: number;
  /** Live memory of an MLScaler in the module, in bytes. */
  bytes: number;
}

/**
 * Runs MLScalers with a forecast each in virtual time, with one number of watchers after the other. Returns a table.
 * An interrupt ends the observation of the steady state early. Throws when a watcher ends, and when not all MLScalers are
 * Ready and trusted within ten minutes.
 */
export async function measureSimulated(
  settings: ShardsSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const bundle = await bundleModule();
  const figures: Figures[] = [];
  for (const watchers of settings.watchers) {
    say(`${watchers} watchers`);
    figures.push(await measure(settings, scenarioOf(settings, watchers), bundle, say, signal));
  }
  return tableOf(figures, settings);
}

/** One Deployment of one pod for each MLScaler, whose daily load an external metric has. */
function scenarioOf({ count, shards }: ShardsSettings, watchers: number): Scenario {
  const scenario: Scenario = {
    ...{ seed: 0, namespaces: [], apps: [], scalers: [], values: [], histories: [], episodes: [] },
    ...{ watchers, shards, faultSeconds: Infinity, quietSeconds: 0 },
    environment: { MLSCALER_MAX_LOADS: String(count) },
  };
  for (let number = 0; number < count; number++) {
    const name = `web-${number}`;
    const namespace = `bench-${Math.floor(number / perNamespace)}`;
    const wave = { mean: 60, swing: 0.5, periodSeconds: 86_400, phase: (number % 97) / 97, noise: 0.05 };
    const external = { metric: { name }, target: { type: "AverageValue", averageValue: "100" } };
    const bounds = { min_replicas: 1, max_replicas: 1, sync_period_seconds: periodSeconds };
    const spec = { target_deployment: name, ...bounds, metrics: [{ type: "External", external }] };
    scenario.apps.push({ namespace, name, kind: "Deployment", replicas: 1, startUpSeconds: 5, skew: 1, loads: {} });
    scenario.values.push({ api: "external", namespace, name, wave });
    scenario.scalers.push({ namespace, name, spec });
  }
  return scenario;
}

async function measure(
  { days, seconds }: ShardsSettings,
  scenario: Scenario,
  bundle: Bundle,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Figures> {
  const cluster = new Cluster(scenario, bundle);
  for (const app of scenario.apps) cluster.deploy(app);
  await pass(cluster, startSeconds);
  for (const scaler of scenario.scalers) cluster.scaler(scaler);
  for (const { namespace, name, wave } of days > 0 ? scenario.values : []) {
    const scaler = cluster.store.get(cluster.scalerKind, namespace, name);
    await storeHistory(cluster.store, scaler, { name, wave, days }, cluster.clock);
  }
  const empty = bytesOf(cluster);
  const began = cluster.clock.now;
  for (let place = 0; place < scenario.watchers; place++) cluster.start(place);
  const untilAll = async (is: (scaler: Stored) => boolean): Promise<number> => {
    while (!cluster.store.list(cluster.scalerKind).every(is)) {
      if (cluster.clock.now - began > 1000 * patienceSeconds) throw new Error("not all are Ready and trusted");
      await pass(cluster, 1);
      signal.throwIfAborted();
    }
    return (cluster.clock.now - began) / 1000;
  };
  const readySeconds = await untilAll(isReady);
  say(`all Ready after ${readySeconds.toFixed(0)} s`);
  const isTrusted = (scaler: Stored): boolean => at(scaler, "status.forecast.trusted") === true;
  const trustedSeconds = days > 0 ? await untilAll(isTrusted) : undefined;
  if (trustedSeconds !== undefined) say(`all trusted after ${trustedSeconds.toFixed(0)} s`);
  const observed = observe(cluster);
  const before = process.cpuUsage();
  const observes = cluster.clock.now;
  while (cluster.clock.now < observes + 1000 * seconds && !signal.aborted) await pass(cluster, 1);
  const { user, system } = process.cpuUsage(before);
  const cpuMilliseconds = (user + system) / 1000 / observed.lags.length;
  const bytes = (bytesOf(cluster) - empty) / scenario.scalers.length;
  return {
    ...{ watchers: scenario.watchers, seconds: (cluster.clock.now - observes) / 1000 },
    ...{ readySeconds, trustedSeconds, ...observed, cpuMilliseconds, bytes },
  };
}

/** Notes requests and lags from now on. */
function observe({ clock, requests }: Cluster): Pick<Figures, "lags" | "requests"> {
  const observed: Pick<Figures, "lags" | "requests"> = { lags: [], requests: new Map() };
  const sent = ({ method, path }: Call): void => {
    const [, namespace = "", resource = "", name = "", part = ""] =
      /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? [];
    if (part === "scale")
      observed.lags.push(periodSeconds - untilPhase(`${namespace}/${name}`, periodSeconds, clock.wall) / 1000);
    const of = path.includes("metrics.k8s.io") ? "metrics" : [resource, part].filter(Boolean).join("/");
    const what = of ? `${method} ${of}` : "lists and watches";
    observed.requests.set(what, (observed.requests.get(what) ?? 0) + 1);
  };
  const nothing = (): void => undefined;
  requests.observer = { sent, answered: nothing, abandoned: nothing };
  return observed;
}

/** Lets virtual time pass. Throws when a watcher has ended. */
async function pass({ clock, trace, processes }: Cluster, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await clock.pass(1000);
    trace.forget();
    const ended = processes.find(({ program }) => !program.alive);
    if (ended) throw new Error(`the watcher ${ended.name} ended: ${ended.failed}`);
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** The live memory of this process, without what the API server keeps for watches that come again. */
function bytesOf({ store }: Cluster): number {
  store.changes.length = 0;
  store.oldest = store.version;
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function tableOf(figures: Figures[], { count, shards }: ShardsSettings): string {
  const row = (title: string, cell: (figures: Figures) => string): string[] => [title, ...figures.map(cell)];
  const rate = ({ seconds }: Figures, number: number): string => (number / seconds).toFixed(1);
  const totalOf = ({ requests }: Figures): number => [...requests.values()].reduce((sum, number) => sum + number, 0);
  const kinds = [...new Set(figures.flatMap(({ requests }) => [...requests.keys()]))].sort();
  return table(
    [
      `${count} MLScalers, ${shards} shards, virtual time`,
      ...figures.map(({ watchers }) => (watchers === 1 ? "1 watcher" : `${watchers} watchers`)),
    ],
    [
      row("all Ready, s", ({ readySeconds }) => readySeconds.toFixed(0)),
      row("all trusted, s", ({ trustedSeconds }) => trustedSeconds?.toFixed(0) ?? ""),
      row("syncs", ({ lags }) => String(lags.length)),
      row("syncs/s", one => rate(one, one.lags.length)),
      row("lag p50, s", ({ lags }) => quantile(lags, 0.5).toFixed(3)),
      row("lag p99, s", ({ lags }) => quantile(lags, 0.99).toFixed(3)),
      row("requests/s", one => rate(one, totalOf(one))),
      ...kinds.map(kind => row(`  ${kind}`, one => rate(one, one.requests.get(kind) ?? 0))),
      row("CPU of a sync, with the API server's, ms", ({ cpuMilliseconds }) => cpuMilliseconds.toFixed(2)),
      row("live memory of an MLScaler, kB", ({ bytes }) => (bytes / 1000).toFixed(0)),
    ],
  );
}
