import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { noteAnnotation, noteIn } from "../../../../capabilities/mlscaler/target/note";
import { broken } from "../../fake-api";
import { autoscaler as hpa, deployment } from "../../fake-cluster";
import { pass, settle } from "../../time";
import { cluster, external, finalizer, setting, useSetting } from "./setting";

useSetting();

/** An MLScaler in Assist on web, which has four replicas, beside these HPAs. Its line is fitted on five samples. */
async function begin(spec: Record<string, unknown> = {}, hpas = [hpa("web")]): Promise<string> {
  hpas.forEach(one => cluster.putAutoscaler(one));
  setting.controller.start(new AbortController().signal);
  const key = cluster.createOn(4, { max_replicas: undefined, mode: "Assist", ...spec });
  await settle();
  return key;
}

/** A line that rises from 0.3 cores by 0.1 a sync asks for the replicas of the next sync: ten a core. */
const rising = [0.3, 0.4, 0.5, 0.6, 0.7];

const minimum = (name = "web"): number | undefined => cluster.autoscaler(name).spec.minReplicas;
const note = (name = "web"): ReturnType<typeof noteIn> => noteIn(cluster.autoscaler(name).metadata.annotations);
const statusOf = (key: string): Record<string, unknown> => cluster.stored(key).status as never;

describe("an MLScaler in mode Assist", () => {
  it("raises the minimum of the HPA to what its forecast asks for, says so, and never writes the scale", async () => {
    const key = await begin();
    await setting.loads(key, rising.slice(0, 4));
    expect([minimum(), note()]).toEqual([2, undefined]);
    await setting.loads(key, rising.slice(4));
    expect(minimum()).toBe(8);
    expect(note()).toMatchObject({ by: "web", own: 2, raised: 8 });
    expect(cluster.scaled).toEqual([]);
    expect(statusOf(key)).toMatchObject({
      ...{ target: "hpa/web (Assist)", min_replicas: "2→8", max_replicas: 20 },
      assist: { autoscaler: "HPA web", own_min_replicas: 2, min_replicas: 8, until: note()?.until },
      decision: { final: 8 },
    });
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({
      ...{ status: "True", reason: "MinimumRaised" },
      message: "HPA web scales the target, with minReplicas raised from 2 to 8",
    });
    expect(cluster.condition(key, "Scaled")).toMatchObject({
      reason: "PredictionBased",
      message: "Predicted load: 0.80",
    });
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "True", message: "assists HPA web" });
    expect(cluster.events.find(({ reason }) => reason === "MinimumRaised")?.message).toMatch(
      /^minReplicas of HPA web 2 → 8, target 4 → 8: forecast 0.80 cores in 30 s/,
    );
  });

  it("tells of it on the HPA, once a day", async () => {
    const key = await begin();
    const told = (): unknown[] =>
      cluster.events.flatMap(({ involvedObject: { uid, ...of }, message }) => (uid === "web" ? [[of, message]] : []));
    await setting.loads(key, rising);
    const of = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace: "shop", name: "web" };
    const text = "MLScaler web raised minReplicas from 2 to 8 by its forecast, and puts it back";
    expect(told()).toEqual([[of, text]]);
    await setting.loads(key, [0.8, 0.9]);
    expect([minimum(), told()]).toEqual([10, [[of, text]]]);
    await pass(86_400);
    await setting.loads(key, [0.4, 0.5, 0.6, 0.7, 0.8]);
    expect(told()).toEqual([
      [of, text],
      [of, text.replace("8", "9")],
    ]);
  });

  it("lowers it with the window of scaleDown as the plan falls, and puts the user's back with its note", async () => {
    const key = await begin();
    await setting.loads(key, rising);
    await setting.loads(key, [0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1]);
    expect(minimum()).toBe(8);
    await setting.loads(key, [0.1, 0.1, 0.1, 0.1, 0.1, 0.1]);
    expect([minimum(), note()]).toEqual([2, undefined]);
    expect(statusOf(key)).toMatchObject({ min_replicas: "2" });
    expect(statusOf(key).assist).toEqual({ autoscaler: "HPA web", own_min_replicas: 2, min_replicas: 2 });
    expect(setting.reasons()).toContain("MinimumLowered");
  });

  it.each(["pause", "mode"] as const)("puts the minimum back, and disowns it, when %s says so", async field => {
    const owners = (): unknown => cluster.autoscaler("web").metadata.managedFields;
    const key = await begin();
    await setting.loads(key, rising);
    expect([minimum(), owners()]).toMatchObject([8, [{ manager: "mlscaler" }]]);
    const { spec, metadata } = cluster.stored(key);
    Object.assign(spec, field === "pause" ? { pause: "All" } : { mode: "Observe", max_replicas: 10 });
    metadata.generation++;
    await setting.sync(key);
    expect([minimum(), note(), owners()]).toEqual([2, undefined, []]);
  });

  it("puts it back at its deletion, before the object goes", async () => {
    const key = await begin();
    await setting.loads(key, rising);
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    expect(cluster.stored(key).metadata.finalizers).toEqual([finalizer]);
    cluster.fail("PATCH", "/horizontalpodautoscalers/web", broken(), 1);
    await setting.sync(key);
    expect([minimum(), cluster.mlscalers.has(key)]).toEqual([8, true]);
    await setting.sync(key);
    expect([minimum(), note(), cluster.mlscalers.has(key)]).toEqual([2, undefined, false]);
  });

  it("puts it back when the target is gone", async () => {
    const key = await begin();
    await setting.loads(key, rising);
    cluster.deployments.delete("web");
    await setting.sync(key);
    expect([minimum(), note()]).toEqual([2, undefined]);
    expect(setting.condition(key, "AbleToScale")).toBe("False/FailedGetScale");
  });

  it.each([
    ["and none has come", [], "False/NoAutoscaler"],
    ["and another has come", [hpa("web-2")], "True/MinimumRaised"],
  ])("puts it back when the HPA has gone to another target, %s", async (_, hpas, condition) => {
    const key = await begin();
    await setting.loads(key, rising);
    const { metadata, spec } = cluster.autoscaler("web");
    cluster.putAutoscaler({ metadata, spec: { ...spec, scaleTargetRef: { ...deployment, name: "other" } } });
    hpas.forEach(one => cluster.putAutoscaler(one));
    await settle();
    await setting.sync(key);
    expect([minimum(), note()]).toEqual([2, undefined]);
    expect(setting.condition(key, "AbleToScale")).toBe(condition);
  });

  it("puts it back when it cannot follow the metrics of the HPA any more", async () => {
    const key = await begin();
    await setting.loads(key, rising);
    const { spec, metadata } = cluster.stored(key);
    Object.assign(spec, { metric: undefined, history_size: undefined });
    metadata.generation++;
    Object.assign(cluster.autoscaler("web").spec, { metrics: [{ type: "Unknown" }] });
    await setting.sync(key);
    expect([minimum(), note()]).toEqual([2, undefined]);
    expect(setting.condition(key, "AbleToScale")).toBe("False/InvalidAutoscaler");
  });

  it("knows it after reads of the HPA that failed, also without its note", async () => {
    const key = await begin();
    await setting.loads(key, rising);
    cluster.fail("GET", "/horizontalpodautoscalers/web", broken(), 1);
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toBe("False/FailedGetAutoscaler");
    cluster.autoscaler("web").metadata.annotations = {};
    await setting.sync(key);
    expect(note()?.own).toBe(2);
  });

  it("retries at once when the HPA changes between the read and the write", async () => {
    const key = await begin();
    await setting.loads(key, rising.slice(0, 4));
    cluster.load = 0.7;
    cluster.fail("PATCH", "/horizontalpodautoscalers/web", new ApiError(409, "Conflict", "changed"), 1);
    expect(await setting.sync(key)).toMatchObject({ next: "soon", afterSeconds: 0 });
    expect(minimum()).toBe(2);
    await setting.sync(key);
    expect(minimum()).toBe(8);
  });

  it.each([
    [new ApiError(403, "Forbidden", "forbidden"), /^HPA web: forbidden; grant get and patch/],
    [new ApiError(400, "BadRequest", "odd"), /^HPA web: odd$/],
  ])("says what right it needs when it may not read: %s", async (error, message) => {
    const key = await begin();
    cluster.fail("GET", "/horizontalpodautoscalers/web", error);
    await setting.sync(key);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({
      ...{ status: "False", reason: "FailedGetAutoscaler", message: expect.stringMatching(message) as string },
    });
  });

  it("says what right it needs when it may not write", async () => {
    const key = await begin();
    cluster.fail("PATCH", "/horizontalpodautoscalers/web", new ApiError(403, "Forbidden", "forbidden"));
    await setting.loads(key, rising);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({
      ...{ status: "False", reason: "FailedUpdateMinimum" },
      message: expect.stringMatching(/^minReplicas of HPA web cannot be set to 8: .*grant get and patch/) as string,
    });
  });

  it("has metrics, maximum and behavior of the HPA, and waits for an HPA where none is there", async () => {
    const key = await begin({ metric: undefined, history_size: undefined }, []);
    cluster.external.set("rps", "450");
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toBe("False/NoAutoscaler");
    expect(setting.condition(key, "ForecastReady")).toBe("Unknown/NoAutoscaler");
    const one = hpa("web");
    Object.assign(one.spec, { metrics: [external("rps")] });
    cluster.putAutoscaler(one);
    await settle();
    expect(setting.woken).toContain(`MLScaler ${key}`);
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toBe("True/MinimumKept");
    expect(statusOf(key)).toMatchObject({ metrics: [{ name: "rps", target: "100" }], decision: { final: 5 } });
  });

  it("stands back from a target with two HPAs, and names them", async () => {
    const key = await begin({}, [hpa("web"), hpa("other")]);
    await setting.loads(key, rising);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({
      ...{ status: "False", reason: "AmbiguousTarget" },
      message: "spec.target_deployment: Deployment web is scaled by HPA web and HPA other; delete all but one",
    });
    expect([minimum("web"), minimum("other")]).toEqual([2, 2]);
  });

  it("says that there is nothing to raise where the minimum is the maximum", async () => {
    const one = hpa("web");
    one.spec.minReplicas = 20;
    const key = await begin({}, [one]);
    await setting.loads(key, rising);
    expect(cluster.condition(key, "Ready")?.message).toBe(
      "assists HPA web; its minReplicas 20 is its maximum, so there is nothing to raise",
    );
  });

  it("raises minReplicaCount of the ScaledObject, never the HPA that KEDA makes of it", async () => {
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "so", controller: true };
    cluster.putScaledObject("web", {});
    const key = await begin({}, [hpa("keda-hpa-web", deployment, { ownerReferences: [owner] })]);
    await setting.loads(key, rising);
    expect(minimum("keda-hpa-web")).toBe(2);
    const { spec, metadata } = cluster.autoscaler("scaledobjects/web");
    expect(spec.minReplicaCount).toBe(8);
    expect(metadata.annotations?.[noteAnnotation]).toBeDefined();
    expect(statusOf(key)).toMatchObject({ target: "scaledobject/web (Assist)", min_replicas: "0→8" });
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    await setting.sync(key);
    expect(cluster.autoscaler("scaledobjects/web").spec.minReplicaCount).toBe(0);
  });

  it("puts it back in a ScaledObject that KEDA has paused, and so deleted its HPA", async () => {
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "so", controller: true };
    cluster.putScaledObject("web", {});
    const key = await begin({}, [hpa("keda-hpa-web", deployment, { ownerReferences: [owner] })]);
    await setting.loads(key, rising);
    cluster.removeAutoscaler("keda-hpa-web");
    await settle();
    await setting.sync(key);
    const { spec, metadata } = cluster.autoscaler("scaledobjects/web");
    expect([spec.minReplicaCount, noteIn(metadata.annotations)]).toEqual([0, undefined]);
    expect(setting.condition(key, "AbleToScale")).toBe("False/NoAutoscaler");
  });
});

describe("an MLScaler that takes over", () => {
  it("assists the HPA while it is there, and scales from the count that it left", async () => {
    const key = await begin({ mode: "Active", take_over: true, max_replicas: 20 });
    await setting.loads(key, rising);
    expect([minimum(), cluster.scaled]).toEqual([8, []]);
    cluster.deploy("web", 8);
    cluster.removeAutoscaler("web");
    await settle();
    expect(setting.woken).toContain(`MLScaler ${key}`);
    cluster.load = 0.2;
    await setting.syncs(key, 5);
    expect([setting.replicas(), cluster.scaled]).toEqual([8, []]);
    expect(statusOf(key)).toMatchObject({ target: "Deployment/web", min_replicas: "1" });
    cluster.putAutoscaler(hpa("web"));
    await settle();
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toMatch(/^True\/Minimum/);
  });
});
