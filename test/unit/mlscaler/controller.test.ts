import { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outcome } from "../../../capabilities/common/scheduler";
import { broken, conflict, forbidden, notFound, refused, unprocessable } from "../fake-api";
import { autoscaler, deployment, FakeCluster, writesOf } from "../fake-cluster";
import { pass, start, useFakeTime } from "../time";
import { controllerOf, TestedController } from "./controller-of";

const finalizer = "mlscaler.example.com/finalizer";

let cluster: FakeCluster;
let controller: TestedController;
let woken: string[];
let leading: boolean;

const newController = (): TestedController => controllerOf(cluster, { woken, leading: () => leading });

beforeEach(() => {
  cluster = new FakeCluster();
  woken = [];
  leading = true;
  controller = newController();
});

const replicas = (name = "web"): number | undefined => cluster.deployments.get(name)?.replicas;
const reasons = (): string[] => cluster.events.map(({ reason }) => reason);

/** Syncs every `seconds`, `times` times. */
async function syncs(key: string, times: number, seconds = 30): Promise<Outcome> {
  let outcome: Outcome = await controller.sync(key);
  for (let time = 1; time < times; time++) {
    await pass(seconds);
    outcome = await controller.sync(key);
  }
  return outcome;
}

/** Loads one after the other, a sync each. */
async function loads(key: string, values: number[], seconds = 30): Promise<void> {
  for (const value of values) {
    cluster.load = value;
    await controller.sync(key);
    await pass(seconds);
  }
}

describe("a sync", () => {
  useFakeTime();

  it("turns a history of 0.1 0.2 0.3 0.4 0.5 into 0.60 and 6 replicas", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    await loads(key, [0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(replicas()).toBe(6);
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
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 30 });
    expect(replicas()).toBe(5);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      status: "False",
      reason: "Learning",
      message: "Learning 1 of 5 samples",
    });
    await pass(30);
    expect(await syncs(key, 4)).toEqual({ next: "sync", periodSeconds: 30 });
    expect(cluster.condition(key, "ForecastReady")?.status).toBe("True");
  });

  it("counts the syncs of one step as one sample", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { sync_period_seconds: 3600 });
    await syncs(key, 5, 10);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 1 of 5 samples");
  });

  it("with a period below 10 s does not learn slower than it", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { sync_period_seconds: 5 });
    expect(await controller.sync(key)).toEqual({ next: "sync", periodSeconds: 5 });
  });

  it("writes the scale only when it is to differ", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await syncs(key, 10);
    expect(cluster.scaled).toEqual([]);
    cluster.load = 0.7;
    await syncs(key, 5);
    expect(cluster.scaled.filter((count, index) => count === cluster.scaled[index - 1])).toEqual([]);
    expect(cluster.scaled.length).toBeGreaterThan(0);
  });

  it("writes a status only when it changed beyond noise", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await syncs(key, 7);
    const before = writesOf(cluster.api).length;
    cluster.load = 0.4999;
    await syncs(key, 20);
    expect(writesOf(cluster.api).length).toBe(before);
    cluster.load = 0.45;
    await pass(30);
    await controller.sync(key);
    expect(writesOf(cluster.api).slice(before)).toEqual([
      "PATCH /apis/example.com/v1/namespaces/shop/mlscalers/web/status",
    ]);
  });

  it("adds its finalizer first, and once", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", {}, { finalizers: ["other"] });
    await syncs(key, 3);
    expect(cluster.stored(key).metadata.finalizers).toEqual(["other", finalizer]);
    const patches = cluster.api.of("PATCH").filter(({ path }) => path.endsWith("/web"));
    expect(patches).toHaveLength(1);
  });

  it("does not touch the target when its finalizer could not be added", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web");
    cluster.fail("PATCH", "/mlscalers/web", conflict());
    await expect(controller.sync(key)).rejects.toThrow();
    expect(cluster.scaled).toEqual([]);
  });

  it("forgets an MLScaler that is gone, and wakes those that waited for its target", async () => {
    cluster.deploy("web", 5);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger");
    await controller.sync(older);
    await controller.sync(younger);
    cluster.mlscalers.delete(older);
    controller.missed(older);
    expect(await controller.sync(older)).toEqual({ next: "forget" });
    expect(woken).toEqual([`MLScaler ${younger}`]);
    await controller.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });
});

describe("what is missing", () => {
  useFakeTime();

  it("a Deployment is a condition and a retry, and found when it comes", async () => {
    const key = cluster.create("web");
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 30 });
    for (const type of ["AbleToScale", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetScale" });
    }
    expect(cluster.condition(key, "Ready")?.message).toContain("Deployment web is not in namespace shop");
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedGetScale" }]);
    cluster.deploy("web", 5);
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("metrics are a condition and a retry, and never move the target", async () => {
    cluster.deploy("web", 8);
    const key = cluster.create("web");
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    const outcome = await syncs(key, 30);
    expect(outcome).toEqual({ next: "retry", atMostSeconds: 30 });
    expect(cluster.scaled).toEqual([]);
    for (const type of ["ScalingActive", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    }
    expect(cluster.condition(key, "AbleToScale")?.status).toBe("True");
    cluster.heal();
    await pass(30);
    await controller.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
  });

  it("metrics do not keep the bounds from being held", async () => {
    cluster.deploy("web", 12);
    const key = cluster.create("web");
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    await controller.sync(key);
    expect(replicas()).toBe(10);
  });

  it("samples of some pods: up only as far as the others show, and not down at all", async () => {
    cluster.deploy("web", 4);
    const key = cluster.create("web");
    cluster.load = 0.6;
    cluster.unsampled.add(3);
    await controller.sync(key);
    // 0.45 in three samples: 5 replicas as 0, 6 as the mean of the others.
    expect(replicas()).toBe(5);
  });

  it("samples of some pods: the forecast of a scale-up rests on no more than they show either", async () => {
    cluster.deploy("web", 6);
    const key = cluster.create("web", { history_size: 2 });
    await loads(key, [0.6]);
    cluster.unsampled.add(5);
    await loads(key, [0.7]);
    // Seen: 0.6, then 0.58 in five samples. Taken for all six it is 0.7, and 0.8 would be ahead.
    expect(replicas()).toBe(6);
    cluster.unsampled.clear();
    await loads(key, [0.7]);
    expect(replicas()).toBe(7);
  });

  it("samples of fewer than half of the pods are a gap", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    for (const index of [0, 1, 2]) cluster.unsampled.add(index);
    await controller.sync(key);
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
    await controller.sync(key);
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
    await controller.sync(key);
    const condition = cluster.condition(key, "ScalingActive");
    expect(condition).toMatchObject({ status: "False", reason: "InvalidSelector" });
    expect(condition?.message).toContain(text);
    const reasons = cluster.events.filter(({ type }) => type === "Warning").map(({ reason }) => reason);
    expect(reasons).toEqual([event, "FailedComputeMetricsReplicas"]);
    expect(replicas()).toBe(10);
  });

  it("the right to list pods: bounds hold all the same", async () => {
    cluster.deploy("web", 12);
    const key = cluster.create("web");
    cluster.fail("GET", "/api/v1/namespaces/shop/pods", forbidden());
    await controller.sync(key);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
      message: expect.stringContaining("pods cannot be listed: ") as string,
    });
    expect(replicas()).toBe(10);
  });

  it("the API server: throws, to be tried again, and says so where it can", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await controller.sync(key);
    const before = structuredClone(cluster.stored(key));
    for (const end of ["/mlscalers/web", "/scale", "/api/v1/namespaces/shop/pods"]) {
      cluster.fail("GET", end, refused());
      await expect(controller.sync(key)).rejects.toThrow("ECONNREFUSED");
      cluster.heal();
      if (end === "/mlscalers/web") expect(cluster.stored(key)).toEqual(before);
    }
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "Unknown", reason: "ECONNREFUSED" });
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "ECONNREFUSED" });
    expect(cluster.stored(key).spec).toEqual(before.spec);
    expect(replicas()).toBe(5);
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("an Event is nothing that stops a sync", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("POST", "/events", forbidden());
    await controller.sync(key);
    expect(replicas()).toBe(5);
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
    await expect(controller.sync(key)).resolves.toMatchObject({ next: "soon" });
  });
});

describe("pods that two MLScalers would scale for", () => {
  useFakeTime();

  let ended: AbortController;
  beforeEach(() => void (ended = new AbortController()));
  afterEach(() => ended.abort());

  const canary = { target_deployment: "canary" };
  const reasonOf = (key: string): string | undefined => cluster.condition(key, "ScalingActive")?.reason;

  it("move neither, until they are told apart", async () => {
    cluster.deploy("web", 3);
    const other = cluster.deploy("canary", 3);
    other.selector = "app=web,track=canary";
    const [web, track] = [cluster.create("web"), cluster.create("canary", canary)];
    await controller.sync(web);
    // The other is not known yet.
    expect(reasonOf(web)).toBe("ValidMetricFound");
    await controller.sync(track);
    await controller.sync(web);
    expect(cluster.condition(track, "ScalingActive")).toMatchObject({ status: "False", reason: "AmbiguousSelector" });
    expect(cluster.condition(web, "ScalingActive")?.message).toBe(
      "pods of the selector app=web are those of other MLScalers, too: shop/canary; make the selectors of the targets differ",
    );
    expect(cluster.events.filter(({ reason }) => reason === "AmbiguousSelector")).toHaveLength(2);
    expect(cluster.scaled).toHaveLength(1);
    other.selector = "app=canary";
    await controller.sync(track);
    await controller.sync(web);
    expect([reasonOf(web), reasonOf(track)]).toEqual(["ValidMetricFound", "ValidMetricFound"]);
  });

  it.each<[string, (key: string) => void]>([
    ["observes", key => void Object.assign(cluster.stored(key).spec, { mode: "Observe" })],
    ["has no selector any more", () => void Object.assign(cluster.deployments.get("canary") ?? {}, { selector: "" })],
    ["is gone", key => void cluster.mlscalers.delete(key)],
    ["has no target any more", () => void cluster.deployments.delete("canary")],
    ["is scaled to 0", () => void Object.assign(cluster.deployments.get("canary") ?? {}, { replicas: 0 })],
    ["stands back for an HPA", () => cluster.putAutoscaler(autoscaler("one", { ...deployment, name: "canary" }))],
  ])("are those of one alone when the other %s", async (_, change) => {
    cluster.deploy("web", 3);
    cluster.deploy("canary", 3).selector = "app=web,track=canary";
    const [web, track] = [cluster.create("web"), cluster.create("canary", canary)];
    controller.start(ended.signal);
    await controller.sync(track);
    await controller.sync(web);
    expect(reasonOf(web)).toBe("AmbiguousSelector");
    change(track);
    await vi.waitFor(async () => {
      await controller.sync(track);
      await controller.sync(web);
      expect(reasonOf(web)).toBe("ValidMetricFound");
    });
  });
});

describe("writing the scale", () => {
  useFakeTime();

  it("reads and decides again on a conflict", async () => {
    const web = cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", conflict(), 1);
    const reads = cluster.api.of("GET").length;
    await controller.sync(key);
    expect(web.replicas).toBe(5);
    expect(
      cluster.api
        .of("GET")
        .slice(reads)
        .filter(({ path }) => path.endsWith("/scale")),
    ).toHaveLength(2);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "True", reason: "SucceededRescale" });
  });

  it("does not write when another scaled the target to what it wants meanwhile", async () => {
    const web = cluster.deploy("web", 3);
    const key = cluster.create("web");
    const replace = cluster.api.replace.bind(cluster.api);
    vi.spyOn(cluster.api, "replace").mockImplementationOnce((...call) => {
      Object.assign(web, { replicas: 5, version: 7 });
      return replace(...call);
    });
    await controller.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status).toMatchObject({ current_replicas: 5, predicted_replicas: 5 });
  });

  it("gives up after three conflicts, and says so", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", conflict());
    expect(await controller.sync(key)).toMatchObject({ next: "retry" });
    expect(cluster.api.of("PUT").filter(({ path }) => path.endsWith("/scale"))).toHaveLength(3);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "False", reason: "FailedUpdateScale" });
  });

  it("says in the API's words why the target refuses a number, and tries again", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", unprocessable());
    expect(await controller.sync(key)).toMatchObject({ next: "retry", atMostSeconds: 10 });
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "False", reason: "FailedUpdateScale" });
    expect(cluster.condition(key, "AbleToScale")?.message).toContain("must be at most 7");
    expect(cluster.stored(key).status).not.toHaveProperty("last_scale_time");
    expect(reasons()).toContain("FailedRescale");
  });

  it("throws when the API server fails, and then scales as if nothing had been", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PUT", "/scale", broken(), 1);
    await expect(controller.sync(key)).rejects.toThrow();
    await pass(5);
    await controller.sync(key);
    expect(replicas()).toBe(5);
  });

  it("remembers that it scaled although the status could not be written", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    cluster.fail("PATCH", "/status", broken(), 1);
    await expect(controller.sync(key)).rejects.toThrow();
    expect(replicas()).toBe(5);
    await pass(5);
    await controller.sync(key);
    expect(cluster.stored(key).status).toHaveProperty("last_scale_time");
  });

  it("writes nothing when it does not hold the Lease any more", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    leading = false;
    await expect(controller.sync(key)).rejects.toThrow(/Lease/);
    expect(cluster.scaled).toEqual([]);
  });

  it("grows no faster than max(2 × current, 4)", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web", { max_replicas: 100 });
    cluster.load = 5;
    await loads(key, [5, 5, 5, 5, 5], 15);
    expect(cluster.scaled).toEqual([4, 8, 16, 32, 50]);
  });

  it("leaves a target that a human put to 0 alone", async () => {
    cluster.deploy("web", 0);
    const key = cluster.create("web", { min_replicas: 2 });
    await syncs(key, 3);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason: "ScalingDisabled" });
  });
});

describe("Observe and pause", () => {
  useFakeTime();

  it("Observe reports what it would do and never writes the scale", async () => {
    cluster.deploy("web", 30);
    const key = cluster.create("web", { mode: "Observe" });
    await loads(key, [0.1, 0.9, 5, 0.1]);
    expect(cluster.api.of("PUT").filter(({ path }) => path.endsWith("/scale"))).toEqual([]);
    expect(replicas()).toBe(30);
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
    await syncs(key, 3);
    expect(replicas()).toBe(expected);
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
    await syncs(key, 12);
    expect(replicas()).toBe(expected);
  });
});

describe("the restart rule (C06)", () => {
  useFakeTime();

  it("scales nothing down for 300 s after it first saw the target", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    cluster.load = 0.3;
    for (let second = 0; second <= 290; second += 10) {
      await controller.sync(key);
      expect(replicas()).toBe(5);
      await pass(10);
    }
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("ScaleDownStabilized");
    await pass(10);
    await controller.sync(key);
    expect(replicas()).toBe(3);
  });

  it("is not needed by a process that finds what the one before remembered: its window goes on", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await loads(key, [0.5, 0.2, 0.2, 0.2, 0.2]);
    controller = newController();
    await syncs(key, 5);
    expect(replicas()).toBe(5);
    await pass(30);
    await controller.sync(key);
    expect(replicas()).toBe(2);
    expect(cluster.condition(key, "ForecastReady")?.status).toBe("True");
  });

  it("counts from the first sight of a process that finds nothing", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    cluster.load = 0.3;
    await syncs(key, 9, 30);
    cluster.configMaps.clear();
    controller = newController();
    await syncs(key, 9, 30);
    expect(replicas()).toBe(5);
  });

  it("holds as well when the first attempts failed", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    cluster.load = 0.3;
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken(), 3);
    await syncs(key, 5, 30);
    expect(replicas()).toBe(5);
  });

  it("holds for an MLScaler that was created anew under the same name", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await syncs(key, 3, 200);
    cluster.deployments.set("web", { replicas: 8, version: 1, selector: "app=web" });
    cluster.create("web", {}, { uid: "another" });
    await pass(30);
    await controller.sync(key);
    expect(replicas()).toBe(8);
  });

  it("lets it scale up at once", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    await controller.sync(key);
    expect(replicas()).toBe(5);
  });
});

describe("stabilisation and limit over syncs", () => {
  useFakeTime();

  it("keeps what was recommended last for 300 s after the load fell", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { history_size: 2 });
    await loads(
      key,
      Array.from({ length: 14 }, () => 0.5),
    );
    await loads(key, [0.8, 0.8]);
    const high = replicas() ?? 0;
    expect(high).toBeGreaterThanOrEqual(8);
    await loads(
      key,
      Array.from({ length: 8 }, () => 0.3),
    );
    expect(replicas()).toBe(high);
    await loads(
      key,
      Array.from({ length: 4 }, () => 0.3),
    );
    expect(replicas()).toBe(3);
  });

  it("grows no faster with a period of 5 s than with one of 15 s", async () => {
    cluster.deploy("web", 1);
    const key = cluster.create("web", { max_replicas: 100, sync_period_seconds: 5 });
    await loads(key, [5, 5, 5, 5], 5);
    expect(cluster.scaled).toEqual([4, 8]);
  });
});

describe("two MLScalers on one target", () => {
  useFakeTime();

  it("the older acts, the other stands back and names it", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger", { min_replicas: 9 });
    for (const key of [older, younger]) controller.seen(cluster.stored(key));
    expect(await controller.sync(younger)).toMatchObject({ next: "retry" });
    expect(cluster.scaled).toEqual([]);
    for (const type of ["AbleToScale", "Ready"]) {
      expect(cluster.condition(younger, type)).toMatchObject({ status: "False", reason: "AmbiguousTarget" });
    }
    expect(cluster.condition(younger, "Ready")?.message).toMatch(
      /^spec\.target_deployment: Deployment web is already scaled by MLScaler shop\/older, which is older/,
    );
    await controller.sync(older);
    expect(replicas()).toBe(5);
    expect(cluster.condition(older, "Ready")?.status).toBe("True");
  });

  it("one that only observes is in nobody's way", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", { mode: "Observe" }, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger");
    for (const key of [older, younger]) controller.seen(cluster.stored(key));
    await controller.sync(older);
    await controller.sync(younger);
    expect(replicas()).toBe(5);
    for (const key of [older, younger]) expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("one whose spec became invalid does not hold the target", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger");
    for (const key of [older, younger]) controller.seen(cluster.stored(key));
    cluster.stored(older).spec.history_size = 0;
    controller.seen(cluster.stored(older));
    await controller.sync(older);
    await controller.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });
});

describe("an invalid spec that is stored", () => {
  useFakeTime();

  it("is said, and nothing is done", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { min_replicas: 20, history_size: 1 });
    controller.seen(cluster.stored(key));
    expect(await controller.sync(key)).toEqual({ next: "sync", periodSeconds: 300 });
    const message =
      "Invalid MLScaler spec: min_replicas: 20 is above spec.max_replicas 10, use at most that; " +
      "history_size: 1 is out of range, use 2 to 20160 samples";
    expect(cluster.stored(key).status?.conditions).toMatchObject([
      { type: "Ready", status: "False", reason: "InvalidSpec", message },
    ]);
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "InvalidSpec", message, action: "Reconcile" }]);
    expect(cluster.stored(key).status?.observedGeneration).toBe(1);
    expect(cluster.api.of("PUT")).toEqual([]);
    expect(reasons()).toEqual(["InvalidSpec"]);
  });

  it("can be deleted", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create(
      "web",
      { min_replicas: 20 },
      { finalizers: [finalizer], deletionTimestamp: "2026-01-01T00:00:00Z" },
    );
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(cluster.mlscalers.has(key)).toBe(false);
    expect(cluster.scaled).toEqual([]);
  });

  it("acts again once it is right", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { history_size: 1 });
    await controller.sync(key);
    cluster.stored(key).spec.history_size = 5;
    await controller.sync(key);
    expect(replicas()).toBe(5);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});

describe("deletion", () => {
  useFakeTime();

  /** An MLScaler that scaled web from 3 to 5 and is now being deleted. */
  async function scaledAndDeleted(spec: Record<string, unknown> = {}): Promise<string> {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { min_replicas: 2 });
    await controller.sync(key);
    expect(replicas()).toBe(5);
    cluster.scaled.length = 0;
    const object = cluster.stored(key);
    object.metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    Object.assign(object.spec, spec);
    return key;
  }
  const gone = (key: string): boolean => !cluster.mlscalers.has(key);

  it("puts the target to min_replicas, then lets the MLScaler go", async () => {
    const key = await scaledAndDeleted();
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(replicas()).toBe(2);
    expect(gone(key)).toBe(true);
    expect(cluster.events.at(-1)).toMatchObject({ reason: "SuccessfulRescale" });
    expect(cluster.events.at(-1)?.message).toContain("5 → 2");
  });

  it("does so in a process that never saw it before", async () => {
    const key = await scaledAndDeleted();
    controller = newController();
    await controller.sync(key);
    expect(replicas()).toBe(2);
  });

  it.each([
    ["on_delete Keep", { on_delete: "Keep" }],
    ["mode Observe", { mode: "Observe" }],
    ["pause All", { pause: "All" }],
    ["pause Down", { pause: "Down" }],
  ])("leaves the target as it is with %s", async (_, spec) => {
    const key = await scaledAndDeleted(spec);
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
  });

  it("leaves a target at 0 as it is", async () => {
    const key = await scaledAndDeleted();
    cluster.deploy("web", 0);
    await controller.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
  });

  it("does not scale a target up when that direction is paused", async () => {
    const key = await scaledAndDeleted({ pause: "Up" });
    cluster.deploy("web", 1);
    await controller.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
  });

  it("leaves a target that it never scaled as it is", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await controller.sync(key);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    await controller.sync(key);
    expect(replicas()).toBe(5);
    expect(gone(key)).toBe(true);
  });

  it("leaves a target that another MLScaler acts on as it is, and wakes that one", async () => {
    const key = await scaledAndDeleted();
    const other = cluster.create("other");
    controller.seen(cluster.stored(other));
    await controller.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(true);
    expect(woken).toEqual([`MLScaler ${other}`]);
  });

  it("does not count one that observes, or is on another target", async () => {
    const key = await scaledAndDeleted();
    for (const [name, spec] of [
      ["observer", { mode: "Observe" }],
      ["elsewhere", { target_deployment: "api" }],
    ] as const) {
      controller.seen(cluster.stored(cluster.create(name, spec)));
    }
    await controller.sync(key);
    expect(replicas()).toBe(2);
  });

  it("goes on when the target is missing, forbidden, or refuses", async () => {
    for (const [method, error] of [
      ["GET", forbidden()],
      ["PUT", forbidden()],
      ["PUT", unprocessable()],
    ] as const) {
      const key = await scaledAndDeleted();
      cluster.fail(method, "/scale", error);
      expect(await controller.sync(key)).toEqual({ next: "forget" });
      expect(gone(key)).toBe(true);
      cluster.heal();
    }
    const key = await scaledAndDeleted();
    cluster.deployments.clear();
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(gone(key)).toBe(true);
  });

  it("is tried again when the API server fails or another wrote at the same time", async () => {
    for (const [method, error] of [
      ["GET", refused()],
      ["PUT", broken()],
      ["PUT", conflict()],
    ] as const) {
      const key = await scaledAndDeleted();
      cluster.fail(method, "/scale", error, 1);
      await expect(controller.sync(key)).rejects.toBe(error);
      expect(gone(key)).toBe(false);
      await controller.sync(key);
      expect(replicas()).toBe(2);
      expect(gone(key)).toBe(true);
    }
  });

  it("does not hang on an Event that cannot be written", async () => {
    const key = await scaledAndDeleted();
    cluster.fail("POST", "/events", forbidden());
    await controller.sync(key);
    expect(gone(key)).toBe(true);
  });

  it("keeps the finalizers of others", async () => {
    const key = await scaledAndDeleted();
    cluster.stored(key).metadata.finalizers = ["first", finalizer, "last"];
    await controller.sync(key);
    expect(cluster.stored(key).metadata.finalizers).toEqual(["first", "last"]);
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(cluster.scaled).toEqual([2]);
  });

  it("writes nothing to the target when the Lease was lost meanwhile", async () => {
    const key = await scaledAndDeleted();
    leading = false;
    await controller.sync(key).catch(() => undefined);
    expect(cluster.scaled).toEqual([]);
    expect(gone(key)).toBe(false);
  });
});

describe("what it remembers", () => {
  useFakeTime();

  it.each([
    [true, "Learning 13 of 20 samples"],
    [false, "Learning 1 of 20 samples"],
  ])("outlives the process to the last sample when it is told of its end: %s", async (told, message) => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { history_size: 20 });
    // It is stored every five minutes, here after 120 s: more samples are lost than are bridged.
    await syncs(key, 12);
    if (told) await controller.flush();
    controller = newController();
    await pass(30);
    await controller.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe(message);
  });

  it("keeps its history when history_size grows, and begins anew with another period", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await syncs(key, 6);
    cluster.stored(key).spec.history_size = 20;
    await pass(30);
    await controller.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 7 of 20 samples");
    cluster.stored(key).spec.sync_period_seconds = 60;
    await controller.sync(key);
    expect(cluster.condition(key, "ForecastReady")?.message).toBe("Learning 1 of 20 samples");
  });

  it("does not act for an hour on what it knew before the clock was put back by one", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { history_size: 3 });
    await loads(key, [0.2, 0.4, 0.6, 0.8]);
    vi.setSystemTime(Date.now() - 3600_000);
    await loads(
      key,
      Array.from({ length: 30 }, () => 0.2),
    );
    // 15 min after the load fell, and long after the window of 300 s.
    expect(replicas()).toBe(2);
  });

  /** Answers lists of targets with `items`, and watches of them with `streams`, then with nothing; the rest is asked of the cluster. */
  function watchesOf(items: object[], ...streams: PassThrough[]): string[] {
    const watches: string[] = [];
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation((path, request) =>
      request?.accept ? Promise.resolve({ metadata: { resourceVersion: "1" }, items }) : get(path, request),
    );
    const stream = cluster.api.stream.bind(cluster.api);
    vi.spyOn(cluster.api, "stream").mockImplementation((path, ...rest) => {
      if (path.endsWith("/horizontalpodautoscalers")) return stream(path, ...rest);
      watches.push(path);
      const next = streams.shift() as IncomingMessage | undefined;
      return next ? Promise.resolve(Object.assign(next, { statusCode: 200 })) : new Promise(() => undefined);
    });
    return watches;
  }
  const edited = (name: string): object => ({ metadata: { name, namespace: "shop", uid: "d", generation: 2 } });

  it("watches Deployments, and is woken by one that was edited by hand", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    const ended = new AbortController();
    const watches = watchesOf([edited("web"), edited("api")]);
    controller.start(ended.signal);
    controller.seen(cluster.stored(key));
    await controller.sync(key);
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/deployments"]);
    expect(woken).toEqual([`MLScaler ${key}`]);
    ended.abort();
  });

  it("hears that a target is gone which went while its watch was broken", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    const ended = new AbortController();
    const owner = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", name: "web", uid: "e", controller: true };
    const items = [{ metadata: { name: "web", namespace: "shop", uid: "d", generation: 2, ownerReferences: [owner] } }];
    const broken = new PassThrough();
    watchesOf(items, broken);
    controller.start(ended.signal);
    controller.seen(cluster.stored(key));
    await controller.sync(key);
    await pass(0);
    await controller.sync(key);
    expect(cluster.condition(key, "AbleToScale")?.message).toContain("EasyService web");
    items.length = 0;
    woken.length = 0;
    broken.destroy(new Error("reset"));
    await pass(60);
    expect(woken).toEqual([`MLScaler ${key}`]);
    await controller.sync(key);
    expect(cluster.condition(key, "AbleToScale")?.status).toBe("True");
    ended.abort();
  });

  it("watches each kind of target once, from the first that is scaled, and none that it has no right to", async () => {
    cluster.run("statefulsets/db", 2);
    cluster.run("statefulsets/queue", 2);
    cluster.run("helloes/hi", 2);
    const ended = new AbortController();
    const watches = watchesOf([edited("db")]);
    controller.start(ended.signal);
    const onRef = (name: string, apiVersion: string, kind: string, target: string): string =>
      cluster.create(name, { target_deployment: undefined, target_ref: { apiVersion, kind, name: target } });
    for (const key of [
      onRef("first", "apps/v1", "StatefulSet", "db"),
      onRef("second", "apps/v1", "StatefulSet", "queue"),
      onRef("third", "fraim.co.jp/v1", "Hello", "hi"),
      onRef("fourth", "other.example.com/v1", "Deployment", "web"),
    ])
      await controller.sync(key);
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/statefulsets", "/apis/fraim.co.jp/v1/helloes"]);
    expect(woken).toEqual(["MLScaler shop/first"]);
    ended.abort();
  });

  it("is kept from no watch by an API version that is not there", async () => {
    cluster.deploy("web", 5);
    const ended = new AbortController();
    const watches = watchesOf([]);
    controller.start(ended.signal);
    const wrong = { apiVersion: "apps/v9", kind: "Deployment", name: "web" };
    for (const key of [
      cluster.create("wrong", { target_deployment: undefined, target_ref: wrong, mode: "Observe" }),
      cluster.create("right"),
    ]) {
      controller.seen(cluster.stored(key));
      await controller.sync(key);
    }
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/deployments"]);
    ended.abort();
  });
});

describe("target_ref", () => {
  useFakeTime();

  const on = (apiVersion: string, kind: string, name: string): Record<string, unknown> => ({
    target_deployment: undefined,
    target_ref: { apiVersion, kind, name },
  });
  const statefulSet = on("apps/v1", "StatefulSet", "db");
  const hello = on("fraim.co.jp/v1", "Hello", "hi");

  it("scales a StatefulSet as a Deployment", async () => {
    const db = cluster.run("statefulsets/db", 3);
    const key = cluster.create("db", statefulSet);
    await loads(key, [0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(db.replicas).toBe(6);
    expect(cluster.stored(key).status).toMatchObject({ target: "StatefulSet/db", predicted_replicas: 6 });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("asks once what an API serves, not at every sync", async () => {
    cluster.run("statefulsets/db", 5);
    await syncs(cluster.create("db", statefulSet), 10);
    expect(cluster.api.of("GET").filter(({ path }) => path === "/apis/apps/v1")).toHaveLength(1);
  });

  it("scales a Hello by the load of the pods that its own selector finds", async () => {
    const hi = cluster.run("helloes/hi", 2, 7);
    cluster.deploy("web", 9);
    const key = cluster.create("hi", hello);
    cluster.load = 0.4;
    await controller.sync(key);
    expect(hi.replicas).toBe(4);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ current: "0.40" }]);
    const selectors = cluster.api.of("GET").filter(({ path }) => path === "/api/v1/namespaces/shop/pods");
    expect(selectors.map(({ query }) => query?.labelSelector)).toEqual(["run=hi"]);
  });

  it("says in the words of a Hello why it refuses a number above its ceiling, and goes on below it", async () => {
    const hi = cluster.run("helloes/hi", 6, 7);
    const key = cluster.create("hi", hello);
    cluster.load = 0.9;
    expect(await controller.sync(key)).toMatchObject({ next: "retry" });
    expect(hi.replicas).toBe(6);
    const message = "the target refused 9 replicas: spec.size: 9 is out of range, use 1 to 7";
    for (const type of ["AbleToScale", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedUpdateScale", message });
    }
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedRescale", message }]);
    expect(cluster.stored(key).status).not.toHaveProperty("last_scale_time");
    cluster.load = 0.7;
    cluster.configMaps.clear();
    controller = newController();
    await controller.sync(key);
    expect(hi.replicas).toBe(7);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it.each([
    ["an object that is not there", statefulSet, "StatefulSet db is not in namespace shop, or has no scale"],
    ["a kind that its API does not have", on("apps/v1", "Gadget", "x"), "apps/v1 has no kind Gadget in namespaces"],
    ["a kind that is in no namespace", on("fraim.co.jp/v1", "Greeting", "x"), "fraim.co.jp/v1 has no kind Greeting in"],
    [
      "an API that is not there",
      on("nowhere.io/v1", "Thing", "x"),
      "Thing x is not in namespace shop, or has no scale",
    ],
    [
      "a kind that has no scale",
      on("other.example.com/v1", "Deployment", "x"),
      "Deployment x is not in namespace shop",
    ],
  ])("says of %s that its scale could not be read, and tries again", async (_, spec, message) => {
    const key = cluster.create("web", spec);
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 30 });
    for (const type of ["AbleToScale", "Ready"]) {
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetScale" });
      expect(cluster.condition(key, type)?.message).toContain(message);
    }
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedGetScale" }]);
    expect(cluster.api.of("PUT")).toEqual([]);
  });

  it("says so when it may not ask what the API serves", async () => {
    cluster.run("statefulsets/db", 5);
    const key = cluster.create("db", statefulSet);
    cluster.fail("GET", "/apis/apps/v1", forbidden(), 1);
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 30 });
    expect(cluster.condition(key, "Ready")).toMatchObject({
      status: "False",
      reason: "FailedGetScale",
      message: "StatefulSet db: forbidden",
    });
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("throws when the API server does not answer what it serves, and says so in the status", async () => {
    cluster.run("statefulsets/db", 5);
    const key = cluster.create("db", statefulSet);
    cluster.fail("GET", "/apis/apps/v1", broken(), 1);
    await expect(controller.sync(key)).rejects.toThrow("etcd is away");
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "Unknown", reason: "InternalError" });
    expect(cluster.condition(key, "Ready")?.status).toBe("False");
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("finds a kind that was installed meanwhile", async () => {
    cluster.run("helloes/hi", 3, 7);
    const key = cluster.create("hi", hello);
    cluster.fail("GET", "/apis/fraim.co.jp/v1", notFound(), 1);
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("False");
    await pass(30);
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("is a rival of a target_deployment on the same Deployment, whichever is older", async () => {
    for (const [first, second, field] of [
      [{}, on("apps/v1", "Deployment", "web"), "spec.target_ref"],
      [on("apps/v1", "Deployment", "web"), {}, "spec.target_deployment"],
    ] as const) {
      cluster = new FakeCluster();
      controller = newController();
      cluster.deploy("web", 3);
      const older = cluster.create("older", first, { creationTimestamp: "2025-01-01T00:00:00Z" });
      const younger = cluster.create("younger", second);
      for (const key of [older, younger]) controller.seen(cluster.stored(key));
      await controller.sync(younger);
      expect(cluster.scaled).toEqual([]);
      expect(cluster.condition(younger, "Ready")).toMatchObject({ status: "False", reason: "AmbiguousTarget" });
      expect(cluster.condition(younger, "Ready")?.message).toMatch(
        new RegExp(`^${field}: Deployment web is already scaled by MLScaler shop/older, which is older`),
      );
      await controller.sync(older);
      expect(cluster.condition(older, "Ready")?.status).toBe("True");
    }
  });

  it("is no rival of one on the same name of another kind, or of the same kind of another API group", async () => {
    cluster.deploy("web", 3);
    cluster.run("statefulsets/web", 3);
    const all = [{}, on("apps/v1", "StatefulSet", "web"), on("other.example.com/v1", "Deployment", "web")].map(
      (spec, index) => cluster.create(`scaler-${index}`, spec),
    );
    for (const key of all) controller.seen(cluster.stored(key));
    for (const key of all) {
      await controller.sync(key);
      expect(cluster.condition(key, "AbleToScale")?.reason).not.toBe("AmbiguousTarget");
    }
  });

  /** An MLScaler that scaled the StatefulSet db from 3 to 5 and is now being deleted. */
  async function scaledAndDeleted(): Promise<string> {
    cluster.run("statefulsets/db", 3);
    const key = cluster.create("db", { ...statefulSet, min_replicas: 2 });
    await controller.sync(key);
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(5);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    return key;
  }

  it("is put to its minimum when its MLScaler is deleted", async () => {
    const key = await scaledAndDeleted();
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(2);
    expect(cluster.mlscalers.has(key)).toBe(false);
    expect(cluster.events.at(-1)).toMatchObject({ reason: "SuccessfulRescale", action: "Delete" });
  });

  it.each([
    ["apps/v1", "StatefulSet", "db", 5],
    ["apps/v1beta1", "StatefulSet", "db", 5],
    ["other.example.com/v1", "StatefulSet", "db", 2],
    ["apps/v1", "Deployment", "db", 2],
    ["apps/v1", "StatefulSet", "other", 2],
  ])("is left to an HPA on %s %s %s only if that is the target: %d", async (apiVersion, kind, name, expected) => {
    const key = await scaledAndDeleted();
    cluster.putAutoscaler(autoscaler("it", { apiVersion, kind, name }));
    await controller.sync(key);
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(expected);
    expect(cluster.mlscalers.has(key)).toBe(false);
  });

  it("does not hold a deletion up when its kind is gone or may not be looked for", async () => {
    for (const error of [notFound(), forbidden()]) {
      const key = await scaledAndDeleted();
      controller = newController();
      cluster.fail("GET", "/apis/apps/v1", error);
      expect(await controller.sync(key)).toEqual({ next: "forget" });
      expect(cluster.mlscalers.has(key)).toBe(false);
      cluster.heal();
    }
  });

  it("has its deletion tried again when the API server does not answer what it serves", async () => {
    const key = await scaledAndDeleted();
    controller = newController();
    cluster.fail("GET", "/apis/apps/v1", refused(), 1);
    await expect(controller.sync(key)).rejects.toThrow("ECONNREFUSED");
    expect(cluster.mlscalers.has(key)).toBe(true);
    await controller.sync(key);
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(2);
  });
});

describe("long periods", () => {
  useFakeTime();

  it.each([300, 600, 3600])("of %i s scale down too, on the second low sample at the latest", async period => {
    cluster.deploy("web", 8);
    const key = cluster.create("web", { sync_period_seconds: period, history_size: 2 });
    cluster.load = 0.2;
    await syncs(key, 3, period);
    expect(replicas()).toBe(2);
  });

  it("scale nothing down on the first sample after an outage", async () => {
    cluster.deploy("web", 8);
    const key = cluster.create("web");
    cluster.load = 0.8;
    await syncs(key, 6);
    await pass(3600);
    cluster.load = 0.1;
    await controller.sync(key);
    expect(replicas()).toBe(8);
  });
});

describe("a change of leader", () => {
  useFakeTime();

  it("leaves no claim of an MLScaler that went while another process led", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    leading = false;
    controller.seen(cluster.stored(older));
    controller.seen({
      ...cluster.stored(older),
      metadata: { ...cluster.stored(older).metadata, deletionTimestamp: "now" },
    });
    cluster.mlscalers.delete(older);
    leading = true;
    const younger = cluster.create("younger");
    await controller.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("forgets, when it looks again, what was deleted unseen", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    controller.seen(cluster.stored(older));
    cluster.mlscalers.delete(older);
    const younger = cluster.create("younger");
    await controller.sync(younger);
    expect(cluster.condition(younger, "AbleToScale")?.reason).toBe("AmbiguousTarget");
    expect(controller.known().sort()).toEqual(["shop/older", "shop/younger"]);
    controller.missed(older);
    expect(await controller.sync(older)).toEqual({ next: "forget" });
    expect(woken).toContain(`MLScaler ${younger}`);
    await controller.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });

  it("ends a sync before anything is written", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web");
    leading = false;
    await expect(controller.sync(key)).rejects.toThrow("the Lease was lost");
    expect(cluster.api.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("in the middle of a sync ends it without a write: no scale, no status, no Event", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", {}, { finalizers: [finalizer] });
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation(async (...call) => {
      const answer = await get(...call);
      if (call[0].endsWith("/scale")) leading = false;
      return answer;
    });
    await expect(controller.sync(key)).rejects.toThrow("the Lease was lost");
    expect(writesOf(cluster.api)).toEqual([]);
  });
});

describe("a deleted MLScaler whose target an HPA holds", () => {
  useFakeTime();

  it.each([
    [true, 4],
    [false, 1],
  ])("is left to the HPA: %s", async (held, expected) => {
    cluster.deploy("web", 2);
    const key = cluster.create("web");
    await controller.sync(key);
    expect(replicas()).toBe(4);
    if (held) cluster.putAutoscaler(autoscaler("it", { kind: "Deployment", name: "web" }));
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:10:00Z";
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(replicas()).toBe(expected);
    expect(cluster.mlscalers.has(key)).toBe(false);
  });
});
