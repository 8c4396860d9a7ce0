import { setTimeout as delay } from "node:timers/promises";
import pMap from "p-map";
import { z } from "zod";
import { Api, mergePatch } from "../../capabilities/kubernetes/api";
import { CoarseGrid } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { contentOf, historyName } from "../../capabilities/mlscaler/memory/history-store";
import { loadId } from "../../capabilities/mlscaler/memory/memory";
import type { Metric } from "../../capabilities/mlscaler/metrics/registry";
import { status, type PodReport } from "../../sandbox/api";
import { waitFor } from "../../sandbox/wait";
import { postTo } from "../node/webhook";
import { reviewOf } from "../review";
import { usageOf } from "../usage";
import { admissionTable, type AdmissionFigures, type Guard } from "./admission-figures";
import { asManyAsCan, atRate, type Load, type Send } from "./admission-load";
import { kubectl, sandbox, withSandbox } from "./sandbox";

/** Options of the command line. */
export interface AdmissionSettings {
  seconds: number;
  rate: number;
}

const namespace = "admission";
/** Deployments with an MLScaler. There are as many without one. */
const targets = 100;
const atOnce = 16;
const warmUpSeconds = 5;

const [metric]: [Metric] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
];
const specOf = (name: string, max: number): object => ({
  ...{ target_deployment: name, min_replicas: 1, max_replicas: max, metrics: [metric], sync_period_seconds: 3600 },
});
const manifestOf = (name: string, max: number): object => ({
  apiVersion: "example.com/v1",
  kind: "MLScaler",
  metadata: { name, namespace },
  spec: specOf(name, max),
});

/** The names of targets with an MLScaler and of those without one. */
const taken = (number: number): string => `taken-${number % targets}`;
const free = (number: number): string => `free-${number % targets}`;
/** A counter that makes each request different, so that no response is cached. */
const maxOf = (number: number): number => 1000 + number;

const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers`;
const dryRun = { dryRun: "All" };

/**
 * Brings up a sandbox and measures the cost of no admission and of the module's webhook, both through the API server
 * and directly at one of the module's pods. Then takes the sandbox down.
 * @throws on a wrong response
 */
export async function measureAdmission(
  { seconds, rate }: AdmissionSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const figures: AdmissionFigures[] = [];
  await withSandbox(true, signal, async () => {
    const api = new Api();
    say(`${2 * targets} Deployments, ${targets} MLScalers`);
    await prepare(api, signal);

    const measured = async (guard: Guard, work: (seconds: number) => Promise<Load>): Promise<void> => {
      await work(warmUpSeconds);
      const pods = await admissionPods();
      const cpu = (): number => usageOf(pods.flatMap(({ processes }) => processes.map(({ pid }) => pid))).cpuSeconds;
      const before = cpu();
      const load = await work(seconds);
      if (guard.startsWith("straight") && guard.endsWith("what-if") && load.backtests === 0)
        throw new Error("no response has a backtest: the module does not read the stored histories");
      figures.push({ guard, load, cpuSeconds: cpu() - before });
      say(`${guard}: ${load.latencies.length} requests`);
    };
    const throughApi = (guard: Guard): Promise<void> =>
      measured(guard, forSeconds => asManyAsCan(dryRuns(api), atOnce, forSeconds, signal));
    const straightly = (guard: Guard, send: Send): Promise<void> =>
      measured(guard, forSeconds => atRate(send, rate, forSeconds, signal));

    const ports = (await admissionPods()).flatMap(({ port }) => port ?? []);
    const straight = await straightAt(api, ports[0]);
    await throughApi("webhook");
    await straightly("straight", straight);
    await storeHistories(api);
    await throughApi("webhook, what-if");
    await straightly("straight, what-if", straight);
    await kubectl("delete", "validatingwebhookconfiguration", "pepr-mlscaler");
    await delay(2000, undefined, { signal });
    await throughApi("none");
  });
  return admissionTable(figures, rate);
}

/** Creates targets without pods, half of them with an MLScaler, then stops the watcher. Nothing scales them. */
async function prepare(api: Api, signal: AbortSignal): Promise<void> {
  await kubectl("create", "namespace", namespace);
  const numbers = Array.from({ length: targets }, (_, number) => number);
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await pMap([...numbers.map(taken), ...numbers.map(free)], name => api.create(deployments, deployment(name)), {
    concurrency: 8,
  });
  await pMap(numbers, number => api.create(path, manifestOf(taken(number), 10)), { concurrency: 8 });
  await kubectl("scale", "deployment", "pepr-mlscaler-watcher", "-n", "pepr-system", "--replicas=0");
  await waitFor(async () => !(await status(sandbox)).pods?.some(({ name }) => name.includes("watcher")), {
    ...{ what: "the end of the watcher", timeoutMilliseconds: 60_000, everyMilliseconds: 500, signal },
  });
}

/** Alternates creates and updates, all as dry runs. */
function dryRuns(api: Api): Send {
  return async number => {
    const spec = { max_replicas: maxOf(number) };
    const answered =
      number % 2 === 0
        ? await api.create(path, manifestOf(free(number), maxOf(number)), { query: dryRun })
        : await api.patch(`${path}/${taken(number)}`, mergePatch, { spec }, { query: dryRun });
    z.object({ spec: z.object({ max_replicas: z.literal(maxOf(number)) }) }).parse(answered);
    return false;
  };
}

const answerSchema = z.object({
  response: z.object({ allowed: z.literal(true), warnings: z.array(z.string()).default([]) }),
});

/** Sends the same requests directly to the port of an admission pod. */
async function straightAt(api: Api, port: number | undefined): Promise<Send> {
  if (port === undefined) throw new Error("no admission pod runs");
  const secret = z
    .object({ data: z.object({ value: z.string() }) })
    .parse(await api.get("/api/v1/namespaces/pepr-system/secrets/pepr-mlscaler-api-path"));
  const url = `/validate/${Buffer.from(secret.data.value, "base64").toString()}`;
  const post = postTo([{ host: "127.0.0.1", port }], url);
  const stored = await Promise.all(Array.from({ length: targets }, (_, number) => api.get(`${path}/${taken(number)}`)));
  return async number => {
    const isNew = number % 2 === 0;
    const oldObject = isNew ? null : (stored[number % targets] as { metadata: object });
    const name = isNew ? free(number) : taken(number);
    const manifest = { ...oldObject, ...manifestOf(name, maxOf(number)) };
    const object = { ...manifest, metadata: oldObject?.metadata ?? { name, namespace } };
    const operation = isNew ? "CREATE" : "UPDATE";
    const review = reviewOf(`request-${number}`, namespace, { name, operation, object, oldObject, dryRun: true });
    const { body } = await post(JSON.stringify(review));
    const { response } = answerSchema.parse(JSON.parse(body));
    return response.warnings.some(warning => warning.startsWith("backtest"));
  };
}

async function admissionPods(): Promise<PodReport[]> {
  const { pods = [] } = await status(sandbox);
  return pods.filter(({ namespace: of, name }) => of === "pepr-system" && !name.includes("watcher"));
}

/** Stores two weeks of a load for each MLScaler. */
async function storeHistories(api: Api): Promise<void> {
  const grid = new CoarseGrid();
  const now = Date.now();
  const slots = 14 * 288;
  const samples = Array.from({ length: slots }, (_, slot) => ({
    at: now - (slots - slot) * slotMilliseconds,
    load: 1 + 0.6 * Math.sin((2 * Math.PI * slot) / 288) + ((slot * 7919) % 13) / 50,
  }));
  grid.backfill(samples, slotMilliseconds, now);
  const uidSchema = z.object({ metadata: z.object({ uid: z.string() }) });
  await pMap(
    Array.from({ length: targets }, (_, number) => taken(number)),
    async name => {
      const { uid } = uidSchema.parse(await api.get(`${path}/${name}`)).metadata;
      const of = loadId({ target_deployment: name }, metric);
      const configMap = { metadata: { name: historyName(uid, of) }, ...contentOf(grid, of) };
      await api.create("/api/v1/namespaces/pepr-system/configmaps", configMap);
    },
    { concurrency: 8 },
  );
}

const deployment = (name: string): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
  },
});
