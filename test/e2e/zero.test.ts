import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ExternalMetrics } from "../../sandbox/external-metrics";
import * as cluster from "./cluster";
import { loadAt, nextRise, Rise } from "./foreseen";
import { system, theWatcher, untilAnotherActs, watcherDeployment } from "./module";
import { loadSeries, PrometheusLoad } from "./prometheus";
import { sandbox } from "./sandbox";

const { kube, until } = cluster;

/** Seconds from the creation of a pod until it is Ready. */
const startUpSeconds = 40;

const twoWeeksMilliseconds = 14 * 86_400_000;

let namespace: string;
let prometheus: PrometheusLoad;

/** A spec that scales NAME between 0 and 5 by the load of app NAME, 100 for each replica. */
const specOf = (name: string, change: object = {}): object => ({
  ...{ target_deployment: name, min_replicas: 0, max_replicas: 5, sync_period_seconds: 5 },
  metrics: [
    {
      type: "Prometheus",
      prometheus: {
        query: `sum(${loadSeries(namespace, name)})`,
        target: { type: "AverageValue", averageValue: "100" },
      },
    },
  ],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  forecast: { model: "off" },
  ...change,
});

const statusText = async (name: string): Promise<string> =>
  JSON.stringify((await cluster.scaler(namespace, name)).status);

/** Waits until a condition of an MLScaler is `wanted`: "True/ScaledToZero". */
const untilCondition = (name: string, type: string, wanted: string): Promise<true> =>
  until(
    `${name} has ${type} ${wanted}`,
    async () => (await cluster.condition(namespace, name, type)) === wanted || undefined,
    { seen: () => statusText(name) },
  );

/** The Deployment's Ready pods. */
const ready = async (name: string): Promise<number> =>
  Number(
    await kube(["get", "deployment", name, "-n", namespace, "-o", "jsonpath={.status.readyReplicas}"]).then(
      text => text.trim() || "0",
    ),
  );

beforeAll(async () => {
  namespace = await cluster.createNamespace("zero");
  prometheus = await PrometheusLoad.start();
});

afterAll(async () => {
  prometheus.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

it("goes to 0 and comes back as an HPA, through a restart; what somebody else put to 0 stays off", async () => {
  prometheus.set(loadSeries(namespace, "hpa"), 150);
  await cluster.createDeployment(namespace, "hpa", 1);
  await cluster.applyScaler(namespace, "hpa", specOf("hpa"));
  await cluster.untilReplicas(namespace, "hpa", 2);
  prometheus.set(loadSeries(namespace, "hpa"), 0);
  await cluster.untilReplicas(namespace, "hpa", 0);
  await untilCondition("hpa", "ScaledToZero", "True/ScaledToZero");
  // The next watcher knows who scaled the target to 0.
  const before = await theWatcher();
  await kube(["rollout", "restart", watcherDeployment, "-n", system]);
  await untilAnotherActs(before.name);
  prometheus.set(loadSeries(namespace, "hpa"), 250);
  await cluster.untilReplicas(namespace, "hpa", 3);
  await untilCondition("hpa", "ScaledToZero", "False/NotScaledToZero");
  await kube(["scale", "deployment", "hpa", "-n", namespace, "--replicas=0"]);
  await untilCondition("hpa", "ScalingActive", "False/ScalingDisabled");
  expect(await cluster.replicas(namespace, "hpa")).toBe(0);
});

it("with scale_to_zero goes to 0 after the cool-down, and wakes what somebody else put to 0", async () => {
  prometheus.set(loadSeries(namespace, "keda"), 150);
  await cluster.createDeployment(namespace, "keda", 0);
  const block = { cooldown_seconds: 10, min_idle_seconds: 10, replicas: 3 };
  await cluster.applyScaler(namespace, "keda", specOf("keda", { scale_to_zero: block }));
  // The next sync scales to 2, which the load needs.
  await cluster.untilEvent(namespace, "keda", "SuccessfulRescale 0 → 3");
  prometheus.set(loadSeries(namespace, "keda"), 0);
  await cluster.untilReplicas(namespace, "keda", 0);
  await untilCondition("keda", "ScaledToZero", "True/ScaledToZero");
});

it("wakes a target that has a PodDisruptionBudget and was rolled out at 0 replicas", async () => {
  await kube(["create", "pdb", "keda", "--selector=app=keda", "--min-available=2", "-n", namespace]);
  await kube(["set", "env", "deployment/keda", "REVISION=2", "-n", namespace]);
  await kube(["rollout", "status", "deployment/keda", "-n", namespace, "--timeout=60s"]);
  expect(await cluster.replicas(namespace, "keda")).toBe(0);
  prometheus.set(loadSeries(namespace, "keda"), 150);
  await cluster.untilReplicas(namespace, "keda", 2);
  prometheus.set(loadSeries(namespace, "keda"), 0);
  await cluster.untilReplicas(namespace, "keda", 0);
  await untilCondition("keda", "ScaledToZero", "True/ScaledToZero");
});

it("admission warns of an activation that was absent for hours, as the metrics of pods are at 0", async () => {
  const hour = 3_600_000;
  const now = Date.now();
  await prometheus.preload(loadSeries(namespace, "absent"), now - 8 * hour, now - 6 * hour, () => 1);
  await prometheus.preload(loadSeries(namespace, "absent"), now - hour, now, () => 1);
  const scaler = {
    ...{ apiVersion: "example.com/v1", kind: "MLScaler", metadata: { name: "absent" } },
    spec: specOf("absent", { scale_to_zero: {} }),
  };
  const warning = /Warning: spec\.metrics\[0\]\.prometheus\.query had no value in [45] of the last 8 h: one that only/;
  expect((await cluster.untilTold(namespace, JSON.stringify(scaler), warning)).code).toBe(0);
});

/** Creates a Deployment whose pods take `startUpSeconds` to be Ready. */
const createSlow = async (name: string, replicas: number): Promise<void> => {
  const manifest = cluster.deploymentManifest(name, replicas) as { spec: { template: { metadata: object } } };
  const annotations = { "pod-ready.stage.kwok.x-k8s.io/delay": `${startUpSeconds}s` };
  Object.assign(manifest.spec.template.metadata, { annotations });
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(manifest));
};

/** An HPA between 0 and 5 replicas by the external metric `requests`, 100 for each replica. */
const hpaOf = (name: string): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 0, maxReplicas: 5, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
    metrics: [
      {
        type: "External",
        external: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "100" } },
      },
    ],
  },
});

it("wakes before a load that comes at the same time each day, and an HPA of the same load after it", async () => {
  const rise: Rise = nextRise(0, 300, 240);
  const load = (at: number): number => loadAt(at, rise);
  const now = Date.now();
  const external = new ExternalMetrics(sandbox, () => load(Date.now()));
  onTestFinished(() => external.stop());
  await external.start();
  await prometheus.preload(loadSeries(namespace, "shop"), now - twoWeeksMilliseconds, now, load);
  prometheus.set(loadSeries(namespace, "shop"), load);
  // An HPA wakes only what it has scaled to 0 itself.
  await Promise.all([createSlow("shop", 0), createSlow("shop-hpa", 1)]);
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpaOf("shop-hpa")));
  const block = { cooldown_seconds: 10, min_idle_seconds: 10 };
  await cluster.applyScaler(namespace, "shop", specOf("shop", { scale_to_zero: block, forecast: {} }));
  await cluster.untilReplicas(namespace, "shop-hpa", 0);
  /** Seconds from the first request until a pod is Ready; negative before it. */
  const untilReady = async (name: string): Promise<number> => {
    await until(`a pod of ${name} is Ready`, async () => (await ready(name)) > 0 || undefined, {
      seconds: (rise.at - Date.now()) / 1000 + 180,
      seen: () => statusText("shop"),
    });
    return Math.round((Date.now() - rise.at) / 1000);
  };
  // The pods of the HPA's first replica end when it is at 0.
  await until("the HPA's Deployment has no pod", async () => (await ready("shop-hpa")) === 0 || undefined);
  const [ours, hpa] = await Promise.all([untilReady("shop"), untilReady("shop-hpa")]);
  console.log(`a pod is Ready ${-ours} s before the first request, and one of the HPA ${hpa} s after it`);
  expect(ours).toBeLessThan(0);
  expect(hpa).toBeGreaterThanOrEqual(startUpSeconds);
  await cluster.untilEvent(namespace, "shop", /SuccessfulRescale 0 → \d+: (woken ahead, |forecast )/);
}, 900_000);
