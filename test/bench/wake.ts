import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { ExternalMetrics } from "../../sandbox/external-metrics";
import { sandboxPaths } from "../../sandbox/paths";
import { prometheusUrl } from "../../sandbox/prometheus";
import { PrometheusLoad } from "../../sandbox/prometheus-load";
import { messageOf, waitFor } from "../../sandbox/wait";
import { kedaRelease, startKeda, type Running } from "./keda";
import { quantile, table } from "./report";
import { deployModule, kubectl, sandbox, withSandbox } from "./sandbox";

/** Options of the command line. */
export interface WakeSettings {
  count: number;
  only?: string;
}

/** Something that wakes Deployments at 0 replicas. */
interface Waker {
  name: string;
  title: string;
  /** Replicas of a new Deployment. An HPA wakes only what it has scaled to 0 itself. */
  replicas: number;
  /** Seconds until the first load, in which the waker sees that there is none. */
  calmSeconds: number;
  /** Whether Prometheus has two weeks in which the load began at the same time each day. */
  hasHistory?: true;
  /** Starts it where it does not run yet. @throws where this machine cannot run it */
  start: (signal: AbortSignal) => Promise<Running | undefined>;
  /** The object that scales a Deployment by the load of this name. */
  manifest: (name: string) => object;
}

/** The seconds from the first load of each Deployment to its first Ready pod; negative where it was there before. */
type Delays = number[];

const namespace = "default";
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;

/** The first loads are spread over two periods of the slowest waker, so that they meet any point of its period. */
const spreadSeconds = 60;
const lookMilliseconds = 200;
const timeoutMilliseconds = 900_000;

const [load, perReplica] = [100, "100"];
const dayMilliseconds = 86_400_000;
const hourMilliseconds = 3_600_000;
const historyDays = 14;

const seriesOf = (name: string): string => `load{app="${name}"}`;
const metricOf = (name: string): string => `load-${name}`;

const wakers: Waker[] = [
  {
    ...{ name: "hpa", title: "HPA", replicas: 1, calmSeconds: 60 },
    start: () => Promise.resolve(undefined),
    manifest: name => ({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        ...{ minReplicas: 0, maxReplicas: 10 },
        metrics: [
          {
            type: "External",
            external: { metric: { name: metricOf(name) }, target: { type: "AverageValue", averageValue: perReplica } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    }),
  },
  {
    ...{ name: "keda", title: `KEDA ${kedaRelease}`, replicas: 0, calmSeconds: 90 },
    start: signal => startKeda(namespace, signal),
    manifest: name => ({
      apiVersion: "keda.sh/v1alpha1",
      kind: "ScaledObject",
      metadata: { name },
      spec: {
        scaleTargetRef: { name },
        ...{ minReplicaCount: 0, maxReplicaCount: 10 },
        triggers: [
          {
            type: "prometheus",
            metadata: {
              serverAddress: prometheusUrl(sandboxPaths(sandbox)),
              query: `sum(${seriesOf(name)})`,
              ...{ threshold: perReplica, activationThreshold: "0" },
            },
          },
        ],
      },
    }),
  },
  {
    ...{ name: "mlscaler", title: "MLScaler,\nno forecast", replicas: 0, calmSeconds: 60 },
    start: signal => deployModule(signal).then(() => undefined),
    manifest: name => mlscaler(name, { model: "off" }),
  },
  {
    // The forecast takes some syncs to read its history, and has slots of five minutes.
    ...{ name: "mlscaler-forecast", title: "MLScaler,\nforecast", replicas: 0, calmSeconds: 600, hasHistory: true },
    start: signal => deployModule(signal).then(() => undefined),
    manifest: name => mlscaler(name, {}),
  },
];

export const wakerNames = wakers.map(({ name }) => name);

/**
 * Brings up a sandbox, measures one waker after another on Deployments of pretended pods that are Ready at once, and
 * takes it down, also on an error and on `signal`. Each has its default period. Returns a table.
 */
export async function measureWake(
  { count, only }: WakeSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const measured: { title: string; delays: Delays }[] = [];
  const missing: string[] = [];
  await withSandbox(false, signal, async () => {
    for (const waker of wakers.filter(({ name }) => only === undefined || name === only)) {
      say(`${waker.name}: starting`);
      let running: Running | undefined;
      try {
        running = await waker.start(signal);
        measured.push({ title: waker.title, delays: await delaysOf(waker, count, running, say, signal) });
        await running?.stop();
      } catch (error) {
        signal.throwIfAborted();
        const log = running ? `\n${running.log()}` : "";
        missing.push(`${waker.name}: not measured: ${messageOf(error)}${log}`);
      }
    }
  });
  if (measured.length === 0) return missing.join("\n");
  const row = (title: string, figure: (delays: Delays) => number): string[] => [
    title,
    ...measured.map(({ delays }) => `${figure(delays).toFixed(1)} s`),
  ];
  return [
    table(
      ["first load to first Ready pod", ...measured.map(({ title }) => title)],
      [
        row("median", delays => quantile(delays, 0.5)),
        row("fastest", delays => Math.min(...delays)),
        row("slowest", delays => Math.max(...delays)),
      ],
    ),
    ...missing,
  ].join("\n");
}

async function delaysOf(
  waker: Waker,
  count: number,
  running: Running | undefined,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Delays> {
  const names = Array.from({ length: count }, (_, index) => `${waker.name}-${index}`);
  const first = Date.now() + waker.calmSeconds * 1000;
  const begins = new Map(names.map((name, index) => [name, first + (index / count) * spreadSeconds * 1000]));
  const loadOf = (name: string, at: number): number => {
    const since = at - (begins.get(name) ?? Infinity);
    return ((since % dayMilliseconds) + dayMilliseconds) % dayMilliseconds < hourMilliseconds &&
      (since >= 0 || waker.hasHistory === true)
      ? load
      : 0;
  };
  const prometheus = await PrometheusLoad.start(sandbox);
  const external = new ExternalMetrics(sandbox, metric => loadOf(metric.replace(/^load-/, ""), Date.now()));
  try {
    await external.start();
    const now = Date.now();
    if (waker.hasHistory) {
      const preload = (name: string): Promise<void> =>
        prometheus.preload(seriesOf(name), now - historyDays * dayMilliseconds, now, at => loadOf(name, at));
      await pMap(names, preload, { concurrency: 4, signal });
    }
    for (const name of names) prometheus.set(seriesOf(name), at => loadOf(name, at));
    const manifests = names.flatMap(name => [deployment(name, waker.replicas), waker.manifest(name)]);
    await applied(manifests);
    await waitFor(async () => (await listed(names)).every(({ replicas, ready }) => replicas + ready === 0), {
      ...{ what: `${waker.name} at 0 replicas`, timeoutMilliseconds: waker.calmSeconds * 1000, signal },
    });
    say(
      `${waker.name}: ${count} Deployments at 0 replicas, the first load in ${Math.round((first - Date.now()) / 1000)} s`,
    );
    const readyAt = new Map<string, number>();
    await waitFor(
      async () => {
        for (const { name, ready } of await listed(names))
          if (ready > 0 && !readyAt.has(name)) readyAt.set(name, Date.now());
        return readyAt.size === count;
      },
      {
        ...{
          what: `a Ready pod of each Deployment of ${waker.name}`,
          timeoutMilliseconds,
          everyMilliseconds: lookMilliseconds,
          signal,
        },
        hopeless: () => running?.check(),
      },
    );
    return names.map(name => ((readyAt.get(name) ?? NaN) - (begins.get(name) ?? NaN)) / 1000);
  } finally {
    await external.stop();
    prometheus.stop();
  }
}

const listSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ replicas: z.number() }),
      status: z.object({ readyReplicas: z.number().default(0) }),
    }),
  ),
});

/** The replicas of Deployments, requested and Ready. Throws ApiError. */
async function listed(names: string[]): Promise<{ name: string; replicas: number; ready: number }[]> {
  const { items } = listSchema.parse(await new Api().get(deployments));
  return items
    .filter(({ metadata }) => names.includes(metadata.name))
    .map(({ metadata, spec, status }) => ({
      ...{ name: metadata.name, replicas: spec.replicas, ready: status.readyReplicas },
    }));
}

const deployment = (name: string, replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image: "example.com/web" }] },
    },
  },
});

const mlscaler = (name: string, forecast: object): object => ({
  apiVersion: "example.com/v1",
  kind: "MLScaler",
  metadata: { name },
  spec: {
    target_deployment: name,
    ...{ min_replicas: 0, max_replicas: 10, scale_to_zero: {}, forecast },
    metrics: [
      {
        type: "Prometheus",
        prometheus: { query: `sum(${seriesOf(name)})`, target: { type: "AverageValue", averageValue: perReplica } },
      },
    ],
  },
});

/** Creates objects. Throws ApiError. */
async function applied(manifests: object[]): Promise<void> {
  const file = join(sandboxPaths(sandbox).root, "wake.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests }));
  await kubectl("apply", "--namespace", namespace, "-f", file);
}
