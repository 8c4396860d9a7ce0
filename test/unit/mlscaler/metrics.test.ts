import { describe, expect, it } from "vitest";
import { ApiError } from "../../../capabilities/common/api";
import { Discovery } from "../../../capabilities/common/discovery";
import { Sources } from "../../../capabilities/mlscaler/metrics";
import { Metric, MetricTarget } from "../../../capabilities/mlscaler/metrics/schema";
import { MetricsError } from "../../../capabilities/mlscaler/scaling/reading";
import { broken, FakeApi, forbidden, notFound, refused } from "../fake-api";
import { pass, start, useFakeTime } from "../time";

const now = start.getTime();
const of = { namespace: "shop", selector: "app=web", now };
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

const target: MetricTarget = { type: "AverageValue", averageValue: 1 };
const selector = {
  matchLabels: { tier: "front" },
  matchExpressions: [
    { key: "zone", operator: "In" as const, values: ["b", "a"] },
    { key: "env", operator: "NotIn" as const, values: ["test"] },
    { key: "paid", operator: "Exists" as const },
    { key: "canary", operator: "DoesNotExist" as const },
  ],
};
const selected = "tier=front,zone in (a,b),env notin (test),paid,!canary";

const cpu: Metric = { type: "Resource", resource: { name: "cpu", target } };
const cpuOf = (container: string): Metric => ({
  type: "ContainerResource",
  containerResource: { name: "cpu", container, target },
});
const pods: Metric = { type: "Pods", pods: { metric: { name: "requests" }, target } };
const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const object: Metric = { type: "Object", object: { describedObject: ingress, metric: { name: "requests" }, target } };
const external: Metric = { type: "External", external: { metric: { name: "queue|length" }, target } };

const podsPath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests";
const objectPath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/ingresses.networking.k8s.io/main/requests";
const namespacePath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/metrics/requests";
const externalPath = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue%7Clength";
const resourcePath = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";

const groupOf = (name: string, ...versions: string[]): object => ({
  versions: versions.map(version => ({ groupVersion: `${name}/${version}` })),
});

const discovered: Record<string, object> = {
  "/apis/metrics.k8s.io": groupOf("metrics.k8s.io", "v1beta1"),
  "/apis/custom.metrics.k8s.io": groupOf("custom.metrics.k8s.io", "v1beta1", "v1beta2"),
  "/apis/external.metrics.k8s.io": groupOf("external.metrics.k8s.io", "v1beta1"),
  "/apis/networking.k8s.io": groupOf("networking.k8s.io", "v1"),
  "/apis/networking.k8s.io/v1": { resources: [{ name: "ingresses", kind: "Ingress", namespaced: true }] },
};

/** Sources of a cluster that answers so, by path; what throws is an answer too. */
function cluster(answers: Record<string, unknown>): { sources: Sources; api: FakeApi } {
  const api = new FakeApi(({ path }) => {
    const answer = path in answers ? answers[path] : discovered[path];
    if (answer instanceof Error) throw answer;
    if (answer === undefined) throw notFound(path);
    return answer;
  });
  return { api, sources: new Sources(api, new Discovery(api)) };
}

const values = (...items: object[]): object => ({ items });
const value = (name: string, quantity: unknown, rest: object = {}): object => ({
  describedObject: { kind: "Pod", name },
  timestamp: ago(1),
  value: quantity,
  ...rest,
});
const series = (quantity: string, timestamp = ago(1)): object => ({
  metricName: "queue|length",
  timestamp,
  value: quantity,
});
const usage = (name: string, containers: Record<string, Record<string, string>>, rest: object = {}): object => ({
  metadata: { name },
  timestamp: ago(1),
  window: "1m0.5s",
  containers: Object.entries(containers).map(([container, used]) => ({ name: container, usage: used })),
  ...rest,
});

const sampled = (milli: number, at = now - 1000, windowMilliseconds = 60_500): object => ({
  milli,
  at,
  windowMilliseconds,
});

async function failureOf(promise: Promise<unknown>): Promise<MetricsError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MetricsError);
  return error as MetricsError;
}

describe("Resource and ContainerResource", () => {
  const items = values(
    usage("a", { web: { cpu: "250m" }, proxy: { cpu: "1n" } }),
    usage("b", { web: { cpu: "1" } }, { window: "20.25s", timestamp: ago(20) }),
    usage("partly", { web: { cpu: "1" }, proxy: { memory: "1Gi" } }),
    usage("garbage", { web: { cpu: "lots" } }),
    usage("empty", {}),
  );

  it("sums over containers, each rounded up, and leaves out pods of which a part is missing", async () => {
    const { sources, api } = cluster({ [resourcePath]: items });
    expect(await sources.read(cpu, of)).toEqual({
      samples: new Map([
        ["a", sampled(251)],
        ["b", sampled(1000, now - 20_000, 20_250)],
      ]),
    });
    expect(api.calls).toMatchObject([{ path: resourcePath, timeoutSeconds: 5 }]);
  });

  it("reads one container, from the same list", async () => {
    const { sources, api } = cluster({ [resourcePath]: items });
    await sources.read(cpu, of);
    expect(await sources.read(cpuOf("proxy"), of)).toEqual({ samples: new Map([["a", sampled(1)]]) });
    expect(api.calls).toHaveLength(1);
  });

  it("fails when no pod has it", async () => {
    const { sources } = cluster({ [resourcePath]: items });
    expect(await failureOf(sources.read(cpuOf("sidecar"), of))).toMatchObject({
      reason: "FailedGetContainerResourceMetric",
      message:
        "ContainerResource metric cpu of container sidecar: metrics.k8s.io has it for no pod of namespace shop; check the name",
    });
    const gpu: Metric = { type: "Resource", resource: { name: "gpu", target } };
    expect((await failureOf(sources.read(gpu, of))).reason).toBe("FailedGetResourceMetric");
  });
});

describe("Pods", () => {
  it("reads all pods of the selector in one request, from the newest version that there is", async () => {
    const { sources, api } = cluster({
      [podsPath]: values(
        value("a", "1500m", { windowSeconds: 30 }),
        value("b", 2),
        value("c", "lots"),
        value("d", "-1"),
      ),
    });
    expect(await sources.read(pods, of)).toEqual({
      samples: new Map([
        ["a", sampled(1500, now - 1000, 30_000)],
        ["b", sampled(2000, now - 1000, 60_000)],
        ["d", sampled(-1000, now - 1000, 60_000)],
      ]),
    });
    expect(api.calls.at(-1)).toMatchObject({ path: podsPath, query: { labelSelector: "app=web" }, timeoutSeconds: 5 });
  });

  it("narrows the series by the metric's selector", async () => {
    const { sources, api } = cluster({ [podsPath]: values(value("a", 1)) });
    await sources.read({ type: "Pods", pods: { metric: { name: "requests", selector }, target } }, of);
    expect(api.calls.at(-1)?.query).toEqual({ labelSelector: "app=web", metricLabelSelector: selected });
  });

  it("makes do with v1beta1", async () => {
    const { sources } = cluster({
      "/apis/custom.metrics.k8s.io": groupOf("custom.metrics.k8s.io", "v1beta1"),
      [podsPath.replace("v1beta2", "v1beta1")]: values(value("a", 1, { metricName: "requests", window: 20 })),
    });
    expect(await sources.read(pods, of)).toEqual({ samples: new Map([["a", sampled(1000, now - 1000, 20_000)]]) });
  });

  it("fails when none of its values is a Quantity", async () => {
    const { sources } = cluster({ [podsPath]: values(value("a", "lots")) });
    expect((await failureOf(sources.read(pods, of))).message).toContain("none of its values is a Quantity");
  });
});

describe("Object", () => {
  it("finds the resource of the kind and reads the one value", async () => {
    const { sources, api } = cluster({ [objectPath]: values(value("main", "10k")) });
    expect(await sources.read(object, of)).toEqual({ milli: 10_000_000 });
    expect(api.calls.at(-1)?.query).toEqual({});
  });

  it("reads a metric of the namespace beside the objects in it, whatever name it has", async () => {
    const { sources, api } = cluster({ [namespacePath]: values(value("shop", 3)) });
    const describedObject = { kind: "Namespace", name: "elsewhere" };
    const metric = { name: "requests", selector };
    expect(await sources.read({ type: "Object", object: { describedObject, metric, target } }, of)).toEqual({
      milli: 3000,
    });
    expect(api.calls.at(-1)?.query).toEqual({ metricLabelSelector: selected });
  });

  it("fails when there is not one value of it, or none that is a Quantity", async () => {
    const two = cluster({ [objectPath]: values(value("main", 1), value("main", 2)) });
    expect(await failureOf(two.sources.read(object, of))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message:
        "Object metric requests of Ingress main: there are 2 values of it, not one; narrow them by metric.selector",
    });
    const garbage = cluster({ [objectPath]: values(value("main", "lots")) });
    expect((await failureOf(garbage.sources.read(object, of))).message).toContain('its value "lots" is no Quantity');
  });

  it("fails when there is no such kind, or nobody can say", async () => {
    const { sources } = cluster({ "/apis/networking.k8s.io/v1": { resources: [] } });
    expect((await failureOf(sources.read(object, of))).message).toContain(
      "the cluster has no kind Ingress in the API of networking.k8s.io/v1; check describedObject",
    );
    const away = cluster({ "/apis/networking.k8s.io": broken() });
    expect(await failureOf(away.sources.read(object, of))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message: expect.stringContaining("InternalError: etcd is away") as string,
    });
  });
});

describe("External", () => {
  it("sums its series", async () => {
    const { sources, api } = cluster({ [externalPath]: values(series("8.2"), series("400m"), series("-1")) });
    expect(await sources.read(external, of)).toEqual({ milli: 7600 });
    expect(api.calls).toMatchObject([{ path: externalPath, query: {} }]);
  });

  it("narrows them by the selector", async () => {
    const { sources, api } = cluster({ [externalPath]: values(series("1")) });
    await sources.read({ type: "External", external: { metric: { name: "queue|length", selector }, target } }, of);
    expect(api.calls[0]?.query).toEqual({ labelSelector: selected });
  });

  it("is capped at the largest int64", async () => {
    const most = series("9223372036854775807m");
    const { sources } = cluster({ [externalPath]: values(most, most) });
    expect(await sources.read(external, of)).toEqual({ milli: 2 ** 63 });
  });

  it("fails when one series is no Quantity: a part is not the sum", async () => {
    const { sources } = cluster({ [externalPath]: values(series("1"), series("lots")) });
    expect((await failureOf(sources.read(external, of))).reason).toBe("FailedGetExternalMetric");
  });
});

const all: [reason: string, metric: Metric, path: string, group: string][] = [
  ["FailedGetResourceMetric", cpu, resourcePath, "metrics.k8s.io"],
  ["FailedGetContainerResourceMetric", cpuOf("web"), resourcePath, "metrics.k8s.io"],
  ["FailedGetPodsMetric", pods, podsPath, "custom.metrics.k8s.io"],
  ["FailedGetObjectMetric", object, objectPath, "custom.metrics.k8s.io"],
  ["FailedGetExternalMetric", external, externalPath, "external.metrics.k8s.io"],
];

describe.each(all)("%s", (reason, metric, path, group) => {
  const failing = (answers: Record<string, unknown>): Promise<MetricsError> =>
    failureOf(cluster(answers).sources.read(metric, of));

  it.each<[string, unknown, string]>([
    ["403", forbidden(), "may not be read: forbidden; apply dist/install again"],
    ["404", notFound("the metric"), "does not know it: the metric not found; check the name"],
    ["500", broken(), 'failed: InternalError: etcd is away; see "kubectl get apiservices"'],
    ["no connection", refused(), "failed: ECONNREFUSED"],
    [
      "no answer in time",
      new ApiError(0, "TimeoutError", "no answer in time"),
      "failed: TimeoutError: no answer in time",
    ],
    ["no JSON", new ApiError(200, "InvalidAnswer", "the answer is not JSON"), "failed: InvalidAnswer"],
    ["a text", "the adapter is starting", "answered in an unknown form"],
    ["items of another form", values({ metadata: {} }), "answered in an unknown form: items.0."],
    ["an empty list", values(), "has no value of it"],
    ["an empty list as Go may write it", { items: null }, "has no value of it"],
  ])("is why there is no reading after %s, and says what to do", async (_, answer, text) => {
    const failure = await failing({ [path]: answer });
    expect(failure.reason).toBe(reason);
    expect(failure.message).toContain(`: ${group} ${text}`);
  });

  it("is why there is none without that API", async () => {
    const failure = await failing({ [`/apis/${group}`]: notFound() });
    expect(failure.reason).toBe(reason);
    expect(failure.message).toMatch(
      new RegExp(`: the cluster has no API ${group} \\(v1beta.*\\); install (metrics-server|a metrics adapter)$`),
    );
  });

  it("is why there is none of late: after 5 min a value says nothing of now", async () => {
    const items = (seconds: number): object =>
      values({
        ...usage("main", { web: { cpu: "1" } }),
        ...value("main", 1),
        window: undefined,
        timestamp: ago(seconds),
      });
    expect(await failing({ [path]: items(301) })).toMatchObject({
      reason,
      message: expect.stringContaining(
        `: ${group} has 1 of its values too old, the newest of 2025-12-31T23:54:59.000Z`,
      ) as string,
    });
    await cluster({ [path]: items(299) }).sources.read(metric, of);
  });
});

describe("of stale values", () => {
  it("those of some pods are left out", async () => {
    const { sources } = cluster({ [podsPath]: values(value("a", 1), value("old", 2, { timestamp: ago(301) })) });
    const reading = await sources.read(pods, of);
    expect("samples" in reading && [...reading.samples.keys()]).toEqual(["a"]);
  });

  it("those of pods are named, whatever the type", async () => {
    const { sources } = cluster({
      [podsPath]: values(value("a", 1), value("old", 2, { timestamp: ago(301) })),
      [resourcePath]: values(
        usage("a", { web: { cpu: "1" } }),
        usage("old", { web: { cpu: "1" } }, { timestamp: ago(301) }),
      ),
    });
    for (const metric of [pods, cpu, cpuOf("web")])
      expect(await sources.read(metric, of)).toMatchObject({ stale: ["old"] });
  });

  it("one is enough to have no sum", async () => {
    const { sources } = cluster({ [externalPath]: values(series("1"), series("1", ago(301))) });
    expect((await failureOf(sources.read(external, of))).reason).toBe("FailedGetExternalMetric");
  });

  it("one without a time is none", async () => {
    const { sources } = cluster({ [podsPath]: values(value("a", 1, { timestamp: null })) });
    expect(await sources.read(pods, of)).toEqual({ samples: new Map([["a", sampled(1000, 0, 60_000)]]) });
  });
});

describe("Sources", () => {
  useFakeTime();
  const answers = {
    [resourcePath]: values(usage("a", { web: { cpu: "1" } })),
    [podsPath]: values(value("a", 1)),
    [objectPath]: values(value("main", 1)),
    [externalPath]: values(series("1")),
  };

  it.each(all)("ask once for all that want the same at the same time: %s", async (_reason, metric, path) => {
    const { sources, api } = cluster(answers);
    await Promise.all(Array.from({ length: 50 }, () => sources.read(metric, of)));
    expect(api.calls.filter(call => call.path === path)).toHaveLength(1);
  });

  it.each(all)("see within 5 s what changed, and that a failure has passed: %s", async (_reason, metric, path) => {
    const changing: Record<string, unknown> = { ...answers, [path]: broken() };
    const { sources } = cluster(changing);
    await failureOf(sources.read(metric, of));
    changing[path] = (answers as Record<string, unknown>)[path];
    await pass(3);
    await sources.read(metric, of);
  });

  it("use one list of pod metrics for 3 s, one of an adapter for 1 s", async () => {
    const { sources, api } = cluster(answers);
    for (let second = 0; second < 6; second++) {
      await sources.read(cpu, of);
      await sources.read(pods, of);
      await pass(1);
    }
    expect(api.calls.filter(({ path }) => path === resourcePath)).toHaveLength(2);
    expect(api.calls.filter(({ path }) => path === podsPath)).toHaveLength(6);
  });

  it("do not mix up namespaces, targets and selectors", async () => {
    const { sources, api } = cluster(answers);
    await sources.read(pods, of);
    await sources.read(pods, { ...of, selector: "app=other" });
    await sources.read({ type: "Pods", pods: { metric: { name: "requests", selector }, target } }, of);
    await failureOf(sources.read(pods, { ...of, namespace: "blog" }));
    const asked = api.calls.filter(({ path }) => path.endsWith("/requests"));
    expect(new Set(asked.map(({ path, query }) => JSON.stringify([path, query]))).size).toBe(4);
  });

  it("have no reading of a metric without its block", async () => {
    const { sources } = cluster(answers);
    expect(await failureOf(sources.read({ type: "ContainerResource" }, of))).toMatchObject({
      reason: "InvalidMetricSourceType",
      message: "a metric of type ContainerResource has no containerResource; give it",
    });
  });

  it("let an error of our own through", async () => {
    const { sources } = cluster({ [podsPath]: new TypeError("a bug") });
    await expect(sources.read(pods, of)).rejects.toBeInstanceOf(TypeError);
  });
});

describe("an API that does not answer in time", () => {
  useFakeTime();

  const silence = new ApiError(0, "TimeoutError", "no answer in time");
  const asked = (name: string): Metric => ({ type: "External", external: { metric: { name }, target } });
  let answers: Record<string, unknown>;
  const pathOf = (name: string): string => `/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/${name}`;
  const setUp = (): { ask: (name: string) => Promise<string>; questions: () => number } => {
    answers = Object.fromEntries(["a", "b", "c", "d"].map(name => [pathOf(name), silence]));
    const { sources, api } = cluster(answers);
    const ask = (name: string): Promise<string> =>
      sources.read(asked(name), { ...of, now: Date.now() }).then(
        () => "answered",
        (error: Error) => error.message,
      );
    return { ask, questions: () => api.calls.filter(({ path }) => path.startsWith(pathOf(""))).length };
  };

  it("three times in a row is asked once in 10 s, whatever about, and again by all once it answers", async () => {
    const { ask, questions } = setUp();
    for (const name of ["a", "b", "c"]) expect(await ask(name)).toContain("TimeoutError: no answer in time");
    await pass(5);
    for (const name of ["d", "a", "b"])
      expect(await ask(name)).toContain("it did not answer 3 times, and is asked again soon");
    expect(questions()).toBe(3);
    await pass(5);
    for (const name of ["a", "b", "c"]) await ask(name);
    expect(questions()).toBe(4);
    await pass(10);
    for (const name of ["a", "b"]) answers[pathOf(name)] = values(series("1", new Date().toISOString()));
    expect([await ask("a"), await ask("b")]).toEqual(["answered", "answered"]);
  });

  it("now and then is asked as ever, as is one that fails at once", async () => {
    const { ask, questions } = setUp();
    answers[pathOf("a")] = broken();
    for (const name of ["b", "c", "a", "d", "b"]) {
      await ask(name);
      await pass(20);
    }
    for (const name of ["a", "c", "d"]) await ask(name);
    expect(questions()).toBe(8);
  });
});
