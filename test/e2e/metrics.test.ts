import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { Discovery } from "../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../capabilities/mlscaler/metrics/apis";
import { Metric, readMetric } from "../../capabilities/mlscaler/metrics/registry";
import { loadOf } from "../../capabilities/mlscaler/metrics/load";
import { MetricTarget } from "../../capabilities/mlscaler/metrics/schema";
import { isLive, MetricsError, Reading } from "../../capabilities/mlscaler/metrics/reading";
import { readShortForm } from "../../capabilities/mlscaler/metrics/short-form-metric";
import { listPods } from "../../capabilities/mlscaler/metrics/pod-watch";
import * as cluster from "./cluster";
import { Fault, MetricsAdapter } from "./metrics-adapter";

const { api, kube, until } = cluster;

const average = (averageValue: string): MetricTarget => ({ type: "AverageValue", averageValue });
const front = { matchLabels: { tier: "front" }, matchExpressions: [{ key: "zone", operator: "Exists" as const }] };
const pods = (name: string, target = "10"): Metric => ({
  type: "Pods",
  pods: { metric: { name }, target: average(target) },
});
const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const object = (
  name: string,
  describedObject: { apiVersion?: string; kind: string; name: string } = ingress,
): Metric => ({
  type: "Object",
  object: { describedObject, metric: { name }, target: average("10") },
});
const external = (name: string, selector?: typeof front): Metric => ({
  type: "External",
  external: { metric: { name, ...(selector && { selector }) }, target: average("10") },
});

let adapter: MetricsAdapter;
let namespace: string;

/** A source without cached values, so that it reads a value that was just set. */
const read = (metric: Metric, from: Api = api): Promise<Reading> =>
  readMetric(metric, { namespace, selector: "app=web", now: Date.now() }, metricsApis(from, new Discovery(from)));

async function failureOf(metric: Metric, from?: Api): Promise<MetricsError> {
  const error: unknown = await read(metric, from).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MetricsError);
  return error as MetricsError;
}

async function milliOf(metric: Metric, from?: Api): Promise<Record<string, number> | number> {
  const reading = await read(metric, from);
  if ("milli" in reading) return reading.milli;
  return Object.fromEntries([...reading.samples].map(([name, { milli }]) => [name, milli]));
}

/** Names of the Ready pods of a Deployment. */
async function podsOf(name: string): Promise<string[]> {
  const found = (await listPods(api, namespace, `app=${name}`)).filter(isLive);
  return found.filter(({ ready }) => ready?.status).map(pod => pod.name);
}

beforeAll(async () => {
  adapter = await MetricsAdapter.start();
  namespace = await cluster.createNamespace("metrics");
  await cluster.createDeployment(namespace, "web", 2);
  await cluster.createDeployment(namespace, "other", 1);
  await until(
    "the pods are Ready",
    async () => (await podsOf("web")).length === 2 && (await podsOf("other")).length === 1,
  );
});

afterAll(async () => {
  await adapter.stop();
  await kube(["delete", "namespace", namespace, "--wait=false"]);
});

describe("a source reads through the aggregator", () => {
  it("what pods and containers use", async () => {
    const [first = ""] = await podsOf("web");
    await kube(["annotate", "pod", first, "-n", namespace, "kwok.x-k8s.io/usage-cpu=250m"]);
    const cpu: Metric = { type: "Resource", resource: { name: "cpu", target: average("1") } };
    const names = await podsOf("web");
    await until("metrics-server has the pods", async () => {
      const milli = await milliOf(cpu);
      return typeof milli === "object" && milli[first] === 250 && names.every(name => name in milli);
    });
    const container: Metric = {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "web", target: average("1") },
    };
    expect(await milliOf(container)).toMatchObject({ [first]: 250 });
    const reading = await read(cpu);
    const sample = "samples" in reading ? reading.samples.get(first) : undefined;
    expect(Date.now() - (sample?.at ?? 0)).toBeLessThan(120_000);
    expect(sample?.windowMilliseconds).toBeGreaterThan(1000);
  });

  it("a metric of each pod of the target, and of no other", async () => {
    const [first = "", second = ""] = await podsOf("web");
    adapter.setPods(namespace, "requests", pod => (pod === first ? "1500m" : "8.2"), { tier: "front", zone: "a" });
    expect(await milliOf(pods("requests"))).toEqual({ [first]: 1500, [second]: 8200 });
    const ofTier = (selector: object): Metric => ({
      type: "Pods",
      pods: { metric: { name: "requests", selector }, target: average("1") },
    });
    expect(await milliOf(ofTier(front))).toEqual({ [first]: 1500, [second]: 8200 });
    expect((await failureOf(ofTier({ matchLabels: { tier: "back" } }))).reason).toBe("FailedGetPodsMetric");
    adapter.setPods(namespace, "requests", pod => (pod === first ? "2" : undefined));
    expect(await milliOf(pods("requests"))).toEqual({ [first]: 2000 });
  });

  it("a metric of an object, and of the namespace", async () => {
    adapter.setObject(namespace, "ingresses.networking.k8s.io/main", "hits", { value: "10k" });
    adapter.setObject(namespace, "services/main", "hits", { value: "7" });
    adapter.setObject(namespace, "metrics", "hits", { value: "3" });
    expect(await milliOf(object("hits"))).toBe(10_000_000);
    expect(await milliOf(object("hits", { apiVersion: "v1", kind: "Service", name: "main" }))).toBe(7000);
    expect(await milliOf(object("hits", { kind: "Namespace", name: "any" }))).toBe(3000);
  });

  it("the series of an external metric that are selected, summed", async () => {
    adapter.setExternal(
      namespace,
      "queue|length",
      { value: "8.2", labels: { tier: "front", zone: "a" } },
      { value: "400m", labels: { tier: "front", zone: "b" } },
      { value: "100", labels: { tier: "front" } },
      { value: "100", labels: { tier: "back", zone: "a" } },
    );
    expect(await milliOf(external("queue|length"))).toBe(208_600);
    expect(await milliOf(external("queue|length", front))).toBe(8600);
  });

  it("the load of a short form", async () => {
    adapter.setPods(namespace, "sessions", () => "12.5");
    const found = await listPods(api, namespace, "app=web");
    const of = { namespace, selector: "app=web", now: Date.now() };
    const samples = await readShortForm("sessions", of, metricsApis(api, new Discovery(api)));
    const load = loadOf(found, samples, 1, new Set(), of.now);
    expect(load).toEqual({ lowest: 25, highest: 25, recorded: 25, ready: 2, sampled: 2 });
  });
});

describe("a failure", () => {
  const cases: [reason: string, metric: (name: string) => Metric, set: (name: string) => void][] = [
    ["FailedGetPodsMetric", name => pods(name), name => adapter.setPods(namespace, name, () => "1")],
    [
      "FailedGetObjectMetric",
      name => object(name),
      name => adapter.setObject(namespace, "ingresses.networking.k8s.io/main", name, { value: "1" }),
    ],
    ["FailedGetExternalMetric", name => external(name), name => adapter.setExternal(namespace, name, { value: "1" })],
  ];
  const texts: [Fault, string][] = [
    ["403", "may not be read: "],
    ["404", "does not know it: "],
    ["500", "failed: InternalError: "],
    ["slow", "no answer in time"],
    ["garbage", "answered in an unknown form: "],
    ["stale", "too old, the newest of "],
    ["empty", "has no value of it"],
  ];

  describe.each(cases)("is %s", (reason, metric, set) => {
    it.each(texts)("after %s, and passes with it", async (fault, text) => {
      const name = `faulty-${fault}`;
      set(name);
      adapter.fail(name, fault);
      const asked = performance.now();
      const failure = await failureOf(metric(name));
      expect(performance.now() - asked).toBeLessThan(8_000);
      expect(failure.reason).toBe(reason);
      expect(failure.message).toContain(text);
      adapter.fail(name, undefined);
      expect(await milliOf(metric(name))).toBeTruthy();
    });
  });

  it("says that the cluster has no such API, until it has", async () => {
    adapter.setExternal(namespace, "queue", { value: "1" });
    adapter.setPods(namespace, "requests", () => "1");
    await adapter.unregister("external.metrics.k8s.io");
    await adapter.unregister("custom.metrics.k8s.io");
    expect((await failureOf(external("queue"))).message).toContain("the cluster has no API external.metrics.k8s.io");
    expect((await failureOf(pods("requests"))).message).toContain("the cluster has no API custom.metrics.k8s.io");
    await adapter.register("external.metrics.k8s.io");
    await adapter.register("custom.metrics.k8s.io");
    expect(await milliOf(external("queue"))).toBe(1000);
    expect(Object.keys(await milliOf(pods("requests")))).toHaveLength(2);
  });

  it("says what may not be read, and the rights of the module are enough", async () => {
    adapter.setPods(namespace, "requests", () => "1");
    adapter.setObject(namespace, "metrics", "hits", { value: "3" });
    adapter.setExternal(namespace, "queue", { value: "1" });
    const cpu: Metric = { type: "Resource", resource: { name: "cpu", target: average("1") } };
    const all = [cpu, pods("requests"), object("hits", { kind: "Namespace", name: "any" }), external("queue")];
    const nobody = await apiOf("default");
    for (const metric of all) expect((await failureOf(metric, nobody)).message).toContain("may not be read: ");
    await grantRights("default");
    for (const metric of all) await until(`${metric.type} is read`, async () => (await milliOf(metric, nobody)) !== 0);
  });
});

describe("a real HPA scales on the adapter's metrics", () => {
  const hpa = (name: string, metric: Metric): object => ({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 9,
      metrics: [metric],
    },
  });

  it.concurrent.each<[string, Metric, number, () => void]>([
    ["pods", pods("jobs"), 9, () => adapter.setPods(namespace, "jobs", () => "30")],
    [
      "object",
      object("jobs"),
      4,
      () => adapter.setObject(namespace, "ingresses.networking.k8s.io/main", "jobs", { value: "40" }),
    ],
    [
      "external",
      external("jobs", front),
      7,
      () => {
        const labels = { tier: "front", zone: "a" };
        adapter.setExternal(namespace, "jobs", { value: "30", labels }, { value: "40", labels }, { value: "999" });
      },
    ],
  ])("of %s", async (name, metric, count, set) => {
    set();
    await cluster.createDeployment(namespace, name, 1);
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpa(name, metric)));
    await until(`${name} at ${count}`, async () => (await cluster.replicas(namespace, name)) === count, {
      seconds: 120,
      seen: () => kube(["get", "hpa", name, "-n", namespace, "-o", "jsonpath={.status.conditions}"]),
    });
  });
});

describe("an MLScaler scales on the adapter's metrics, holds while they fail, and says why", () => {
  const long = (metric: Metric): object => ({ metrics: [metric], behavior: { scaleDown: noWindow } });
  const noWindow = { stabilizationWindowSeconds: 0 };
  const ingressPath = "ingresses.networking.k8s.io/main";

  it.concurrent.each<[string, object, string, (name: string, total: number) => void]>([
    ["pods", long(pods("pods-load")), "Pods", (name, total) => adapter.setPods(namespace, name, () => `${total}`)],
    [
      "object",
      long(object("object-load")),
      "Object",
      (name, total) => adapter.setObject(namespace, ingressPath, name, { value: `${total}` }),
    ],
    [
      "external",
      long(external("external-load")),
      "External",
      (name, total) => adapter.setExternal(namespace, name, { value: `${total}` }),
    ],
    [
      "short",
      { metric: "short-load", history_size: 2, replicas_per_unit: "100m", forecast: { model: "off" } },
      "Pods",
      (name, total) => adapter.setPods(namespace, name, () => `${total}`),
    ],
  ])("of %s", async (name, fields, type, set) => {
    const target = `scaled-${name}`;
    const metric = `${name}-load`;
    set(metric, 30);
    await cluster.createDeployment(namespace, target, 1);
    const spec = { target_deployment: target, max_replicas: 3, sync_period_seconds: 5, ...fields };
    await cluster.applyScaler(namespace, target, spec);
    await cluster.untilReplicas(namespace, target, 3);

    const reason = `FailedGet${type}Metric`;
    adapter.fail(metric, "500");
    const condition = (): Promise<string | undefined> => cluster.condition(namespace, target, "ScalingActive");
    await until("the condition says so", async () => (await condition()) === `False/${reason}`);
    await cluster.untilEvent(namespace, target, `Warning ${reason} `);
    expect(await cluster.replicas(namespace, target)).toBe(3);

    adapter.fail(metric, undefined);
    await until("it goes on", async () => (await condition()) === "True/ValidMetricFound");
    await kube(["delete", "mls", target, "-n", namespace]);
    // With metrics the deletion leaves it, as that of an HPA does.
    expect(await cluster.replicas(namespace, target)).toBe("metrics" in fields ? 3 : 1);
  });
});

describe("the adapter", () => {
  it("leaves no API behind", async () => {
    await adapter.stop();
    const left = await kube(["get", "apiservices,services", "-A", "-o", "name"]);
    expect(left).not.toMatch(/custom\.metrics|external\.metrics|metrics-adapter/);
    adapter = await MetricsAdapter.start();
  });
});

/** A client with the rights of a ServiceAccount of the namespace. */
async function apiOf(serviceAccount: string): Promise<Api> {
  const token = (await kube(["create", "token", serviceAccount, "-n", namespace])).trim();
  const view = z
    .looseObject({ users: z.array(z.looseObject({ name: z.string() })) })
    .parse(JSON.parse(await kube(["config", "view", "--raw", "-o", "json"])));
  const config = { ...view, users: view.users.map(({ name }) => ({ name, user: { token } })) };
  const file = join(tmpdir(), `${namespace}-${serviceAccount}.kubeconfig`);
  const before = process.env.KUBECONFIG;
  const other = new Api();
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  try {
    process.env.KUBECONFIG = file;
    // The client knows its own identity from now on.
    await other.get("/version");
  } finally {
    process.env.KUBECONFIG = before;
    rmSync(file);
  }
  return other;
}

/** Gives a ServiceAccount of the namespace the rights on metrics in the module's ClusterRole. */
async function grantRights(serviceAccount: string): Promise<void> {
  const text = readFileSync(join(__dirname, "../../capabilities/mlscaler/rbac.yaml"), "utf8");
  const roleSchema = z.object({
    kind: z.literal("ClusterRole"),
    metadata: z.object({ name: z.literal("mlscaler") }),
    rules: z.array(z.looseObject({ apiGroups: z.array(z.string()) })),
  });
  const [role] = parseAllDocuments(text).flatMap(document => roleSchema.safeParse(document.toJS()).data ?? []);
  const rules = role?.rules.filter(({ apiGroups: [group = ""] }) => group.endsWith("metrics.k8s.io"));
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "metrics" };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const subjects = [{ kind: "ServiceAccount", name: serviceAccount, namespace }];
  const items = [
    { apiVersion, kind: "Role", metadata: { name: "metrics" }, rules },
    { apiVersion, kind: "RoleBinding", metadata: { name: "metrics" }, roleRef, subjects },
  ];
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}
