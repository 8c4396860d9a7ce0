import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { mergePatch } from "../../../capabilities/kubernetes/api";
import * as cluster from "../cluster";
import { system } from "../module";
import { PrometheusLoad } from "../prometheus";

const { api } = cluster;

let namespace: string;
let prometheus: PrometheusLoad;

/** Scales NAME by `load{app="NAME"}` with a target of 100 per replica. */
const specOf = (name: string, change: object = {}, query = `sum(load{app="${name}"})`): Record<string, unknown> => ({
  target_deployment: name,
  max_replicas: 20,
  sync_period_seconds: 5,
  metrics: [{ type: "Prometheus", prometheus: { query, target: { type: "AverageValue", averageValue: "100" } } }],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  forecast: { model: "off" },
  ...change,
});

/** The servers of the module, by name. A merge patch adds, changes and, by null, removes one. */
const nameServer = (name: string, entry: object | null): Promise<unknown> =>
  api.patch(`/api/v1/namespaces/${system}/secrets/mlscaler-prometheus`, mergePatch, {
    data: { [name]: entry && Buffer.from(stringify(entry)).toString("base64") },
  });

const untilFailed = (name: string, text: string): Promise<true> =>
  cluster.untilCondition(namespace, name, "ScalingActive", "False/FailedGetPrometheusMetric", text);

beforeAll(async () => {
  namespace = await cluster.createNamespace("prometheus");
  prometheus = await PrometheusLoad.start();
});

afterAll(async () => {
  await nameServer("other", null);
  prometheus.stop();
  await cluster.leaveNamespace(namespace);
});

describe("an MLScaler by a query", () => {
  it("follows what Prometheus answers, up and down", async () => {
    prometheus.set('load{app="web",pod="a"}', 150);
    prometheus.set('load{app="web",pod="b"}', 300);
    await cluster.createDeployment(namespace, "web", 1);
    await cluster.applyScaler(namespace, "web", specOf("web"));
    await cluster.untilReplicas(namespace, "web", 5);
    prometheus.set('load{app="web",pod="b"}', 0);
    await cluster.untilReplicas(namespace, "web", 2);
    await cluster.until("its status has the value that counts", async () => {
      const [metric] = (await cluster.scaler(namespace, "web")).status.metrics ?? [];
      expect(metric).toEqual({ name: 'sum(load{app="web"})', type: "Prometheus", target: "100", current: "75" });
      return true;
    });
  });
});

describe("what fails", () => {
  /** A spec that asks a server. */
  const byServer = (server: string): Record<string, unknown> => {
    const target = { type: "AverageValue", averageValue: "100" };
    return specOf("held", { metrics: [{ type: "Prometheus", prometheus: { server, query: "vector(400)", target } }] });
  };

  it("of the server is a condition until it is back, and a change of the Secret counts by itself", async () => {
    // Nobody listens there.
    await nameServer("other", { url: "http://127.0.0.1:1" });
    await cluster.createDeployment(namespace, "held", 4);
    await cluster.applyScaler(namespace, "held", byServer("other"));
    await untilFailed("held", "server other cannot be reached (ECONNREFUSED)");
    expect(await cluster.replicas(namespace, "held")).toBe(4);
    await nameServer("other", { url: process.env.MLSCALER_PROMETHEUS });
    await cluster.untilCondition(namespace, "held", "ScalingActive", "True/ValidMetricFound");
  });
});
