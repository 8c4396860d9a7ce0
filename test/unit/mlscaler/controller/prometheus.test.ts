import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, MockInstance, vi } from "vitest";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { FakeCluster } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { controllerOf, TestedController } from "./controller-of";
import { noise, replayed } from "../memory/remembered";

const minute = 60_000;
const day = 86_400_000;
const promQl = "sum(rate(requests[1m]))";

let cluster: FakeCluster;
let controller: TestedController;
let woken: string[];
let query: MockInstance<Prometheus["query"]>;
let range: MockInstance<Prometheus["range"]>;

/** 400, by a quarter more and less over the day, and 300 more from 00:30 to 02:30; with a hundredth of noise. */
const daily = (at: number): number => {
  const time = at % day;
  const rise = time >= 30 * minute && time < 150 * minute ? 300 : 0;
  return 400 + 100 * Math.sin((2 * Math.PI * time) / day) + rise + 10 * noise(at);
};

const metric = (type: "AverageValue" | "Value" = "AverageValue"): object => ({
  type: "Prometheus",
  prometheus: { query: promQl, server: "main", target: { type, [type === "Value" ? "value" : "averageValue"]: "100" } },
});

function create(spec: object = {}, metrics = [metric()]): string {
  cluster.deploy("web", 5);
  return cluster.create("web", {
    ...{ metric: undefined, history_size: undefined, max_replicas: 100, metrics },
    ...spec,
  });
}

const forecastOf = (key: string): Record<string, unknown> | undefined =>
  cluster.stored(key).status?.forecast as Record<string, unknown> | undefined;

async function syncs(key: string, count: number): Promise<void> {
  for (let sync = 0; sync < count; sync++) {
    await controller.sync(key);
    await pass(15);
  }
}

/** Lets backfills come in that syncs have begun, until so many have. */
async function backfilled(times: number): Promise<void> {
  while (woken.length < times) await turn();
}

beforeEach(() => {
  cluster = new FakeCluster();
  woken = [];
  controller = controllerOf(cluster, { woken });
  query = vi.spyOn(Prometheus.prototype, "query");
  query.mockImplementation(() => Promise.resolve({ value: daily(Date.now()) }));
  range = vi.spyOn(Prometheus.prototype, "range");
  range.mockImplementation((_namespace, _server, _query, from, to, step) =>
    Promise.resolve(
      Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => [
        from + index * step,
        daily(from + index * step),
      ]),
    ),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a load that Prometheus has", () => {
  useFakeTime();

  it("is scaled on, its history read at once, and its forecast trusted within the first minute", async () => {
    const key = create();
    await controller.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Learning");
    await backfilled(1);
    expect(woken).toEqual(["MLScaler shop/web"]);
    await pass(2);
    // What is filled in is replayed, for which it is looked again sooner than a period later.
    expect(await controller.sync(key)).toMatchObject({ next: "soon", afterSeconds: 10 });
    await replayed();
    await pass(10);
    expect(await controller.sync(key)).toMatchObject({ next: "sync" });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    expect(Date.now() - start.getTime()).toBeLessThan(minute);
    await syncs(key, 4 * 27);
    expect(cluster.deployments.get("web")?.replicas).toBeGreaterThanOrEqual(7);
    expect(cluster.events.find(({ reason }) => reason === "SuccessfulRescale")?.message).toMatch(
      /^5 → \d: forecast \d+\.\d+ sum\(rate\(requests\[1m\]\)\) in 110 s \(.+, 90 % below\), target 100$/,
    );
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ name: promQl, type: "Prometheus", target: "100" }]);
    expect(range).toHaveBeenCalledTimes(4);
  });

  it("is kept, and asked for again only as far as it came while nobody looked", async () => {
    const key = create();
    await syncs(key, 1);
    await backfilled(1);
    await syncs(key, 1);
    await controller.flush();
    await pass(3600);
    controller = controllerOf(cluster, { woken });
    range.mockClear();
    await syncs(key, 1);
    await backfilled(2);
    expect(range).toHaveBeenCalledTimes(1);
    const [, , , from = NaN, to = NaN] = range.mock.calls[0] ?? [];
    expect((to - from) / minute).toBeGreaterThanOrEqual(59);
    expect((to - from) / minute).toBeLessThanOrEqual(65);
  });

  it("says which metric cannot be known, and lowers nothing", async () => {
    const key = create();
    await syncs(key, 1);
    query.mockRejectedValue(new MetricsError("FailedGetPrometheusMetric", "Prometheus metric up: server main is away"));
    await syncs(key, 40);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      ...{ status: "False", reason: "FailedGetPrometheusMetric" },
      message:
        "invalid metrics (1 invalid out of 1), first error is: failed to get prometheus metric value: Prometheus metric up: server main is away",
    });
    expect(cluster.deployments.get("web")?.replicas).toBe(5);
  });
});

describe("a value that is no total", () => {
  useFakeTime();

  it("is scaled on and neither forecast nor backfilled", async () => {
    const key = create({}, [metric("Value")]);
    query.mockResolvedValue({ value: 200 });
    await syncs(key, 1);
    expect(cluster.deployments.get("web")?.replicas).toBe(10);
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("NoTotal");
    expect(forecastOf(key)).toBeUndefined();
    expect(range).not.toHaveBeenCalled();
  });
});

describe("a server whose clock differs", () => {
  useFakeTime();
  const hour = 3_600_000;
  const skew = { server: "Prometheus server main", milliseconds: -hour };
  const shows = (at: number): void =>
    cluster.api.clock.observe({ date: new Date(at).toUTCString() }, performance.now());

  it("may raise the count and not lower it, and this is told until it is over", async () => {
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    query.mockResolvedValue({ value: 100, skew });
    // A backtest of a load of ours is not looked at here.
    range.mockResolvedValue([]);
    await syncs(key, 3);
    expect(cluster.deployments.get("web")?.replicas).toBe(5);
    const message =
      "the clock of Prometheus server main is 60 min behind that of the API server; correct it, until then its " +
      "values lower nothing";
    expect(cluster.condition(key, "ClockSkewed")).toMatchObject({ status: "True", reason: "ClockSkewed", message });
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "ClockSkewed", message });
    expect(cluster.stored(key).status?.decision).toMatchObject({
      reason: expect.stringContaining("not lowered, because the age of the metrics cannot be told") as string,
    });
    expect(cluster.events.at(-1)).toMatchObject({ type: "Warning", reason: "ClockSkewed", message });
    query.mockResolvedValue({ value: 800, skew });
    await syncs(key, 1);
    expect(cluster.deployments.get("web")?.replicas).toBe(8);
    query.mockResolvedValue({ value: 100 });
    await syncs(key, 1);
    expect(cluster.condition(key, "ClockSkewed")).toBeUndefined();
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(cluster.deployments.get("web")?.replicas).toBe(1);
  });

  it("that is the API server's is told, and lowers what values of a known age ask for", async () => {
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    query.mockResolvedValue({ value: 100 });
    range.mockResolvedValue([]);
    shows(Date.now() + hour);
    expect(await controller.sync(key)).toMatchObject({ next: "sync" });
    expect(cluster.deployments.get("web")?.replicas).toBe(1);
    expect(cluster.condition(key, "ClockSkewed")?.message).toBe(
      "the clock of the API server is 60 min ahead of that of MLScaler, by which schedules and histories go; " +
        "correct the clock of its node",
    );
    expect(cluster.condition(key, "Ready")?.reason).toBe("ClockSkewed");
    shows(Date.now());
    await syncs(key, 1);
    expect(cluster.condition(key, "ClockSkewed")).toBeUndefined();
  });

  it("is the one by which samples of pods are fresh or not", async () => {
    const spec = { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };
    const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } };
    const key = create(spec, [cpu]);
    // Ours is an hour behind, so the samples, which have our time in this cluster, are an hour old.
    shows(Date.now() + hour);
    await syncs(key, 1);
    expect(cluster.condition(key, "ScalingActive")?.message).toContain("too old");
    shows(Date.now() - hour);
    await syncs(key, 1);
    expect(cluster.condition(key, "ScalingActive")?.message).toContain("may not lower the count");
    expect(cluster.deployments.get("web")?.replicas).toBe(5);
  });
});
