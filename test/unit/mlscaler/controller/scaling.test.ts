import { describe, expect, it } from "vitest";
import { broken } from "../../fake-api";
import { writesOf } from "../../fake-cluster";
import { pass } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("a sync", () => {
  it("turns a history of 0.1 0.2 0.3 0.4 0.5 into 0.60 and 6 replicas", async () => {
    const key = cluster.createOn(3);
    await setting.loads(key, [0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(setting.replicas()).toBe(6);
    expect(cluster.stored(key).status).toMatchObject({
      predicted_replicas: 6,
      forecast: { model: "linear", samples: 5, horizon_seconds: 30 },
      decision: { reactive: 5, predictive: 6, final: 6 },
    });
    expect(Number((cluster.stored(key).status?.forecast as { load: string }).load)).toBe(0.6);
    expect(cluster.condition(key, "Scaled")).toMatchObject({ status: "True", reason: "PredictionBased" });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(cluster.condition(key, "ForecastReady")?.status).toBe("True");
    expect(cluster.events.at(-1)).toMatchObject({ type: "Normal", reason: "SuccessfulRescale" });
    expect(cluster.events.at(-1)?.message).toMatch(/^4 → 6: forecast 0\.60* cores in 30 s/);
  });

  it("lets the load decide while it learns, and syncs every 10 s, then every period", async () => {
    const key = cluster.createOn(3);
    cluster.load = 0.5;
    expect(await setting.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 30 });
    expect(setting.replicas()).toBe(5);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      status: "False",
      reason: "Learning",
      message: "Learning 1 of 5 samples",
    });
    await pass(30);
    expect(await setting.syncs(key, 4)).toEqual({ next: "sync", periodSeconds: 30 });
    expect(cluster.condition(key, "ForecastReady")?.status).toBe("True");
  });

  it("with a period below 10 s does not learn slower than it", async () => {
    const key = cluster.createOn(3, { sync_period_seconds: 5 });
    expect(await setting.sync(key)).toEqual({ next: "sync", periodSeconds: 5 });
  });

  it("writes a status only when it changed beyond noise", async () => {
    const key = cluster.createOn(5);
    await setting.syncs(key, 7);
    const before = writesOf(cluster.api).length;
    cluster.load = 0.4999;
    await setting.syncs(key, 20);
    expect(writesOf(cluster.api).length).toBe(before);
    cluster.load = 0.45;
    await pass(30);
    await setting.sync(key);
    expect(writesOf(cluster.api).slice(before)).toEqual([
      "PATCH /apis/example.com/v1/namespaces/shop/mlscalers/web/status",
    ]);
  });
});

describe("writing the scale", () => {
  it("remembers that it scaled although the status could not be written", async () => {
    const key = cluster.createOn(3);
    cluster.fail("PATCH", "/status", broken(), 1);
    expect(await setting.sync(key)).toHaveProperty("error");
    expect(setting.replicas()).toBe(5);
    await pass(5);
    await setting.sync(key);
    expect(cluster.stored(key).status).toHaveProperty("last_scale_time");
  });
});

describe("long periods", () => {
  it.each([300, 3600])("of %i s scale down too, on the second low sample at the latest", async period => {
    const key = cluster.createOn(8, { sync_period_seconds: period, history_size: 2 });
    cluster.load = 0.2;
    await setting.syncs(key, 3, period);
    expect(setting.replicas()).toBe(2);
  });
});
