import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../../capabilities/kubernetes/api";
import { MetricsError } from "../../../../../capabilities/mlscaler/metrics/reading";
import { Metric } from "../../../../../capabilities/mlscaler/metrics/registry";
import { broken, forbidden, notFound, refused } from "../../../fake-api";
import { pass, useFakeTime } from "../../../time";
import {
  ago,
  cluster,
  cpu,
  cpuOf,
  external,
  externalPath,
  failureOf,
  object,
  objectPath,
  subject,
  pods,
  podsPath,
  resourcePath,
  sampled,
  selector,
  series,
  target,
  usage,
  value,
  values,
} from "../metrics-cluster";

const all: [reason: string, metric: Metric, path: string, group: string][] = [
  ["FailedGetResourceMetric", cpu, resourcePath, "metrics.k8s.io"],
  ["FailedGetContainerResourceMetric", cpuOf("web"), resourcePath, "metrics.k8s.io"],
  ["FailedGetPodsMetric", pods, podsPath, "custom.metrics.k8s.io"],
  ["FailedGetObjectMetric", object, objectPath, "custom.metrics.k8s.io"],
  ["FailedGetExternalMetric", external, externalPath, "external.metrics.k8s.io"],
];

const silence = new ApiError(0, "TimeoutError", "no answer in time");

describe.each(all)("%s", (reason, metric, path, group) => {
  const failing = (answers: Record<string, unknown>): Promise<MetricsError> =>
    failureOf(cluster(answers).read(metric, subject));

  it.each<[string, unknown, string]>([
    ["403", forbidden(), "may not be read: forbidden; apply dist/install again"],
    ["404", notFound("the metric"), "does not know it: the metric not found; check the name"],
    ["500", broken(), 'failed: InternalError: etcd is away; see "kubectl get apiservices"'],
    ["no connection", refused(), "failed: ECONNREFUSED"],
    ["no answer in time", silence, 'gave no answer in time; see "kubectl get apiservices" and the log of '],
    ["no JSON", new ApiError(200, "InvalidAnswer", "the answer is not JSON"), "failed: InvalidAnswer"],
    [
      "too large an answer",
      new ApiError(0, "TooLarge", "it is large"),
      "failed: it is large; narrow it by metric.selector, or",
    ],
    ["a text", "the adapter is starting", "failed: InvalidAnswer: the answer is not a list"],
    ["items that are no list", { items: {} }, "failed: InvalidAnswer: the answer is not a list"],
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
      new RegExp(`: the cluster has no API ${group} \\(v1.*\\); install (metrics-server|a metrics adapter)$`),
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
    await cluster({ [path]: items(299) }).read(metric, subject);
  });
});

describe("stale values", () => {
  it("of pods are apart, whatever the type", async () => {
    const { read } = cluster({
      [podsPath]: values(value("a", 1), value("old", 2, { timestamp: ago(301) })),
      [resourcePath]: values(
        usage("a", { web: { cpu: "1" } }),
        usage("old", { web: { cpu: "1" } }, { timestamp: ago(301) }),
      ),
    });
    for (const metric of [pods, cpu, cpuOf("web")]) {
      const reading = await read(metric, subject);
      if (!("samples" in reading)) throw new Error("it is no reading of pods");
      expect([[...reading.samples.keys()], [...(reading.stale?.keys() ?? [])]]).toEqual([["a"], ["old"]]);
    }
  });

  it("leave no sum, even one", async () => {
    const { read } = cluster({ [externalPath]: values(series("1"), series("1", ago(301))) });
    expect((await failureOf(read(external, subject))).reason).toBe("FailedGetExternalMetric");
  });

  it("are none without a time", async () => {
    const { read } = cluster({ [podsPath]: values(value("a", 1, { timestamp: null })) });
    expect(await read(pods, subject)).toEqual({ samples: new Map([["a", sampled(1000, 0, 60_000)]]) });
  });
});

describe("the metrics APIs", () => {
  useFakeTime();
  const answers = {
    [resourcePath]: values(usage("a", { web: { cpu: "1" } })),
    [podsPath]: values(value("a", 1)),
    [objectPath]: values(value("main", 1)),
    [externalPath]: values(series("1")),
  };

  it("share one list of pod metrics for 3 s, one of an adapter for 1 s", async () => {
    const { read, api } = cluster(answers);
    for (let second = 0; second < 6; second++) {
      await read(cpu, subject);
      await read(pods, subject);
      await pass(1);
    }
    expect(api.calls.filter(({ path }) => path === resourcePath)).toHaveLength(2);
    expect(api.calls.filter(({ path }) => path === podsPath)).toHaveLength(6);
  });

  it("do not mix up namespaces, targets and selectors", async () => {
    const { read, api } = cluster(answers);
    await read(pods, subject);
    await read(pods, { ...subject, selector: "app=other" });
    await read({ type: "Pods", pods: { metric: { name: "requests", selector }, target } }, subject);
    await failureOf(read(pods, { ...subject, namespace: "blog" }));
    const asked = api.calls.filter(({ path }) => path.endsWith("/requests"));
    expect(new Set(asked.map(({ path, query }) => JSON.stringify([path, query]))).size).toBe(4);
  });
});

describe("an API that does not answer in time", () => {
  useFakeTime();

  const metricCalled = (name: string): Metric => ({ type: "External", external: { metric: { name }, target } });
  let answers: Record<string, unknown>;
  const pathOf = (name: string): string => `/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/${name}`;
  const setUp = (): { ask: (name: string) => Promise<string>; requests: () => number } => {
    answers = Object.fromEntries(["a", "b", "c", "d"].map(name => [pathOf(name), silence]));
    const { read, api } = cluster(answers);
    const ask = (name: string): Promise<string> =>
      read(metricCalled(name), { ...subject, now: Date.now() }).then(
        () => "answered",
        (error: Error) => error.message,
      );
    return { ask, requests: () => api.calls.filter(({ path }) => path.startsWith(pathOf(""))).length };
  };

  it("three times in a row is asked once in 10 s, in the same words, and as ever once it answers", async () => {
    const { ask, requests } = setUp();
    const told = new Set<string>();
    for (let second = 0; second < 30; second++) {
      told.add(await ask("a"));
      await pass(1);
    }
    expect(requests()).toBe(3 + 2);
    expect([...told]).toEqual([
      'External metric a: external.metrics.k8s.io gave no answer in time; see "kubectl get apiservices" and the log of ' +
        "a metrics adapter",
    ]);
    await pass(10);
    answers[pathOf("a")] = values(series("1", new Date().toISOString()));
    expect([await ask("a"), await ask("a")]).toEqual(["answered", "answered"]);
  });
});
