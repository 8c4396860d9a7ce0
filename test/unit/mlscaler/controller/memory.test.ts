import { describe, expect, it, vi } from "vitest";
import { broken, forbidden } from "../../fake-api";
import { pass } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("the restart rule (C06)", () => {
  it("scales nothing down for 300 s after it first saw the target", async () => {
    const key = cluster.createOn(5);
    cluster.load = 0.3;
    for (let second = 0; second <= 290; second += 10) {
      await setting.sync(key);
      expect(setting.replicas()).toBe(5);
      await pass(10);
    }
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("ScaleDownStabilized");
    await pass(10);
    await setting.sync(key);
    expect(setting.replicas()).toBe(3);
  });

  it("is not needed by a process that finds what the one before remembered: its window goes on", async () => {
    const key = cluster.createOn(5);
    await setting.loads(key, [0.5, 0.2, 0.2, 0.2, 0.2]);
    setting.restart();
    await setting.syncs(key, 5);
    expect(setting.replicas()).toBe(5);
    await pass(30);
    await setting.sync(key);
    expect(setting.replicas()).toBe(2);
    expect(cluster.condition(key, "ForecastReady")?.status).toBe("True");
  });

  it("holds as well when the first attempts failed", async () => {
    const key = cluster.createOn(5);
    cluster.load = 0.3;
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken(), 3);
    await setting.syncs(key, 5, 30);
    expect(setting.replicas()).toBe(5);
  });

  it("holds for an MLScaler that was created anew under the same name", async () => {
    const key = cluster.createOn(5);
    await setting.syncs(key, 3, 200);
    cluster.deployments.set("web", { replicas: 8, version: 1, selector: "app=web" });
    cluster.create("web", {}, { uid: "another" });
    await pass(30);
    await setting.sync(key);
    expect(setting.replicas()).toBe(8);
  });
});

describe("what it remembers", () => {
  it("outlives a spec that is invalid for a while", async () => {
    const key = cluster.createOn(5, { history_size: 20 });
    await setting.syncs(key, 6);
    cluster.stored(key).spec.history_size = 1;
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.reason).toBe("InvalidSpec");
    cluster.stored(key).spec.history_size = 20;
    await setting.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 6 of 20 samples");
  });

  it.each([
    [true, "Learning 17 of 20 samples"],
    [false, "Learning 1 of 20 samples"],
  ])("outlives the process to the last sample when it is told of its end: %s", async (told, message) => {
    const key = cluster.createOn(5, { history_size: 20 });
    // It is stored every ten minutes, here at 120 s: more samples are lost than are bridged.
    await setting.syncs(key, 16);
    if (told) await setting.controller.flush();
    setting.restart();
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe(message);
  });

  it("keeps its history when history_size grows, and begins anew with another period", async () => {
    const key = cluster.createOn(5);
    await setting.syncs(key, 6);
    cluster.stored(key).spec.history_size = 20;
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 7 of 20 samples");
    cluster.stored(key).spec.sync_period_seconds = 60;
    await setting.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 1 of 20 samples");
  });

  it("does not act for an hour on what it knew before the clock was put back by one", async () => {
    const key = cluster.createOn(3, { history_size: 3 });
    await setting.loads(key, [0.2, 0.4, 0.6, 0.8]);
    vi.setSystemTime(Date.now() - 3600_000);
    await setting.loads(key, Array<number>(30).fill(0.2));
    // 15 min after the load fell, and long after the window of 300 s.
    expect(setting.replicas()).toBe(2);
  });
});

describe("a state that cannot be read", () => {
  const path = "configmaps/mlscaler-state-uid-web";

  it("holds the count, is told, and is there when it can be read", async () => {
    const key = cluster.createOn(5, {
      history_size: 20,
      behavior: { scaleDown: { stabilizationWindowSeconds: 120 } },
    });
    await setting.syncs(key, 12, 30);
    await setting.controller.flush();
    const stored = cluster.configMaps.get("mlscaler-state-uid-web");
    setting.restart();
    cluster.fail("GET", path, forbidden());
    cluster.load = 0.2;
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "StateUnreadable" });
    expect(cluster.condition(key, "Ready")?.message).toContain("Until then the count is not lowered");
    expect(cluster.stored(key).status).toMatchObject({
      decision: { reason: expect.stringContaining("not lowered while the stored state cannot be read") as string },
    });
    await setting.syncs(key, 3, 30);
    expect([setting.replicas(), cluster.configMaps.get("mlscaler-state-uid-web")]).toEqual([5, stored]);
    cluster.heal();
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    // The samples of before and those of the hold.
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(/^Learning 1[5-9] of 20 samples$/);
  });

  it("holds no longer than what is stored could count, and scales up meanwhile", async () => {
    const key = cluster.createOn(5, { forecast: { model: "off" } });
    cluster.fail("GET", path, broken());
    cluster.load = 0.7;
    await setting.sync(key);
    expect(setting.replicas()).toBe(7);
    cluster.load = 0.2;
    await setting.syncs(key, 10, 30);
    expect(setting.replicas()).toBe(7);
    await setting.syncs(key, 13, 30);
    expect(setting.replicas()).toBe(2);
    expect(cluster.condition(key, "Ready")?.reason).toBe("StateUnreadable");
    expect(cluster.configMaps.size).toBe(0);
  });
});

describe("a clock that jumps", () => {
  it.each([-3600, 28 * 86_400])("by %d s neither shortens nor lengthens a window", async seconds => {
    const key = cluster.createOn(5, { forecast: { model: "off" } });
    await setting.syncs(key, 12, 30);
    cluster.load = 0.2;
    // The samples of this cluster have our time, so those of before a jump are too old or of the future after it.
    const jump = async (by: number): Promise<void> => {
      vi.setSystemTime(Date.now() + by * 1000);
      await pass(30);
    };
    await jump(seconds);
    await setting.syncs(key, 5, 30);
    await jump(-seconds);
    await setting.syncs(key, 4, 30);
    expect(setting.replicas()).toBe(5);
    // The last sync with the higher load was 300 s before the last of these.
    await setting.syncs(key, 2, 30);
    expect(setting.replicas()).toBe(2);
  });
});
