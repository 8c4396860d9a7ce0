import { describe, expect, it, vi } from "vitest";
import { writesOf } from "../../fake-cluster";
import { cluster, finalizer, setting, useSetting } from "./setting";

useSetting();

describe("a change of leader", () => {
  it("leaves no claim of an MLScaler that went while another process led", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    setting.holdsLease = false;
    setting.controller.onListed(cluster.stored(older));
    setting.controller.onListed({
      ...cluster.stored(older),
      metadata: { ...cluster.stored(older).metadata, deletionTimestamp: "now" },
    });
    cluster.mlscalers.delete(older);
    setting.holdsLease = true;
    const younger = cluster.create("younger");
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("forgets, when it looks again, what was deleted unseen", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    setting.controller.onListed(cluster.stored(older));
    cluster.mlscalers.delete(older);
    const younger = cluster.create("younger");
    await setting.sync(younger);
    expect(cluster.condition(younger, "AbleToScale")?.reason).toBe("AmbiguousTarget");
    expect(setting.controller.trackedKeys().sort()).toEqual(["shop/older", "shop/younger"]);
    setting.controller.doubt(older);
    expect(await setting.sync(older)).toEqual({ next: "forget" });
    expect(setting.woken).toContain(`MLScaler ${younger}`);
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("in the middle of a sync ends it without a write: no scale, no status, no Event", async () => {
    const key = cluster.createOn(3, {}, { finalizers: [finalizer] });
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation(async (...call) => {
      const answer = await get(...call);
      if (call[0].endsWith("/scale")) setting.holdsLease = false;
      return answer;
    });
    expect(await setting.sync(key)).toMatchObject({ error: { reason: "NotLeading" } });
    expect(writesOf(cluster.api)).toEqual([]);
  });
});
