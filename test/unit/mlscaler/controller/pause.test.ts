import { describe, expect, it } from "vitest";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("Observe and pause", () => {
  it("Observe reports what it would do and never writes the scale", async () => {
    const key = cluster.createOn(30, { mode: "Observe" });
    await setting.loads(key, [0.1, 0.9, 5, 0.1]);
    expect(cluster.api.of("PUT").filter(({ path }) => path.endsWith("/scale"))).toEqual([]);
    expect(setting.replicas()).toBe(30);
    expect(cluster.stored(key).status).toMatchObject({ current_replicas: 30, predicted_replicas: 10 });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it.each([
    ["All", 5],
    ["Up", 5],
    ["Down", 9],
  ])("pause %s: with a load for 9, 5 becomes %d", async (pause, expected) => {
    const key = cluster.createOn(5, { pause });
    cluster.load = 0.9;
    await setting.syncs(key, 3);
    expect(setting.replicas()).toBe(expected);
    if (expected === 5) {
      expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason: "Paused" });
    }
  });
});
