import { describe, expect, it } from "vitest";
import { broken, forbidden, refused } from "../../fake-api";
import { pass } from "../../time";
import { cluster, finalizer, setting, useSetting } from "./setting";

useSetting();

describe("what is missing", () => {
  it("a Deployment is a condition and a retry, and found when it comes", async () => {
    const key = cluster.create("web");
    expect(await setting.sync(key)).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 30 });
    for (const type of ["AbleToScale", "Ready"]) expect(setting.condition(key, type)).toBe("False/FailedGetScale");
    expect(cluster.condition(key, "Ready")?.message).toContain("Deployment web is not in namespace shop");
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedGetScale" }]);
    cluster.deploy("web", 5);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("metrics are a condition and a retry, and never move the target", async () => {
    const key = cluster.createOn(8);
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    const outcome = await setting.syncs(key, 30);
    expect(outcome).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 30 });
    expect(cluster.scaled).toEqual([]);
    for (const type of ["ScalingActive", "Ready"])
      expect(setting.condition(key, type)).toBe("False/FailedGetResourceMetric");
    expect(cluster.condition(key, "AbleToScale")?.status).toBe("True");
    cluster.heal();
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
  });

  it.each([
    ["a selector", "", "SelectorRequired", "the target has no label selector for its pods"],
    ["a selector that is one", "cheddar cheese", "InvalidSelector", '"cheddar cheese", which is not a label selector'],
  ])("%s: bounds hold all the same", async (_, selector, event, text) => {
    cluster.deploy("web", 12).selector = selector;
    const key = cluster.create("web");
    await setting.syncs(key, 2);
    const condition = cluster.condition(key, "ScalingActive");
    expect(condition).toMatchObject({ status: "False", reason: "InvalidSelector" });
    expect(condition?.message).toContain(text);
    const reasons = cluster.events.filter(({ type }) => type === "Warning").map(({ reason }) => reason);
    expect(reasons).toEqual([event, "FailedComputeMetricsReplicas"]);
    expect(cluster.scaled).toEqual([10]);
  });

  it("the right to list pods: bounds hold all the same", async () => {
    const key = cluster.createOn(12);
    cluster.fail("GET", "/api/v1/namespaces/shop/pods", forbidden());
    await setting.syncs(key, 2);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
      message: expect.stringContaining("pods cannot be listed: ") as string,
    });
    expect(setting.replicas()).toBe(10);
  });

  it("the API server: is tried again, and says so where it can", async () => {
    const key = cluster.createOn(5);
    await setting.sync(key);
    const before = structuredClone(cluster.stored(key));
    for (const end of ["/mlscalers/web", "/scale", "/api/v1/namespaces/shop/pods"]) {
      cluster.fail("GET", end, refused());
      expect(await setting.sync(key)).toMatchObject({ next: "retry", error: { reason: "ECONNREFUSED" } });
      cluster.heal();
      if (end === "/mlscalers/web") expect(cluster.stored(key)).toEqual(before);
    }
    expect(setting.condition(key, "AbleToScale")).toBe("True/SucceededGetScale");
    for (const type of ["ScalingActive", "Ready"])
      expect(setting.condition(key, type)).toBe("False/FailedGetResourceMetric");
    expect(cluster.stored(key).spec).toEqual(before.spec);
    expect(setting.replicas()).toBe(5);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});

describe("an invalid spec that is stored", () => {
  it("can be deleted", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create(
      "web",
      { min_replicas: 20 },
      { finalizers: [finalizer], deletionTimestamp: "2026-01-01T00:00:00Z" },
    );
    expect(await setting.sync(key)).toEqual({ next: "forget" });
    expect(cluster.mlscalers.has(key)).toBe(false);
    expect(cluster.scaled).toEqual([]);
  });
});
