import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pMap from "p-map";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { down, sandboxEnv, up } from "../../sandbox/api";
import { consoleSteps } from "../../sandbox/console";
import { ExternalMetrics } from "../../sandbox/external-metrics";
import { projectRoot, sandboxPaths } from "../../sandbox/paths";
import { prometheusUrl } from "../../sandbox/prometheus";
import { PrometheusLoad } from "../../sandbox/prometheus-load";
import { stepsOf } from "../../sandbox/steps";
import { messageOf, waitFor } from "../../sandbox/wait";
import { deployModule, createPeerAccount, kubectl, sandbox, startPeer, type Running } from "./contenders";
import { buildPeer, keda, moduleFolder, releaseOf } from "./peers";
import { quantile, table } from "./report";

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
const lookMs = 200;
const timeoutMs = 900_000;

const [load, perReplica] = [100, "100"];
const dayMs = 86_400_000;
const hourMs = 3_600_000;
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
    ...{ name: "keda", title: `KEDA ${releaseOf(keda)}`, replicas: 0, calmSeconds: 90 },
    start: startKeda,
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
  if (!existsSync(join(projectRoot, "dist", "install")))
    throw new Error("dist/install is missing: run `npm run build` first");
  const measured: { title: string; delays: Delays }[] = [];
  const missing: string[] = [];
  try {
    // Removes the leftovers of an interrupted run.
    await down(sandbox);
    await consoleSteps(stepsOf(false), onStep => up({ name: sandbox, withModule: false, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await createPeerAccount();
    for (const waker of wakers.filter(({ name }) => only === undefined || name === only)) {
      say(`${waker.name}: starting`);
      let running: Running | undefined;
      try {
        running = await waker.start(signal);
        measured.push({ title: waker.title, delays: await delaysOf(waker, count, running, say, signal) });
        await running?.stop();
      } catch (error) {
        signal.throwIfAborted();
        const log = running ? `\n${await running.log()}` : "";
        missing.push(`${waker.name}: not measured: ${messageOf(error)}${log}`);
      }
    }
  } finally {
    await down(sandbox);
  }
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
    return ((since % dayMs) + dayMs) % dayMs < hourMs && (since >= 0 || waker.hasHistory === true) ? load : 0;
  };
  const prometheus = await PrometheusLoad.start(sandbox);
  const external = new ExternalMetrics(sandbox, metric => loadOf(metric.replace(/^load-/, ""), Date.now()));
  try {
    await external.start();
    const now = Date.now();
    if (waker.hasHistory) {
      const preload = (name: string): Promise<void> =>
        prometheus.preload(seriesOf(name), now - historyDays * dayMs, now, at => loadOf(name, at));
      await pMap(names, preload, { concurrency: 4, signal });
    }
    for (const name of names) prometheus.set(seriesOf(name), at => loadOf(name, at));
    const manifests = names.flatMap(name => [deployment(name, waker.replicas), waker.manifest(name)]);
    await applied(manifests);
    await waitFor(async () => (await listed(names)).every(({ replicas, ready }) => replicas + ready === 0), {
      ...{ what: `${waker.name} at 0 replicas`, timeoutMs: waker.calmSeconds * 1000, signal },
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
        ...{ what: `a Ready pod of each Deployment of ${waker.name}`, timeoutMs, everyMs: lookMs, signal },
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

/** Builds KEDA's operator from its Go module and starts it, with its CRDs. Its metrics server is for 1 to n. */
async function startKeda(signal: AbortSignal): Promise<Running> {
  const program = await buildPeer(keda, text => process.stdout.write(`keda: ${text}\n`), signal);
  const crds = join(await moduleFolder(keda, "github.com/kedacore/keda/v2"), "config/crd/bases");
  await kubectl("apply", "--server-side", "-f", crds);
  // kubectl fails while a CRD has no conditions yet.
  const established = (): Promise<boolean> =>
    kubectl("wait", "--for=condition=Established", "crd/scaledobjects.keda.sh", "--timeout=10s").then(() => true);
  await waitFor(established, { what: "the CRDs of KEDA", timeoutMs: 60_000, signal });
  // The certificates of its gRPC server, which its metrics server would ask.
  const { root, pki } = sandboxPaths(sandbox);
  const certificates = join(root, "keda-certificates");
  mkdirSync(certificates, { recursive: true, mode: 0o700 });
  const copies = { "ca.crt": "ca.crt", "tls.crt": "server.crt", "tls.key": "server.key" };
  for (const [to, from] of Object.entries(copies)) copyFileSync(join(pki, from), join(certificates, to));
  const addresses = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
  return startPeer(
    "keda",
    program,
    [...addresses, "--metrics-service-bind-address=127.0.0.1:0", `--cert-dir=${certificates}`],
    { WATCH_NAMESPACE: "", POD_NAMESPACE: namespace, KEDA_CLUSTER_OBJECT_NAMESPACE: namespace },
  );
}
