import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "../cluster";
import { MetricsAdapter } from "../metrics-adapter";

const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const ingressPath = "ingresses.networking.k8s.io/main";
const ten = { type: "AverageValue", averageValue: "10" };

/** The selector of series, and the labels of one that it selects. */
const selector = { matchLabels: { tier: "front" }, matchExpressions: [{ key: "zone", operator: "Exists" }] };
const labels = { tier: "front", zone: "a" };

let adapter: MetricsAdapter;
let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("metrics");
  adapter = await MetricsAdapter.start();
});

afterAll(async () => {
  await adapter.stop();
  await cluster.leaveNamespace(namespace);
});

describe.concurrent("a Deployment is scaled by the metrics of an adapter, held while they fail, and that is said", () => {
  const long = (metric: object): object => ({
    metrics: [metric],
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  });
  const short = { metric: "short-load", history_size: 2, replicas_per_unit: "100m", forecast: { model: "off" } };
  const object = { describedObject: ingress, metric: { name: "object-load" }, target: ten };

  it.each<[name: string, fields: object, type: string, set: () => void]>([
    [
      "pods",
      long({ type: "Pods", pods: { metric: { name: "pods-load", selector }, target: ten } }),
      "Pods",
      () => adapter.setPods(namespace, "pods-load", (_, pods) => `${30 / pods.length}`, labels),
    ],
    [
      "object",
      long({ type: "Object", object }),
      "Object",
      () => adapter.setObject(namespace, ingressPath, "object-load", { value: "30" }),
    ],
    [
      "external",
      long({ type: "External", external: { metric: { name: "external-load", selector }, target: ten } }),
      "External",
      () =>
        adapter.setExternal(
          namespace,
          "external-load",
          { value: "20", labels },
          { value: "10", labels },
          { value: "999" },
        ),
    ],
    ["short", short, "Pods", () => adapter.setPods(namespace, "short-load", (_, pods) => `${30 / pods.length}`)],
  ])("%s", async (name, fields, type, set) => {
    set();
    await cluster.createDeployment(namespace, name, 1);
    const spec = { target_deployment: name, max_replicas: 3, sync_period_seconds: 5, ...fields };
    await cluster.applyScaler(namespace, name, spec);
    await cluster.untilReplicas(namespace, name, 3);

    const reason = `FailedGet${type}Metric`;
    adapter.fail(`${name}-load`, "500");
    await cluster.untilCondition(namespace, name, "ScalingActive", `False/${reason}`);
    await cluster.untilEvent(namespace, name, `Warning ${reason} `);
    expect(await cluster.replicas(namespace, name)).toBe(3);

    adapter.fail(`${name}-load`, undefined);
    await cluster.untilCondition(namespace, name, "ScalingActive", "True/ValidMetricFound");
    await cluster.remove(namespace, cluster.mlscaler, name);
    // With metrics the deletion leaves it, as that of an HPA does.
    expect(await cluster.replicas(namespace, name)).toBe("metrics" in fields ? 3 : 1);
  });
});

describe.concurrent("a Deployment is scaled by what metrics-server has of its pods", () => {
  const each = { type: "AverageValue", averageValue: "100m" };

  it.each<[name: string, metric: object]>([
    ["resource", { type: "Resource", resource: { name: "cpu", target: each } }],
    ["container", { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target: each } }],
  ])("%s", async (name, metric) => {
    await cluster.createDeployment(namespace, name, 1);
    // The load asks for more: while samples are of mixed age, it may seem to be larger.
    const load = new cluster.Load(namespace, name, 0.55);
    try {
      await cluster.applyScaler(namespace, name, {
        ...{ target_deployment: name, max_replicas: 4, sync_period_seconds: 5, metrics: [metric] },
        forecast: { model: "off" },
      });
      await cluster.untilReplicas(namespace, name, 4);
    } finally {
      await load.stop();
    }
  });
});
