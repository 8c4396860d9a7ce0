import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { FakeCluster } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { controllerOf, TestedController } from "./controller-of";
import { noise, replayed } from "../memory/remembered";

const minute = 60_000;
const lead = 20 * minute;

/** A load without rhythm: another level every 40 minutes. */
const service = (at: number): number => 200 + 600 * noise(Math.floor(at / (40 * minute)) * 40 * minute, 2) + noise(at);
/** What comes to the service 20 minutes later. */
const gateway = (at: number): number => 2 * service(at + lead);

let cluster: FakeCluster;
let controller: TestedController;
let woken: string[];
/** Whether the gateway's query fails. */
let fails: boolean;

beforeEach(() => {
  cluster = new FakeCluster();
  woken = [];
  fails = false;
  controller = controllerOf(cluster, { woken });
  const loadOf = (query: string): ((at: number) => number) => (query === "gateway" ? gateway : service);
  vi.spyOn(Prometheus.prototype, "query").mockImplementation((_namespace, _server, query) =>
    fails && query === "gateway"
      ? Promise.reject(new MetricsError("FailedGetPrometheusMetric", "Prometheus metric gateway: server main is away"))
      : Promise.resolve({ value: loadOf(query)(Date.now()) }),
  );
  vi.spyOn(Prometheus.prototype, "range").mockImplementation((_namespace, _server, query, from, to, step) =>
    Promise.resolve(
      Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => {
        const at = from + index * step;
        return [at, loadOf(query)(at)] as [number, number];
      }),
    ),
  );
});

afterEach(() => {
  vi.restoreAllMocks();
});

const forecastOf = (key: string): Record<string, unknown> | undefined =>
  cluster.stored(key).status?.forecast as Record<string, unknown> | undefined;
const replicas = (): number => cluster.deployments.get("web")?.replicas ?? NaN;

async function syncs(key: string, count: number): Promise<void> {
  for (let sync = 0; sync < count; sync++) {
    await controller.sync(key);
    await pass(15);
  }
}

/** An MLScaler of the service, after its histories have been read and replayed. */
async function begin(forecast: object): Promise<string> {
  cluster.deploy("web", 5);
  const target = { type: "AverageValue", averageValue: "100" };
  const metrics = [{ type: "Prometheus", prometheus: { query: "service", target } }];
  const key = cluster.create("web", {
    ...{ metric: undefined, history_size: undefined, max_replicas: 100, metrics },
    forecast: { horizon_seconds: 600, ...forecast },
  });
  await syncs(key, 1);
  const reads = "leading" in forecast ? 2 : 1;
  while (woken.length < reads) await turn();
  await syncs(key, 1);
  await replayed();
  await syncs(key, 1);
  await replayed();
  await syncs(key, 1);
  return key;
}

const leading = [{ prometheus: { query: "gateway" } }];

describe("a load without rhythm", () => {
  useFakeTime();

  it("is foreseen as far as its leader leads, and met before it rises", async () => {
    const key = await begin({ leading });
    expect(forecastOf(key)).toMatchObject({ model: "leading", trusted: true });
    const rise = start.getTime() + 40 * minute;
    expect(service(rise) / service(rise - 1)).toBeGreaterThan(2);
    await syncs(key, Math.floor((rise - 2 * minute - Date.now()) / 15_000));
    expect(replicas()).toBeGreaterThanOrEqual(Math.floor(service(rise) / 100));
    expect(cluster.stored(key).status?.metrics).toHaveLength(1);
  });

  it("is not foreseen without it", async () => {
    const key = await begin({});
    expect(forecastOf(key)).toMatchObject({ trusted: false });
    expect(forecastOf(key)?.model).not.toBe("leading");
  });

  it("is forecast by the other models while its leader fails, ForecastReady says why, and nothing is lowered or held", async () => {
    const key = await begin({ leading });
    fails = true;
    await syncs(key, 4 * 12);
    expect(forecastOf(key)?.load).toBeDefined();
    expect(forecastOf(key)?.model).not.toBe("leading");
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(
      /; without a load of spec\.forecast\.leading: Prometheus metric gateway: server main is away$/,
    );
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(replicas()).toBeGreaterThanOrEqual(Math.ceil(service(Date.now()) / 110));
    fails = false;
    await syncs(key, 4 * 10);
    expect(forecastOf(key)?.model).toBe("leading");
    expect(cluster.condition(key, "ForecastReady")?.message).not.toMatch(/leading/);
  });
});
