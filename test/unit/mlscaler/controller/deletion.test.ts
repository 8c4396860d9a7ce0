import { describe, expect, it, vi } from "vitest";
import { broken, conflict, forbidden, refused, unprocessable } from "../../fake-api";
import { start } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("deletion", () => {
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } };
  const long = { metric: undefined, history_size: undefined, metrics: [cpu] };

  /** An MLScaler that scaled web from 3 to 5 and is now being deleted. */
  async function scaledAndDeleted(spec: Record<string, unknown> = {}): Promise<string> {
    const key = cluster.createOn(3, { min_replicas: 2 });
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
    cluster.scaled.length = 0;
    const object = cluster.stored(key);
    object.metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    Object.assign(object.spec, spec);
    return key;
  }
  const gone = (key: string): boolean => !cluster.mlscalers.has(key);

  it("puts the target to min_replicas, then lets the MLScaler go", async () => {
    const key = await scaledAndDeleted();
    expect(await setting.sync(key)).toEqual({ next: "forget" });
    expect(setting.replicas()).toBe(2);
    expect(gone(key)).toBe(true);
    expect(cluster.events.at(-1)).toMatchObject({ reason: "SuccessfulRescale" });
    expect(cluster.events.at(-1)?.message).toContain("5 → 2");
    expect(cluster.configMaps.get("mlscaler-state-uid-web")).toMatchObject({
      metadata: { annotations: { "mlscaler.example.com/unowned-since": start.toISOString() } },
    });
  });

  it("does so in the long form if on_delete says so, and in a process that never saw it before", async () => {
    const key = await scaledAndDeleted({ ...long, on_delete: "Min" });
    setting.restart();
    await setting.sync(key);
    expect(setting.replicas()).toBe(2);
  });

  it.each<[string, number, object]>([
    ["on_delete Keep", 5, { on_delete: "Keep" }],
    ["metrics, as the deletion of an HPA does", 5, long],
    ["mode Observe", 5, { mode: "Observe" }],
    ["pause All", 5, { pause: "All" }],
    ["pause Down", 5, { pause: "Down" }],
    ["pause Up, below min_replicas", 1, { pause: "Up" }],
    ["0 replicas", 0, {}],
  ])("leaves the target as it is with %s", async (_, replicas, spec) => {
    const key = await scaledAndDeleted({ ...spec });
    cluster.deploy("web", replicas);
    expect(await setting.sync(key)).toEqual({ next: "forget" });
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
  });

  it("leaves a target that it never scaled as it is", async () => {
    const key = cluster.createOn(5);
    await setting.sync(key);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
    expect(gone(key)).toBe(true);
  });

  it("leaves a target that another MLScaler acts on as it is, and wakes that one", async () => {
    const key = await scaledAndDeleted();
    const other = cluster.create("other");
    setting.controller.onListed(cluster.stored(other));
    await setting.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
    expect(setting.woken).toEqual([`MLScaler ${other}`]);
  });

  it("leaves a target that another MLScaler claims while the requests of the deletion run", async () => {
    const key = await scaledAndDeleted();
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation((path, ...rest) => {
      if (path.endsWith("/horizontalpodautoscalers"))
        setting.controller.onListed(cluster.stored(cluster.create("other")));
      return get(path, ...rest);
    });
    await setting.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
  });

  it("goes on when the target is missing, forbidden, or refuses", async () => {
    for (const [method, error] of [
      ["GET", forbidden()],
      ["PUT", forbidden()],
      ["PUT", unprocessable()],
    ] as const) {
      const key = await scaledAndDeleted();
      cluster.fail(method, "/scale", error);
      expect(await setting.sync(key)).toEqual({ next: "forget" });
      expect(gone(key)).toBe(true);
      cluster.heal();
    }
    const key = await scaledAndDeleted();
    cluster.deployments.clear();
    expect(await setting.sync(key)).toEqual({ next: "forget" });
    expect(gone(key)).toBe(true);
  });

  it("reads the target again at once when another wrote at the same time", async () => {
    const key = await scaledAndDeleted();
    cluster.fail("PUT", "/scale", conflict(), 1);
    await setting.sync(key);
    expect(setting.replicas()).toBe(2);
    expect(gone(key)).toBe(true);
  });

  it("is tried again when the API server fails or others write all the time", async () => {
    for (const [method, error, times] of [
      ["GET", refused(), 1],
      ["PUT", broken(), 1],
      ["PUT", conflict(), 6],
    ] as const) {
      const key = await scaledAndDeleted();
      cluster.fail(method, "/scale", error, times);
      expect(await setting.sync(key)).toMatchObject({ next: "retry", error });
      expect(gone(key)).toBe(false);
      await setting.sync(key);
      expect(setting.replicas()).toBe(2);
      expect(gone(key)).toBe(true);
    }
  });

  it("writes nothing to the target when the Lease was lost meanwhile", async () => {
    const key = await scaledAndDeleted();
    setting.holdsLease = false;
    await setting.sync(key).catch(() => undefined);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(false);
  });
});
