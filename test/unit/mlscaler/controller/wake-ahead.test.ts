import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { FakeCluster } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { noise, replayed } from "../memory/remembered";
import { controllerOf, TestedController } from "./controller-of";

const minute = 60_000;
const day = 86_400_000;

let cluster: FakeCluster;
let controller: TestedController;
let woken: string[];

/** Opens at 02:00 and closes at 12:00; 0 else. */
const openingHours = (at: number): number => {
  const minutes = Math.floor((at % day) / minute);
  return minutes >= 120 && minutes < 720 ? 400 + 20 * noise(at) : 0;
};

const prometheus = {
  type: "Prometheus",
  prometheus: { query: "sum(rate(requests[1m]))", target: { type: "AverageValue", averageValue: "100" } },
};

/** Syncs once a minute until a time of the first day, and the minutes at which the count changed. */
async function until(key: string, hours: number, each: () => void = () => undefined): Promise<Map<number, number>> {
  const changes = new Map<number, number>();
  let before = cluster.deployments.get("web")?.replicas ?? NaN;
  while (Date.now() < start.getTime() + hours * 60 * minute) {
    each();
    await controller.sync(key);
    const now = cluster.deployments.get("web")?.replicas ?? NaN;
    if (now !== before) changes.set((Date.now() - start.getTime()) / minute, now);
    before = now;
    await replayed();
    await pass(60);
  }
  return changes;
}

/** An MLScaler whose two weeks of history are read and replayed. */
async function create(spec: object): Promise<string> {
  const metrics = [prometheus];
  const given = { metric: undefined, history_size: undefined, min_replicas: 0, max_replicas: 100, metrics };
  const key = cluster.create("web", { ...given, sync_period_seconds: 60, ...spec });
  await controller.sync(key);
  while (woken.length < 1) await turn();
  await controller.sync(key);
  await replayed();
  await pass(60);
  return key;
}

beforeEach(() => {
  cluster = new FakeCluster();
  woken = [];
  controller = controllerOf(cluster, { woken });
  vi.spyOn(Prometheus.prototype, "query").mockImplementation(() =>
    Promise.resolve({ value: openingHours(Date.now()) }),
  );
  vi.spyOn(Prometheus.prototype, "range").mockImplementation((_namespace, _server, _query, from, to, step) =>
    Promise.resolve(
      Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => [
        from + index * step,
        openingHours(from + index * step),
      ]),
    ),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a target at 0 replicas with opening hours", () => {
  useFakeTime();

  it.each([
    [
      "scale_to_zero",
      {
        scale_to_zero: {
          activation: [{ ...prometheus, prometheus: { query: prometheus.prometheus.query, threshold: 1 } }],
        },
      },
    ],
    ["HPA's rule", {}],
  ])("wakes before they begin, and not long before, by %s", async (_, spec) => {
    cluster.deploy("web", 1);
    const key = await create(spec);
    const changes = await until(key, 2);
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Trusted");
    const [[wakes, replicas] = [NaN, NaN]] = [...changes].filter(([, count]) => count > 0);
    expect(replicas).toBeGreaterThan(0);
    expect(wakes).toBeGreaterThanOrEqual(105);
    expect(wakes).toBeLessThan(120);
  });

  it("waits for the load where the forecast is off", async () => {
    cluster.deploy("web", 0);
    const key = cluster.create("web", {
      ...{ metric: undefined, history_size: undefined, min_replicas: 0, max_replicas: 100, metrics: [prometheus] },
      ...{ sync_period_seconds: 60, forecast: { model: "off" }, scale_to_zero: {} },
    });
    expect([...(await until(key, 2.1))].map(([at]) => at)[0]).toBe(120);
  });

  it("a failure of the activation leaves the wake to the forecast", async () => {
    cluster.deploy("web", 0);
    const key = await create({ scale_to_zero: {} });
    vi.spyOn(Prometheus.prototype, "query").mockRejectedValue(new MetricsError("FailedGetPrometheusMetric", "away"));
    const changes = await until(key, 1);
    expect([...changes]).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")?.reason).toBe("FailedGetPrometheusMetric");
  });
});
