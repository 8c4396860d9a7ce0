import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { startComponent, stopComponent } from "../../sandbox/api";
import * as cluster from "./cluster";
import { system } from "./module";
import { PrometheusLoad } from "./prometheus";
import { sandbox } from "./sandbox";

const { kube, until } = cluster;

let namespace: string;
let prometheus: PrometheusLoad;
/** The URL of the sandbox's Prometheus. */
let url: string;

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

/** Configures exactly these servers, as an admin does. */
async function nameServers(servers: Record<string, object>): Promise<void> {
  const secret = "mlscaler-prometheus";
  const entries = Object.entries(servers).map(([name, entry]) => `--from-literal=${name}=${stringify(entry)}`);
  await kube(["delete", "secret", secret, "-n", system, "--ignore-not-found"]);
  await kube(["create", "secret", "generic", secret, "-n", system, ...entries]);
}

const statusText = async (name: string): Promise<string> =>
  JSON.stringify((await cluster.scaler(namespace, name)).status);

/** Waits until a condition of an MLScaler is `wanted`, such as "True/Trusted", with this text in its message. */
const untilCondition = (name: string, type: string, wanted: string, text = ""): Promise<true> =>
  until(
    `${name} has ${type} ${wanted} ${text}`,
    async () => {
      const { status } = await cluster.scaler(namespace, name);
      const found = status.conditions?.find(condition => condition.type === type);
      return (`${found?.status}/${found?.reason}` === wanted && found?.message.includes(text)) || undefined;
    },
    { seconds: 120, seen: () => statusText(name) },
  );

const failed = "False/FailedGetPrometheusMetric";
const works = "True/ValidMetricFound";

beforeAll(async () => {
  url = process.env.MLSCALER_PROMETHEUS ?? "";
  namespace = await cluster.createNamespace("prometheus");
  prometheus = await PrometheusLoad.start();
  await nameServers({ main: { url } });
});

afterAll(async () => {
  await nameServers({ main: { url } });
  prometheus.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe("an MLScaler by a query", () => {
  it("follows what Prometheus answers, up and down", async () => {
    prometheus.set('load{app="web",pod="a"}', 150);
    prometheus.set('load{app="web",pod="b"}', 300);
    await cluster.createDeployment(namespace, "web", 1);
    await cluster.applyScaler(namespace, "web", specOf("web"));
    await cluster.untilReplicas(namespace, "web", 5);
    prometheus.set('load{app="web",pod="b"}', 750);
    await cluster.untilReplicas(namespace, "web", 9);
    prometheus.set('load{app="web",pod="b"}', 0);
    await cluster.untilReplicas(namespace, "web", 2);
    const { status } = await cluster.scaler(namespace, "web");
    expect(status.metrics).toEqual([
      { name: 'sum(load{app="web"})', type: "Prometheus", target: "100", current: expect.any(String) as string },
    ]);
  });

  it("by a value that all share keeps the ratio", async () => {
    prometheus.set('latency{app="ratio"}', 0.9);
    await cluster.createDeployment(namespace, "ratio", 2);
    const target = { type: "Value", value: "300m" };
    const metrics = [{ type: "Prometheus", prometheus: { query: 'latency{app="ratio"}', target } }];
    await cluster.applyScaler(namespace, "ratio", specOf("ratio", { metrics, max_replicas: 6 }));
    await cluster.untilReplicas(namespace, "ratio", 6);
  });
});

describe("what fails", () => {
  beforeEach(async () => {
    prometheus.set('load{app="held"}', 400);
    await cluster.createDeployment(namespace, "held", 1);
    await cluster.applyScaler(namespace, "held", specOf("held"));
    await untilCondition("held", "ScalingActive", works);
    await cluster.untilReplicas(namespace, "held", 4);
  });

  afterEach(async () => {
    await untilCondition("held", "ScalingActive", works);
    expect(await cluster.replicas(namespace, "held")).toBe(4);
  });

  it("of the server is said, and passes when it is back", async () => {
    await stopComponent("prometheus", sandbox);
    try {
      await untilCondition("held", "ScalingActive", failed, "server main cannot be reached (ECONNREFUSED)");
      expect(await cluster.replicas(namespace, "held")).toBe(4);
    } finally {
      await startComponent("prometheus", sandbox);
    }
  });

  it("of the Secret is said, and a change of it counts by itself", async () => {
    await nameServers({ main: { url: "http://user:hunter2@127.0.0.1" }, other: { url } });
    await untilCondition("held", "ScalingActive", failed, "server main cannot be asked: key main of Secret");
    expect(await statusText("held")).not.toContain("hunter2");
    await nameServers({ other: { url } });
    await untilCondition("held", "ScalingActive", failed, "server main is not known, there are other; ");
    await nameServers({ main: { url } });
    await untilCondition("held", "ScalingActive", works);
  });

  it.each([
    ["has many series", 'load{app="web"}', "answers with 2 series, not with one"],
    ["has none", 'load{app="nobody"}', "has no series for it"],
    ["divides by 0", "vector(0) / 0", "answers with the value NaN"],
    ["is a range", "load[1m]", "answers with a range of values"],
    ["is wrong", "sum(load", "answers with HTTP 400: bad_data: "],
    ["is below 0", "vector(-1)", "its value is -1, and no load is below 0"],
  ])("of a query that %s is said", async (_, query, text) => {
    await cluster.applyScaler(namespace, "held", specOf("held", {}, query));
    await untilCondition("held", "ScalingActive", failed, text);
    expect(await cluster.replicas(namespace, "held")).toBe(4);
    await cluster.applyScaler(namespace, "held", specOf("held"));
  });

  it("is warned of when it is a server that nobody has named", async () => {
    const metrics = [
      {
        type: "Prometheus",
        prometheus: { query: "up", server: "eu", target: { type: "AverageValue", averageValue: "100" } },
      },
    ];
    const manifest = JSON.stringify(cluster.scalerManifest("held", specOf("held", { metrics })));
    const warning = "Warning: spec.metrics[0].prometheus.server: server eu is not known, there are main; ";
    expect((await cluster.untilTold(namespace, manifest, warning)).code).toBe(0);
    await kube(["apply", "-n", namespace, "-f", "-"], manifest);
    await untilCondition("held", "ScalingActive", failed, "server eu is not known, there are main; ");
    await cluster.applyScaler(namespace, "held", specOf("held"));
  });
});
