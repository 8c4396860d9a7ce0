import { beforeEach, describe, expect, it, vi } from "vitest";
import { broken, forbidden, refused } from "../../fake-api";
import { FakeCluster } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { Setting } from "./setting";

const finalizer = "mlscaler.example.com/finalizer";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

describe("what is missing", () => {
  useFakeTime();

  it("a Deployment is a condition and a retry, and found when it comes", async () => {
    const key = cluster.create("web");
    expect(await setting.sync(key)).toEqual({ next: "retry", atMostSeconds: 30 });
    for (const type of ["AbleToScale", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetScale" });
    }
    expect(cluster.condition(key, "Ready")?.message).toContain("Deployment web is not in namespace shop");
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedGetScale" }]);
    cluster.deploy("web", 5);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("metrics are a condition and a retry, and never move the target", async () => {
    cluster.deploy("web", 8);
    const key = cluster.create("web");
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    const outcome = await setting.syncs(key, 30);
    expect(outcome).toEqual({ next: "retry", atMostSeconds: 30 });
    expect(cluster.scaled).toEqual([]);
    for (const type of ["ScalingActive", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    }
    expect(cluster.condition(key, "AbleToScale")?.status).toBe("True");
    cluster.heal();
    await pass(30);
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
  });

  it("metrics do not keep the bounds from being held", async () => {
    cluster.deploy("web", 12);
    const key = cluster.create("web");
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    await setting.sync(key);
    expect(setting.replicas()).toBe(10);
  });

  it("samples of some pods: up only as far as the others show, and not down at all", async () => {
    cluster.deploy("web", 4);
    const key = cluster.create("web");
    cluster.load = 0.6;
    cluster.unsampled.add(3);
    await setting.sync(key);
    // 0.45 in three samples: 5 replicas with the fourth as 0, 6 with it as fully used.
    expect(setting.replicas()).toBe(5);
  });

  it("samples of some pods: the forecast of a scale-up rests on no more than they show either", async () => {
    cluster.deploy("web", 6);
    const key = cluster.create("web", { history_size: 2 });
    await setting.loads(key, [0.6]);
    cluster.unsampled.add(5);
    await setting.loads(key, [0.7]);
    // Seen: 0.6, then 0.58 in five samples. With the sixth it is 0.7, and 0.8 would be ahead.
    expect(setting.replicas()).toBe(6);
    cluster.unsampled.clear();
    await setting.loads(key, [0.7]);
    // The gap is bridged: 0.65, 0.7.
    expect(setting.replicas()).toBe(8);
  });

  it("samples of fewer than half of the pods are a gap", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    for (const index of [0, 1, 2]) cluster.unsampled.add(index);
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
    });
    expect(cluster.scaled).toEqual([]);
  });

  it("pods that are Ready: nothing is asked for, because nothing can be told", async () => {
    const web = cluster.deploy("web", 2);
    web.pods = [{ name: "web-0", cores: 5, revision: "1", ready: false, since: start }];
    const key = cluster.create("web");
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
      message: 'Resource metric cpu: none of 1 pods is Ready; see why with "kubectl get pods"',
    });
    expect(cluster.scaled).toEqual([]);
    expect(cluster.api.calls.filter(({ path }) => path.includes("metrics.k8s.io"))).toEqual([]);
  });

  it.each([
    ["a selector", "", "SelectorRequired", "the target has no label selector for its pods"],
    ["a selector that is one", "cheddar cheese", "InvalidSelector", '"cheddar cheese", which is no label selector'],
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
    cluster.deploy("web", 12);
    const key = cluster.create("web");
    cluster.fail("GET", "/api/v1/namespaces/shop/pods", forbidden());
    await setting.syncs(key, 2);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
      message: expect.stringContaining("pods cannot be listed: ") as string,
    });
    expect(setting.replicas()).toBe(10);
  });

  it("the API server: throws, to be tried again, and says so where it can", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await setting.sync(key);
    const before = structuredClone(cluster.stored(key));
    for (const end of ["/mlscalers/web", "/scale", "/api/v1/namespaces/shop/pods"]) {
      cluster.fail("GET", end, refused());
      await expect(setting.sync(key)).rejects.toThrow("ECONNREFUSED");
      cluster.heal();
      if (end === "/mlscalers/web") expect(cluster.stored(key)).toEqual(before);
    }
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "True", reason: "SucceededGetScale" });
    for (const type of ["ScalingActive", "Ready"])
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    expect(cluster.stored(key).spec).toEqual(before.spec);
    expect(setting.replicas()).toBe(5);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("an Event is nothing that stops a sync", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("POST", "/events", forbidden());
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("an MLScaler deleted while its status is written is no failure", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    const patch = cluster.api.patch.bind(cluster.api);
    vi.spyOn(cluster.api, "patch").mockImplementation((...call) => {
      if (call[0].endsWith("/status")) cluster.mlscalers.delete(key);
      return patch(...call);
    });
    await expect(setting.sync(key)).resolves.toMatchObject({ next: "soon" });
  });
});

describe("an invalid spec that is stored", () => {
  useFakeTime();

  it("is said, and nothing is done", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { min_replicas: 20, history_size: 1 });
    setting.controller.seen(cluster.stored(key));
    expect(await setting.sync(key)).toEqual({ next: "sync", periodSeconds: 300 });
    const message =
      "Invalid MLScaler spec: min_replicas: 20 is above spec.max_replicas 10, use at most that; " +
      "history_size: 1 is out of range, use 2 to 20160 samples";
    expect(cluster.stored(key).status?.conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "InvalidSpec", message },
    ]);
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "InvalidSpec", message, action: "Reconcile" }]);
    expect(cluster.stored(key).status?.observedGeneration).toBe(1);
    expect(cluster.api.of("PUT")).toEqual([]);
    expect(setting.reasons()).toEqual(["InvalidSpec"]);
  });

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

  it("acts again once it is right", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { history_size: 1 });
    await setting.sync(key);
    cluster.stored(key).spec.history_size = 5;
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});
