import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { start } from "../../time";
import { noise, replayed } from "../memory/remembered";
import { prometheusHas } from "./prometheus-loads";
import { cluster, longForm, setting, useSetting } from "./setting";

useSetting();

const minute = 60_000;
const lead = 20 * minute;

/** A load without rhythm: another level every 40 minutes. */
const service = (at: number): number => 200 + 600 * noise(Math.floor(at / (40 * minute)) * 40 * minute, 2) + noise(at);
/** What comes to the service 20 minutes later. */
const gateway = (at: number): number => 2 * service(at + lead);

const loadOf = (at: number, query: string): number => (query === "gateway" ? gateway : service)(at);

beforeEach(() => {
  prometheusHas(loadOf);
});

const forecastOf = (key: string): Record<string, unknown> | undefined =>
  cluster.stored(key).status?.forecast as Record<string, unknown> | undefined;

/** An MLScaler of the service, after its histories have been read and replayed. It is synced once a minute. */
async function begin(forecast: object): Promise<string> {
  const target = { type: "AverageValue", averageValue: "100" };
  const metrics = [{ type: "Prometheus", prometheus: { query: "service", target } }];
  const rest = { sync_period_seconds: 60, forecast: { model: "lags", horizon_seconds: 600, ...forecast } };
  const key = cluster.createOn(5, longForm(metrics, rest));
  await setting.course(key, 1);
  const reads = "leading" in forecast ? 2 : 1;
  while (setting.woken.length < reads) await turn();
  for (let time = 0; time < 2; time++) {
    await setting.course(key, 1);
    await replayed();
  }
  await setting.course(key, 1);
  return key;
}

const leading = [{ prometheus: { query: "gateway" } }];

describe("a load without rhythm", () => {
  it("is foreseen as far as its leader leads, and met before it rises", async () => {
    const key = await begin({ leading });
    expect(forecastOf(key)).toMatchObject({ model: "leading", trusted: true });
    const rise = start.getTime() + 40 * minute;
    expect(service(rise) / service(rise - 1)).toBeGreaterThan(2);
    await setting.course(key, Math.floor((rise - 2 * minute - Date.now()) / minute), { seconds: 60 });
    expect(setting.replicas()).toBeGreaterThanOrEqual(Math.floor(service(rise) / 100));
    expect(cluster.stored(key).status?.metrics).toHaveLength(1);
  });

  it("is forecast by the other models while its leader fails, ForecastReady says why, and nothing is lowered or held", async () => {
    const key = await begin({ leading });
    const away = new MetricsError("FailedGetPrometheusMetric", "Prometheus metric gateway: server main is away");
    prometheusHas((at, query) => {
      if (query === "gateway") throw away;
      return service(at);
    });
    await setting.course(key, 12, { seconds: 60 });
    expect(forecastOf(key)?.load).toBeDefined();
    expect(forecastOf(key)?.model).not.toBe("leading");
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(
      /; without a load of spec\.forecast\.leading: Prometheus metric gateway: server main is away$/,
    );
    for (const type of ["ScalingActive", "Ready"]) expect(cluster.condition(key, type)?.status).toBe("True");
    expect(setting.replicas()).toBeGreaterThanOrEqual(Math.ceil(service(Date.now()) / 110));
    prometheusHas(loadOf);
    await setting.course(key, 10, { seconds: 60 });
    expect(forecastOf(key)?.model).toBe("leading");
    expect(cluster.condition(key, "ForecastReady")?.message).not.toMatch(/leading/);
  });
});
