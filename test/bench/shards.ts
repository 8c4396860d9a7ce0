import { setTimeout as delay } from "node:timers/promises";
import pMap from "p-map";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { specSchema } from "../../capabilities/mlscaler/schema";
import { CoarseGrid, slotOf } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { ConfigMaps } from "../../capabilities/mlscaler/memory/config-maps";
import { contentOf, historyName } from "../../capabilities/mlscaler/memory/history-store";
import { loadId } from "../../capabilities/mlscaler/memory/memory";
import { status, type PodReport } from "../../sandbox/api";
import { get } from "../../sandbox/get";
import { PrometheusLoad } from "../../sandbox/prometheus-load";
import { waitFor } from "../../sandbox/wait";
import { listed } from "../listed";
import { quantile as upperBound, series, total, value } from "../prometheus";
import { usageOf } from "../usage";
import { deployModule, kubectl, sandbox, withSandbox } from "./sandbox";
import { table } from "./report";

/** Options of the command line. */
export interface ShardsSettings {
  count: number;
  shards: number;
  /** The numbers of watchers, one after the other. */
  watchers: number[];
  days: number;
  seconds: number;
  simulated?: true;
}

export const perNamespace = 20;
export const periodSeconds = 30;
const concurrency = 16;
const timeoutMilliseconds = 3_600_000;
const system = "pepr-system";
const watcher = "deployment/pepr-mlscaler-watcher";
const lag = "mlscaler_sync_lag_seconds";
/** Syncs are on time when 99 % of those of a period are less than a second late. */
const onTime = { share: 0.99, seconds: 1, patienceMs: 900_000 };

const metadataSchema = z.object({ metadata: z.object({ namespace: z.string(), name: z.string(), uid: z.string() }) });
const replicasSchema = z.object({ status: z.object({ readyReplicas: z.number().default(0) }).prefault({}) });

/** The figures of one number of watchers. */
interface Figures {
  watchers: number;
  readySeconds: number;
  /** Undefined without stored histories. */
  trustedSeconds?: number;
  /** Until the syncs are on time. Undefined when they are not within 15 minutes after all are Ready or trusted. */
  onTimeSeconds?: number;
  /** The upper bounds of the buckets with these quantiles. */
  lag: { p95: number; p99: number };
  syncsPerSecond: number;
  /** Of each watcher. */
  cpuPercent: number[];
  megabytes: number[];
  receivedPerSecond: number[];
  objects: number[];
  apiServer: { cpuPercent: number; megabytes: number; requestsPerSecond: number };
  /** From the end of a watcher until all MLScalers are synced by others; undefined with one watcher. */
  takeoverSeconds?: number;
}

/** One look at the watchers and at the API server. */
interface Look {
  at: number;
  watchers: { name: string; metrics: string; cpuSeconds: number; bytes: number; received: number }[];
  apiServer: { cpuSeconds: number; bytes: number; requests: number };
}

/**
 * Brings up a sandbox with Deployments of one pod and an MLScaler each, whose load Prometheus has, lets one number of
 * watchers after the other act on them, and takes it down. Returns a table.
 */
export async function measureShards(
  settings: ShardsSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { count, shards, days } = settings;
  let load: PrometheusLoad | undefined;
  return withSandbox(false, signal, async () => {
    const targets = Array.from({ length: count }, (_, number) => ({
      namespace: `bench-${Math.floor(number / perNamespace)}`,
      name: `web-${number}`,
    }));
    load = await PrometheusLoad.start(sandbox);
    for (const { name } of targets) load.set(seriesOf(name), at => loadAt(at, name));
    say(`${count} Deployments`);
    await createTargets(targets, signal);
    await deployModule(signal);
    await setWatchers(0);
    const environment = [`MLSCALER_SHARDS=${shards}`, `MLSCALER_MAX_LOADS=${count}`];
    await kubectl("set", "env", watcher, "-n", system, ...environment);
    say(`${count} MLScalers${days > 0 ? `, ${days} days of history each` : ""}`);
    await createScalers(targets, days, signal);
    const figures: Figures[] = [];
    for (const watchers of settings.watchers) {
      say(`${watchers} watchers`);
      figures.push(await measure(settings, watchers, say, signal));
      await setWatchers(0);
    }
    return tableOf(figures, settings);
  }).finally(() => load?.stop());
}

const seriesOf = (name: string): string => `load{app="${name}"}`;

const specOf = (name: string): object => ({
  target_deployment: name,
  ...{ min_replicas: 1, max_replicas: 1, sync_period_seconds: periodSeconds },
  metrics: [
    {
      type: "Prometheus",
      prometheus: { query: seriesOf(name), target: { type: "AverageValue", averageValue: "100" } },
    },
  ],
});

/** A daily load with noise of a tenth, at another time of the day for each name. */
function loadAt(at: number, name: string): number {
  const number = Number(name.slice(name.indexOf("-") + 1));
  const day = (at / 86_400_000 + (number % 97) / 97) * 2 * Math.PI;
  const noise = Math.sin((Math.floor(at / slotMilliseconds) + number) * 12.9898) * 43_758.5453;
  return (60 + 30 * Math.sin(day)) * (0.95 + 0.1 * (noise - Math.floor(noise)));
}

interface Target {
  namespace: string;
  name: string;
}

async function createTargets(targets: Target[], signal: AbortSignal): Promise<void> {
  const api = new Api();
  const namespaces = [...new Set(targets.map(({ namespace }) => namespace))];
  await pMap(namespaces, name => api.create("/api/v1/namespaces", { metadata: { name } }), { concurrency, signal });
  await pMap(
    targets,
    ({ namespace, name }) =>
      api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, deploymentOf(name), { timeoutSeconds: 60 }),
    { concurrency, signal },
  );
  await waitFor(
    async () => {
      const all = await listed(api, "/apis/apps/v1/deployments", replicasSchema, "bench.example.com/target=yes");
      return all.filter(({ status }) => status.readyReplicas === 1).length === targets.length;
    },
    { what: `${targets.length} Deployments at rest`, timeoutMilliseconds, everyMilliseconds: 2000, signal },
  );
}

function deploymentOf(name: string): object {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { "bench.example.com/target": "yes" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
    },
  };
}

/** Creates an MLScaler for each target, and stores the history of its load while no watcher runs. */
async function createScalers(targets: Target[], days: number, signal: AbortSignal): Promise<void> {
  const api = new Api();
  const configMaps = new ConfigMaps(api);
  const now = Date.now();
  await pMap(
    targets,
    async ({ namespace, name }) => {
      const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers`;
      const manifest = { apiVersion: "example.com/v1", kind: "MLScaler", metadata: { name }, spec: specOf(name) };
      const { metadata } = metadataSchema.parse(await api.create(path, manifest, { timeoutSeconds: 60 }));
      if (days === 0) return;
      const spec = specSchema.parse(specOf(name));
      const [metric] = spec.metrics ?? [];
      if (!metric) throw new Error("the spec has no metrics");
      const grid = new CoarseGrid();
      const begin = slotOf(now - days * 86_400_000) * slotMilliseconds;
      const slots = Math.floor((now - begin) / slotMilliseconds);
      const samples = Array.from({ length: slots }, (_, slot) => {
        const at = begin + slot * slotMilliseconds;
        return { at, load: loadAt(at, name) };
      });
      grid.backfill(samples, slotMilliseconds, now);
      const of = loadId(spec, metric);
      const owner = { uid: metadata.uid, namespace, name, target: `Deployment.apps/${name}` };
      const history = historyName(metadata.uid, of);
      if ((await configMaps.write(history, owner, contentOf(grid, of))) !== "written")
        throw new Error(`the history of ${namespace}/${name} could not be stored`);
    },
    { concurrency, signal },
  );
}

async function setWatchers(replicas: number): Promise<void> {
  await kubectl("scale", watcher, "-n", system, `--replicas=${replicas}`);
  await waitFor(async () => (await watchersNow()).length === replicas, {
    what: `${replicas} watchers`,
    timeoutMilliseconds: 120_000,
  });
}

type Watcher = PodReport & { port: number };

async function watchersNow(): Promise<Watcher[]> {
  const { pods = [] } = await status(sandbox);
  return pods
    .filter(({ namespace, name }) => namespace === system && name.includes("watcher"))
    .flatMap(pod => (pod.port === undefined || pod.pid === undefined ? [] : [{ ...pod, port: pod.port }]));
}

/** /metrics of each watcher; empty for one that does not answer yet. */
async function scrapes(): Promise<{ pod: Watcher; metrics: string }[]> {
  const pods = await watchersNow();
  return Promise.all(
    pods.map(async pod => {
      const answer = await get(pod.port, "/metrics", { timeoutMilliseconds: 30_000 }).catch(() => undefined);
      return { pod, metrics: answer?.status === 200 ? answer.body : "" };
    }),
  );
}

/** Waits until a series of MLScalers is 1 for all of them. Returns the seconds since `began`. */
async function untilAll(name: string, count: number, began: number, signal: AbortSignal): Promise<number> {
  await waitFor(async () => (await scrapes()).reduce((sum, { metrics }) => sum + total(metrics, name), 0) === count, {
    what: `${name} of ${count} MLScalers`,
    timeoutMilliseconds,
    everyMilliseconds: 1000,
    signal,
  });
  return (performance.now() - began) / 1000;
}

/** Waits until the syncs are on time. Returns the seconds since `began`; undefined when they do not become so. */
async function untilOnTime(began: number, signal: AbortSignal): Promise<number | undefined> {
  const text = async (): Promise<string> => (await scrapes()).map(({ metrics }) => metrics).join("\n");
  const until = performance.now() + onTime.patienceMs;
  let before = await text();
  while (performance.now() < until) {
    await delay(periodSeconds * 1000, undefined, { signal });
    const after = await text();
    if (upperBound(before, after, lag, onTime.share) <= onTime.seconds) return (performance.now() - began) / 1000;
    before = after;
  }
  return undefined;
}

async function look(): Promise<Look> {
  const [{ components = [] }, watchers] = await Promise.all([status(sandbox), scrapes()]);
  const apiServer = components.find(({ name }) => name === "apiserver");
  if (apiServer?.pid === undefined) throw new Error("the API server does not run");
  const usage = usageOf([apiServer.pid]);
  const requests = total(await kubectl("get", "--raw", "/metrics"), "apiserver_request_total");
  return {
    at: performance.now() / 1000,
    watchers: watchers.map(({ pod, metrics }) => {
      const pids = pod.processes.map(({ pid }) => pid);
      const { cpuSeconds, proportionalBytes: bytes, readBytes: received } = usageOf(pids);
      return { name: pod.name, metrics, cpuSeconds, bytes, received };
    }),
    apiServer: { cpuSeconds: usage.cpuSeconds, bytes: usage.proportionalBytes, requests },
  };
}

async function measure(
  { count, days, seconds }: ShardsSettings,
  watchers: number,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Figures> {
  const began = performance.now();
  await setWatchers(watchers);
  const readySeconds = await untilAll("mlscaler_ready", count, began, signal);
  say(`all Ready after ${readySeconds.toFixed(0)} s`);
  const trustedSeconds = days > 0 ? await untilAll("mlscaler_forecast_trusted", count, began, signal) : undefined;
  if (trustedSeconds !== undefined) say(`all trusted after ${trustedSeconds.toFixed(0)} s`);
  const onTimeSeconds = await untilOnTime(began, signal);
  say(onTimeSeconds === undefined ? "syncs stay late" : `syncs are on time after ${onTimeSeconds.toFixed(0)} s`);
  const before = await look();
  await delay(seconds * 1000, undefined, { signal });
  const after = await look();
  const took = after.at - before.at;
  const rate = (from: number, to: number): number => (100 * (to - from)) / took;
  const earlier = (name: string): Partial<Look["watchers"][number]> =>
    before.watchers.find(one => one.name === name) ?? {};
  const of = (text: "before" | "after"): string =>
    (text === "before" ? before : after).watchers.map(({ metrics }) => metrics).join("\n");
  const syncs = (all: Look): number =>
    all.watchers.reduce((sum, { metrics }) => sum + total(metrics, `${lag}_count`, { kind: "MLScaler" }), 0);
  const figures = {
    ...{ watchers, readySeconds, trustedSeconds, onTimeSeconds },
    lag: {
      p95: upperBound(of("before"), of("after"), lag, 0.95),
      p99: upperBound(of("before"), of("after"), lag, 0.99),
    },
    syncsPerSecond: (syncs(after) - syncs(before)) / took,
    cpuPercent: after.watchers.map(({ name, cpuSeconds }) => rate(earlier(name).cpuSeconds ?? NaN, cpuSeconds)),
    megabytes: after.watchers.map(({ bytes }) => bytes / 1e6),
    receivedPerSecond: after.watchers.map(({ name, received }) => (received - (earlier(name).received ?? NaN)) / took),
    objects: after.watchers.map(({ metrics }) => value(metrics, "mlscaler_objects")),
    apiServer: {
      cpuPercent: rate(before.apiServer.cpuSeconds, after.apiServer.cpuSeconds),
      megabytes: after.apiServer.bytes / 1e6,
      requestsPerSecond: (after.apiServer.requests - before.apiServer.requests) / took,
    },
  };
  if (await hasTwo()) throw new Error("an MLScaler has series of two watchers");
  return { ...figures, takeoverSeconds: watchers > 1 ? await takeover(count, signal) : undefined };
}

/** Whether two watchers have the series of one MLScaler. */
async function hasTwo(): Promise<boolean> {
  const keys = (await scrapes()).flatMap(({ metrics }) =>
    series(metrics, "mlscaler_ready").map(({ labels }) => `${labels.namespace}/${labels.name}`),
  );
  return new Set(keys).size < keys.length;
}

/** Ends one watcher with its pod at once. Returns the seconds until the others sync all MLScalers. */
async function takeover(count: number, signal: AbortSignal): Promise<number> {
  const [gone] = await watchersNow();
  const began = performance.now();
  await kubectl("delete", "pod", gone?.name ?? "", "-n", system, "--grace-period=0", "--force");
  return untilAll("mlscaler_ready", count, began, signal);
}

function tableOf(figures: Figures[], { count, shards }: ShardsSettings): string {
  const each = (numbers: number[], digits = 0): string => numbers.map(number => number.toFixed(digits)).join(", ");
  const row = (title: string, cell: (figures: Figures) => string): string[] => [title, ...figures.map(cell)];
  return table(
    [
      `${count} MLScalers, ${shards} shards`,
      ...figures.map(({ watchers }) => (watchers === 1 ? "1 watcher" : `${watchers} watchers`)),
    ],
    [
      row("all Ready, s", ({ readySeconds }) => readySeconds.toFixed(0)),
      row("all trusted, s", ({ trustedSeconds }) => trustedSeconds?.toFixed(0) ?? ""),
      row("syncs on time, s", ({ onTimeSeconds }) => onTimeSeconds?.toFixed(0) ?? "never"),
      row("syncs/s", ({ syncsPerSecond }) => syncsPerSecond.toFixed(1)),
      row("lag p95, at most, s", ({ lag: { p95 } }) => String(p95)),
      row("lag p99, at most, s", ({ lag: { p99 } }) => String(p99)),
      row("objects of each watcher", ({ objects }) => each(objects)),
      row("CPU of each watcher, % of a core", ({ cpuPercent }) => each(cpuPercent, 1)),
      row("memory of each watcher, MB", ({ megabytes }) => each(megabytes)),
      row("received by each watcher, kB/s", ({ receivedPerSecond }) =>
        each(receivedPerSecond.map(bytes => bytes / 1e3)),
      ),
      row("CPU of the API server, % of a core", ({ apiServer }) => apiServer.cpuPercent.toFixed(1)),
      row("memory of the API server, MB", ({ apiServer }) => apiServer.megabytes.toFixed(0)),
      row("requests/s", ({ apiServer }) => apiServer.requestsPerSecond.toFixed(1)),
      row("takeover, s", ({ takeoverSeconds }) => takeoverSeconds?.toFixed(0) ?? ""),
    ],
  );
}
