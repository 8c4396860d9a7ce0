import { describe, expect, it } from "vitest";
import { broken, forbidden } from "../../fake-api";
import { pass } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("the restart rule (C06)", () => {
  it("holds as well when the first attempts failed", async () => {
    const key = cluster.createOn(5);
    cluster.load = 0.3;
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken(), 3);
    await setting.syncs(key, 5, 30);
    expect(setting.replicas()).toBe(5);
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
    expect(setting.condition(key, "Ready")).toBe("False/StateUnreadable");
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
});
