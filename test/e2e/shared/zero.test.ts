import { afterAll, beforeAll, expect, it } from "vitest";
import * as cluster from "../cluster";
import { loadSeries, PrometheusLoad } from "../prometheus";

const { api, kube, until } = cluster;

let namespace: string;
let prometheus: PrometheusLoad;

/** A spec that scales `name` between 0 and 5 by the load of app `name`, 100 for each replica. */
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

const setLoad = (name: string, load: number): void => prometheus.set(loadSeries(namespace, name), load);

const scale = (name: string, replicas: number): Promise<unknown> =>
  cluster.patch(namespace, cluster.deployment, name, { spec: { replicas } });

beforeAll(async () => {
  namespace = await cluster.createNamespace("zero");
  prometheus = await PrometheusLoad.start();
});

afterAll(async () => {
  prometheus.stop();
  await cluster.leaveNamespace(namespace);
});

it("a Deployment goes to 0 and comes back as with an HPA; what somebody else put to 0 stays off", async () => {
  setLoad("hpa", 150);
  await cluster.createDeployment(namespace, "hpa", 1);
  await cluster.applyScaler(namespace, "hpa", specOf("hpa"));
  await cluster.untilReplicas(namespace, "hpa", 2);
  setLoad("hpa", 0);
  await cluster.untilReplicas(namespace, "hpa", 0);
  await cluster.untilCondition(namespace, "hpa", "ScaledToZero", "True/ScaledToZero");
  setLoad("hpa", 250);
  await cluster.untilReplicas(namespace, "hpa", 3);
  await cluster.untilCondition(namespace, "hpa", "ScaledToZero", "False/NotScaledToZero");
  await scale("hpa", 0);
  await cluster.untilCondition(namespace, "hpa", "ScalingActive", "False/ScalingDisabled");
  expect(await cluster.replicas(namespace, "hpa")).toBe(0);
});

it("with scale_to_zero it wakes from what somebody else put to 0, also with a PodDisruptionBudget and a rollout at 0", async () => {
  setLoad("keda", 150);
  await cluster.createDeployment(namespace, "keda", 0);
  const block = { cooldown_seconds: 10, min_idle_seconds: 10, replicas: 3 };
  await cluster.applyScaler(namespace, "keda", specOf("keda", { scale_to_zero: block }));
  // The next sync scales to 2, which the load needs.
  await cluster.untilEvent(namespace, "keda", "SuccessfulRescale 0 → 3");
  setLoad("keda", 0);
  await cluster.untilReplicas(namespace, "keda", 0);
  await cluster.untilCondition(namespace, "keda", "ScaledToZero", "True/ScaledToZero");
  await kube(["create", "pdb", "keda", "--selector=app=keda", "--min-available=2", "-n", namespace]);
  const env = [{ name: "web", env: [{ name: "REVISION", value: "2" }] }];
  const path = cluster.pathOf(cluster.deployment, namespace, "keda");
  await api.patch(path, "application/strategic-merge-patch+json", {
    spec: { template: { spec: { containers: env } } },
  });
  await until("the pods of before are gone", async () => (await cluster.counts(namespace, "keda")).ready === 0);
  setLoad("keda", 150);
  await cluster.untilReplicas(namespace, "keda", 2);
});
