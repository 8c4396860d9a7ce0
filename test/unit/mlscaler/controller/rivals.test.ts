import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { autoscaler, deployment } from "../../fake-cluster";
import { forbidden } from "../../fake-api";
import { pass } from "../../time";
import { cluster, finalizer, setting, useSetting } from "./setting";

useSetting();

describe("pods that two MLScalers would scale for", () => {
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
    await setting.sync(web);
    // The other is not known yet.
    expect(reasonOf(web)).toBe("ValidMetricFound");
    await setting.sync(track);
    await setting.sync(web);
    expect(setting.condition(track, "ScalingActive")).toBe("False/AmbiguousSelector");
    expect(cluster.condition(web, "ScalingActive")?.message).toBe(
      "pods of the selector app=web are those of other MLScalers, too: shop/canary; make the selectors of the targets differ",
    );
    expect(cluster.events.filter(({ reason }) => reason === "AmbiguousSelector")).toHaveLength(2);
    expect(cluster.scaled).toHaveLength(1);
    other.selector = "app=canary";
    await setting.sync(track);
    await setting.sync(web);
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
    setting.controller.start(ended.signal);
    await setting.sync(track);
    await setting.sync(web);
    expect(reasonOf(web)).toBe("AmbiguousSelector");
    change(track);
    await vi.waitFor(async () => {
      await setting.sync(track);
      await setting.sync(web);
      expect(reasonOf(web)).toBe("ValidMetricFound");
    });
  });
});

describe("an HPA that cannot be seen", () => {
  it("is left alone: without the right to list HPAs nothing is scaled, which the conditions tell", async () => {
    const ended = new AbortController();
    const key = cluster.createOn(3);
    cluster.load = 2;
    cluster.fail("GET", "/horizontalpodautoscalers", forbidden());
    setting.controller.start(ended.signal);
    await setting.syncs(key, 3, 15);
    expect(cluster.scaled).toEqual([]);
    for (const type of ["AbleToScale", "Ready", "ScalingActive"])
      expect(setting.condition(key, type)).toBe("False/HPAsUnknown");
    expect(cluster.condition(key, "AbleToScale")?.message).toBe(
      "spec.target_deployment: an HPA may scale Deployment web, because HPAs cannot be listed: forbidden; grant list " +
        "and watch of horizontalpodautoscalers of the group autoscaling (apply dist/install again), or set spec.mode " +
        "to Observe",
    );
    expect(setting.reasons()).toContain("HPAsUnknown");

    Object.assign(cluster.stored(key).spec, { mode: "Observe" });
    await setting.sync(key);
    expect(setting.condition(key, "Ready")).toBe("True/Synced");
    Object.assign(cluster.stored(key).spec, { mode: "Active" });

    cluster.heal();
    await vi.waitFor(async () => {
      await pass(15);
      await setting.sync(key);
      expect(cluster.scaled.length).toBeGreaterThan(0);
    });
    expect(JSON.stringify(cluster.stored(key).status)).not.toContain("HPAsUnknown");
    ended.abort();
  });

  it("keeps a target that would go to its minimum with its MLScaler", async () => {
    const key = cluster.createOn(3, {}, { finalizers: [finalizer] });
    cluster.load = 0.6;
    await setting.sync(key);
    expect(setting.replicas()).toBe(6);
    cluster.fail("GET", "/horizontalpodautoscalers", forbidden());
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    await setting.sync(key);
    expect([setting.replicas(), cluster.mlscalers.has(key)]).toEqual([6, false]);
  });
});

describe("two MLScalers on one target", () => {
  it("one whose spec became invalid does not hold the target", async () => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", {}, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger");
    for (const key of [older, younger]) setting.controller.onListed(cluster.stored(key));
    cluster.stored(older).spec.history_size = 0;
    cluster.stored(older).metadata.generation++;
    setting.controller.onListed(cluster.stored(older));
    await setting.sync(older);
    await setting.sync(younger);
    expect(cluster.condition(younger, "Ready")?.status).toBe("True");
  });
});
