import { beforeEach, describe, expect, it } from "vitest";
import { broken, conflict, unprocessable } from "../../fake-api";
import { FakeCluster, writesOf } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { Setting } from "./setting";

const finalizer = "mlscaler.example.com/finalizer";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

describe("a sync", () => {
  useFakeTime();

  it("turns a history of 0.1 0.2 0.3 0.4 0.5 into 0.60 and 6 replicas", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
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
    cluster.deploy("web", 3);
    const key = cluster.create("web");
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

  it("counts the syncs of one step as one sample", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { sync_period_seconds: 3600 });
    await setting.syncs(key, 5, 10);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 1 of 5 samples");
  });

  it("with a period below 10 s does not learn slower than it", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { sync_period_seconds: 5 });
    expect(await setting.sync(key)).toEqual({ next: "sync", periodSeconds: 5 });
  });

  it("writes the scale only when it is to differ", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await setting.syncs(key, 10);
    expect(cluster.scaled).toEqual([]);
    cluster.load = 0.7;
    await setting.syncs(key, 5);
    expect(cluster.scaled.filter((count, index) => count === cluster.scaled[index - 1])).toEqual([]);
    expect(cluster.scaled.length).toBeGreaterThan(0);
  });

  it("writes a status only when it changed beyond noise", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
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

  it("adds its finalizer first, and once", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", {}, { finalizers: ["other"] });
    await setting.syncs(key, 3);
    expect(cluster.stored(key).metadata.finalizers).toEqual(["other", finalizer]);
    const patches = cluster.api.of("PATCH").filter(({ path }) => path.endsWith("/web"));
    expect(patches).toHaveLength(1);
  });

  it("does not touch the target when its finalizer could not be added", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web");
    cluster.fail("PATCH", "/mlscalers/web", conflict());
    await expect(setting.sync(key)).rejects.toThrow();
    expect(cluster.scaled).toEqual([]);
  });

  it("forgets an MLScaler that is gone, and wakes those that waited for its target", async () => {
    cluster.deploy("web", 5);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger");
    await setting.sync(older);
    await setting.sync(younger);
    cluster.mlscalers.delete(older);
    setting.controller.invalidate(older);
    expect(await setting.sync(older)).toEqual({ next: "forget" });
    expect(setting.woken).toEqual([`MLScaler ${younger}`]);
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });
});

describe("writing the scale", () => {
  useFakeTime();

  it("says in the API's words why the target refuses a number, and tries again", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", unprocessable());
    expect(await setting.sync(key)).toMatchObject({ next: "retry", atMostSeconds: 10 });
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "False", reason: "FailedUpdateScale" });
    expect(cluster.condition(key, "AbleToScale")?.message).toContain("must be at most 7");
    expect(cluster.stored(key).status).not.toHaveProperty("last_scale_time");
    expect(setting.reasons()).toContain("FailedRescale");
  });

  it("throws when the API server fails, and then scales as if nothing had been", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", broken(), 1);
    await expect(setting.sync(key)).rejects.toThrow();
    await pass(5);
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
  });

  it("remembers that it scaled although the status could not be written", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PATCH", "/status", broken(), 1);
    await expect(setting.sync(key)).rejects.toThrow();
    expect(setting.replicas()).toBe(5);
    await pass(5);
    await setting.sync(key);
    expect(cluster.stored(key).status).toHaveProperty("last_scale_time");
  });

  it("writes nothing when it does not hold the Lease any more", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    setting.leading = false;
    await expect(setting.sync(key)).rejects.toThrow(/Lease/);
    expect(cluster.scaled).toEqual([]);
  });

  it("grows no faster than max(2 × current, 4)", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web", { max_replicas: 100 });
    cluster.load = 5;
    await setting.loads(key, [5, 5, 5, 5, 5], 15);
    expect(cluster.scaled).toEqual([4, 8, 16, 32, 50]);
  });

  it("leaves a target that a human put to 0 alone", async () => {
    cluster.deploy("web", 0);
    const key = cluster.create("web", { min_replicas: 2 });
    await setting.syncs(key, 3);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason: "ScalingDisabled" });
  });
});

describe("stabilisation and limit over syncs", () => {
  useFakeTime();

  it("keeps what was recommended last for 300 s after the load fell", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { history_size: 2 });
    await setting.loads(
      key,
      Array.from({ length: 14 }, () => 0.5),
    );
    await setting.loads(key, [0.8, 0.8]);
    const high = setting.replicas() ?? 0;
    expect(high).toBeGreaterThanOrEqual(8);
    await setting.loads(
      key,
      Array.from({ length: 8 }, () => 0.3),
    );
    expect(setting.replicas()).toBe(high);
    await setting.loads(
      key,
      Array.from({ length: 4 }, () => 0.3),
    );
    expect(setting.replicas()).toBe(3);
  });

  it("grows no faster with a period of 5 s than with one of 15 s", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web", { max_replicas: 100, sync_period_seconds: 5 });
    await setting.loads(key, [5, 5, 5, 5], 5);
    expect(cluster.scaled).toEqual([4, 8]);
  });
});

describe("long periods", () => {
  useFakeTime();

  it.each([300, 600, 3600])("of %i s scale down too, on the second low sample at the latest", async period => {
    cluster.deploy("web", 8);
    const key = cluster.create("web", { sync_period_seconds: period, history_size: 2 });
    cluster.load = 0.2;
    await setting.syncs(key, 3, period);
    expect(setting.replicas()).toBe(2);
  });

  it("scale nothing down on the first sample after an outage", async () => {
    cluster.deploy("web", 8);
    const key = cluster.create("web");
    cluster.load = 0.8;
    await setting.syncs(key, 6);
    await pass(3600);
    cluster.load = 0.1;
    await setting.sync(key);
    expect(setting.replicas()).toBe(8);
  });
});
