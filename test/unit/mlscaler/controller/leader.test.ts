import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeCluster, writesOf } from "../../fake-cluster";
import { useFakeTime } from "../../time";
import { Setting } from "./setting";

const finalizer = "mlscaler.example.com/finalizer";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

describe("a change of leader", () => {
  useFakeTime();

  it("leaves no claim of an MLScaler that went while another process led", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    setting.leading = false;
    setting.controller.seen(cluster.stored(older));
    setting.controller.seen({
      ...cluster.stored(older),
      metadata: { ...cluster.stored(older).metadata, deletionTimestamp: "now" },
    });
    cluster.mlscalers.delete(older);
    setting.leading = true;
    const younger = cluster.create("younger");
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("forgets, when it looks again, what was deleted unseen", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    setting.controller.seen(cluster.stored(older));
    cluster.mlscalers.delete(older);
    const younger = cluster.create("younger");
    await setting.sync(younger);
    expect(cluster.condition(younger, "AbleToScale")?.reason).toBe("AmbiguousTarget");
    expect(setting.controller.known().sort()).toEqual(["shop/older", "shop/younger"]);
    setting.controller.invalidate(older);
    expect(await setting.sync(older)).toEqual({ next: "forget" });
    expect(setting.woken).toContain(`MLScaler ${younger}`);
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("ends a sync before anything is written", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    setting.leading = false;
    await expect(setting.sync(key)).rejects.toThrow("the Lease was lost");
    expect(cluster.api.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("in the middle of a sync ends it without a write: no scale, no status, no Event", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", {}, { finalizers: [finalizer] });
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation(async (...call) => {
      const answer = await get(...call);
      if (call[0].endsWith("/scale")) setting.leading = false;
      return answer;
    });
    await expect(setting.sync(key)).rejects.toThrow("the Lease was lost");
    expect(writesOf(cluster.api)).toEqual([]);
  });
});
