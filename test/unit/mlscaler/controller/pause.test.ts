import { beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../fake-cluster";
import { useFakeTime } from "../../time";
import { Setting } from "./setting";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

describe("Observe and pause", () => {
  useFakeTime();

  it("Observe reports what it would do and never writes the scale", async () => {
    cluster.deploy("web", 30);
    const key = cluster.create("web", { mode: "Observe" });
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
    cluster.deploy("web", 5);
    const key = cluster.create("web", { pause });
    cluster.load = 0.9;
    await setting.syncs(key, 3);
    expect(setting.replicas()).toBe(expected);
    if (expected === 5) {
      expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason: "Paused" });
    }
  });

  it.each([
    ["All", 9],
    ["Up", 5],
    ["Down", 9],
  ])("pause %s: with a load for 5, 9 becomes %d after the window", async (pause, expected) => {
    cluster.deploy("web", 9);
    const key = cluster.create("web", { pause });
    await setting.syncs(key, 12);
    expect(setting.replicas()).toBe(expected);
  });
});
