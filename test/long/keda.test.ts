import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { slotOf } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { noteIn } from "../../capabilities/mlscaler/target/note";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { startComponent, stopComponent } from "../../sandbox/api";
import { findKeda } from "../../sandbox/build";
import { projectRoot, sandboxPaths } from "../../sandbox/paths";
import { addTarget, prometheusUrl } from "../../sandbox/prometheus";
import { messageOf } from "../../sandbox/wait";
import * as cluster from "../e2e/cluster";
import { dayMilliseconds, loadAt } from "../e2e/foreseen";
import { startKeda } from "../e2e/keda";
import { rollOut, runningPods, system, theWatcher, watcherDeployment } from "../e2e/module";
import { loadSeries, PrometheusLoad } from "../e2e/prometheus";
import { sandbox } from "../e2e/sandbox";
import { type Ended, run } from "../unit/cli/built";

const { api, kube, until } = cluster;

const keda = await findKeda(console.log).catch((error: unknown) => {
  console.log(`skipped: KEDA cannot be built: ${messageOf(error)}`);
  return undefined;
});

/** What the load now needs, at 100 a replica, and what the forecast of its rise needs at least. */
const [low, needed, raised] = [280, 3, 9];

const cli = join(projectRoot, "dist/cli/mlscaler.js");

let namespace: string;
let prometheus: PrometheusLoad;
/** The file by which Prometheus scrapes the watcher. */
let watched: string;
let stopKeda: () => Promise<void>;
let folder: string;

/** A manifest of the page, with the queries and the names of this test. */
function documented(kind: string, name: string): cluster.Manifest & { spec: Record<string, unknown> } {
  const page = readFileSync(join(projectRoot, "docs/how-to/use-the-forecast.md"), "utf8");
  const text = [...page.matchAll(/^ *```yaml\n(.*?)^ *```/gms)].find(([, block = ""]) =>
    block.includes(`kind: ${kind}\n`),
  )?.[1];
  if (text === undefined) throw new Error(`the page has no ${kind}`);
  const here = text
    .replaceAll('sum(rate(http_requests_total{app="web"}[1m]))', `'sum(${loadSeries(namespace, "web")})'`)
    .replaceAll("http://prometheus.monitoring:9090", prometheusUrl(sandboxPaths(sandbox)))
    .replaceAll('namespace="shop"', `namespace="${namespace}"`);
  return { ...(parse(here) as cluster.Manifest & { spec: Record<string, unknown> }), metadata: { name } };
}

/** A Deployment with the ScaledObject of the page, changed by `change`. The HPA falls at once. */
async function scaledByKeda(name: string, change: (text: string) => string = text => text): Promise<void> {
  await cluster.createDeployment(namespace, name, 1);
  const { spec, ...rest } = documented("ScaledObject", name);
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  const advanced = { horizontalPodAutoscalerConfig: { behavior } };
  const all = { ...spec, scaleTargetRef: { name }, advanced };
  await cluster.apply(namespace, { ...rest, spec: JSON.parse(change(JSON.stringify(all))) as object });
}

const scaledObject: cluster.Kind = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject" };

/** A Deployment at the count that its ScaledObject asks for. */
async function scaledByTrigger(name: string, minReplicaCount?: number): Promise<void> {
  await cluster.createDeployment(namespace, name, 1);
  await applyTrigger(name, minReplicaCount);
  await cluster.untilReplicas(namespace, name, needed);
}

/** Applies a ScaledObject with one trigger. Its HPA falls at once. */
async function applyTrigger(name: string, minReplicaCount?: number): Promise<void> {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  const metadata = { serverAddress: prometheusUrl(sandboxPaths(sandbox)), threshold: "100", query: loadQuery() };
  await cluster.apply(namespace, {
    ...{ ...scaledObject, metadata: { name } },
    spec: {
      ...{ scaleTargetRef: { name }, minReplicaCount, triggers: [{ type: "prometheus", metadata }] },
      advanced: { horizontalPodAutoscalerConfig: { behavior } },
    },
  });
}

const loadQuery = (): string => `sum(${loadSeries(namespace, "web")})`;

const assists = (name: string): object => ({ target_deployment: name, mode: "Assist", sync_period_seconds: 5 });

/** The load with its history, and a horizon that has its rise. */
const foreseeing = (): object => ({
  metrics: [
    { type: "Prometheus", prometheus: { query: loadQuery(), target: { type: "AverageValue", averageValue: "100" } } },
  ],
  forecast: { horizon_seconds: 1800, quantile_percent: 95 },
});

/** The minimum of a ScaledObject, and the one of its user where it is raised. */
async function minimumOf(name: string): Promise<[number, number | undefined]> {
  const annotations = z.record(z.string(), z.string()).default({});
  const { metadata, spec } = z
    .object({ metadata: z.object({ annotations }), spec: z.object({ minReplicaCount: z.number() }) })
    .parse(await api.get(cluster.pathOf(scaledObject, namespace, name)));
  return [spec.minReplicaCount, noteIn(metadata.annotations)?.own];
}

const valueSchema = z.object({ items: z.array(z.object({ value: z.string() })) });

/** What KEDA answers the HPA of a ScaledObject for the trigger of the forecast. */
async function planned(name: string): Promise<number | undefined> {
  const query = { labelSelector: `scaledobject.keda.sh/name=${name}` };
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/s1-prometheus`;
  return parseQuantity(valueSchema.parse(await api.get(path, { query })).items[0]?.value ?? "");
}

const hpaSchema = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string() })) }),
});

/** A condition of the HPA that KEDA makes, as "True", with its message. */
async function scalingActive(name: string): Promise<string> {
  const path = `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers/keda-hpa-${name}`;
  const { conditions } = hpaSchema.parse(await api.get(path)).status;
  const found = conditions.find(({ type }) => type === "ScalingActive");
  return `${found?.status}: ${found?.message}`;
}

const seen = async (): Promise<string> => {
  const told = ["web", "brief", "none", "cpu"].map(async name => {
    const [count, plan, hpa] = [cluster.replicas(namespace, name), planned(name).catch(String), scalingActive(name)];
    return `${name}: ${await count} replicas, planned ${await plan}, ${await hpa}`;
  });
  return JSON.stringify((await Promise.allSettled(told)).map(one => ("value" in one ? one.value : String(one.reason))));
};

const untilRaised = (name: string): Promise<true> =>
  until(`${name} is raised`, async () => (await cluster.replicas(namespace, name)) >= raised, { seen });

const plannedNow = (): Promise<number | undefined> =>
  prometheus.query(`max(mlscaler_planned_replicas{namespace="${namespace}",name="web"})`);

/** The recording rule of the page for the MLScalers of this test, which looks back as long as `range`. */
function recorded(range: string): Promise<number | undefined> {
  const page = readFileSync(join(projectRoot, "docs/how-to/use-the-forecast.md"), "utf8");
  const expr = /expr: \|\n(.*?)```/s.exec(page)?.[1] ?? "";
  return prometheus.query(expr.replaceAll(/(\w+)\[/g, `$1{namespace="${namespace}"}[`).replace("[10m]", `[${range}]`));
}

describe.skipIf(keda === undefined)("the planned replicas as a trigger of KEDA", () => {
  beforeAll(async () => {
    if (!keda) return;
    stopKeda = await startKeda(keda);
    namespace = await cluster.createNamespace("keda");
    folder = mkdtempSync(join(tmpdir(), "keda-"));
    prometheus = await PrometheusLoad.start();
    watched = addTarget(sandboxPaths(sandbox), `127.0.0.1:${(await theWatcher()).port}`, "https");
    // It rises 15 to 20 minutes from now, within the horizon, and today it does not.
    const rise = { low: 300, high: 1100, at: (slotOf(Date.now()) + 4) * slotMilliseconds };
    const now = Date.now();
    const series = loadSeries(namespace, "web");
    await prometheus.preload(series, now - 14 * dayMilliseconds, now, at => loadAt(at, rise));
    prometheus.set(series, low);
    await scaledByKeda("web");
  });

  afterAll(async () => {
    await startComponent("prometheus", sandbox);
    await kube(["scale", watcherDeployment, "-n", system, "--replicas=1"]);
    await rollOut(watcherDeployment);
    await stopKeda();
    rmSync(watched);
    prometheus.stop();
    rmSync(folder, { recursive: true });
    await cluster.leaveNamespace(namespace);
  });

  it("add nothing while there is no such series: the load decides", async () => {
    await cluster.untilReplicas(namespace, "web", needed);
    expect(await planned("web")).toBe(0);
    expect(await scalingActive("web")).toMatch(/^True/);
  });

  it("raise the count before the load comes, and the MLScaler writes nothing", async () => {
    const { spec, ...rest } = documented("MLScaler", "web");
    const forecast = { horizon_seconds: 1800, quantile_percent: 95 };
    await cluster.apply(namespace, { ...rest, spec: { ...spec, sync_period_seconds: 5, forecast } });
    await untilRaised("web");
    expect(await prometheus.query(`sum(${loadSeries(namespace, "web")})`)).toBe(low);
    expect((await cluster.scaler(namespace, "web")).status.last_scale_time).toBeUndefined();
  });

  it("stay while Prometheus does not answer, although the other trigger asks for fewer", async () => {
    // In place of the load a trigger that needs no Prometheus, and asks for one replica.
    await scaledByKeda("cpu", text => {
      const spec = JSON.parse(text) as { triggers: object[] };
      const cpu = { type: "cpu", metricType: "AverageValue", metadata: { value: "100m" } };
      return JSON.stringify({ ...spec, triggers: [cpu, spec.triggers[1]] });
    });
    const load = new cluster.Load(namespace, "cpu", 0.05);
    try {
      await untilRaised("cpu");
      await stopComponent("prometheus", sandbox);
      const failed = async (): Promise<boolean> => /^False: .*external metric/.test(await scalingActive("cpu"));
      await until("the HPA has no planned replicas", failed, { seen });
      expect(await cluster.replicas(namespace, "cpu")).toBeGreaterThanOrEqual(raised);
    } finally {
      await startComponent("prometheus", sandbox);
      await load.stop();
    }
  });

  it("are raised by mode Assist as minReplicaCount of the ScaledObject, which gets its own back", async () => {
    await scaledByTrigger("assisted");
    // Its metrics are those of the HPA, which KEDA's own server answers.
    await cluster.applyScaler(namespace, "assisted", assists("assisted"));
    const status = async (): Promise<unknown> => (await cluster.scaler(namespace, "assisted")).status;
    await until("the MLScaler reads the metric of KEDA", async () =>
      /"name":"s0-prometheus".*"target":"100","current":"9/.test(JSON.stringify(await status())),
    );
    expect(await status()).toMatchObject({ target: "scaledobject/assisted (Assist)", min_replicas: "0" });

    await cluster.applyScaler(namespace, "assisted", { ...assists("assisted"), ...foreseeing() });
    await untilRaised("assisted");
    await cluster.untilCondition(namespace, "assisted", "AbleToScale", "True/MinimumRaised");
    await cluster.remove(namespace, cluster.mlscaler, "assisted");
    expect(await minimumOf("assisted")).toEqual([0, undefined]);
  });

  it("give way to an MLScaler that takes over, without a lower count, and come back", async () => {
    await scaledByTrigger("taken", 2);
    await cluster.applyScaler(namespace, "taken", { ...assists("taken"), ...foreseeing() });
    await untilRaised("taken");
    const file = join(folder, "taken.yaml");
    const takeOver = (...options: string[]): Promise<Ended> =>
      run(cli, ["take-over", "taken", "-n", namespace, "--yes", "-f", file, ...options], { cwd: folder });
    const notLowered = async (): Promise<void> =>
      expect((await cluster.events(namespace, "taken")).filter(text => text.includes("Scaled down"))).toEqual([]);

    expect(await takeOver()).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("MLScaler taken scales Deployment taken") as string },
    });
    expect(await api.find(cluster.pathOf(scaledObject, namespace, "taken"))).toBeUndefined();
    const { spec, status } = await cluster.scaler(namespace, "taken");
    expect(spec).toMatchObject({ mode: "Active", take_over: true, min_replicas: 2, max_replicas: 100 });
    expect(status.target).toBe("Deployment/taken");
    await notLowered();

    expect(await takeOver("--back")).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("MLScaler taken assists it") as string },
    });
    expect((await cluster.scaler(namespace, "taken")).spec).toMatchObject({ mode: "Assist" });
    expect(await minimumOf("taken")).toEqual([expect.any(Number), 2]);
    await notLowered();

    // As two commits do it: the MLScaler turns Active, then its ScaledObject goes. Then it comes back.
    await cluster.patchScaler(namespace, "taken", { mode: "Active", take_over: true, max_replicas: 100 });
    await kube(["delete", "scaledobject", "taken", "-n", namespace]);
    const target = async (): Promise<string | undefined> => (await cluster.scaler(namespace, "taken")).status.target;
    await until("the MLScaler scales", async () => (await target()) === "Deployment/taken");
    await notLowered();
    await applyTrigger("taken", 2);
    await until("the MLScaler assists", async () => (await target()) === "scaledobject/taken (Assist)");
    await until("it raises the minimum", async () => (await minimumOf("taken"))[1] === 2);
  });

  it("stay for 10 minutes when the watcher is dead, and then the load decides", async () => {
    await until("the series is back", async () => ((await plannedNow()) ?? 0) >= raised, { seen });
    await scaledByKeda("brief", text => text.replace("[10m]", "[20s]"));
    await Promise.all(["web", "brief"].map(untilRaised));
    await kube(["scale", watcherDeployment, "-n", system, "--replicas=0"]);
    await until("the watcher is gone", async () => (await runningPods("watcher")).length === 0);
    await until("the series is stale", async () => (await plannedNow()) === undefined);
    await cluster.untilReplicas(namespace, "brief", needed);
    expect(await planned("brief")).toBe(0);
    expect(await recorded("20s")).toBe(0);
    expect(await recorded("10m")).toBeGreaterThanOrEqual(raised);
    expect(await planned("web")).toBeGreaterThanOrEqual(raised);
    expect(await cluster.replicas(namespace, "web")).toBeGreaterThanOrEqual(raised);
  });
});
