import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "../cluster";
import { Kind, kinds, scalerOn, Targets } from "../targets";

const { kube, shortForm } = cluster;

let namespace: string;
let targets: Targets;
const loads: cluster.Load[] = [];

beforeAll(async () => {
  namespace = await cluster.createNamespace("targets");
  targets = new Targets(namespace);
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  await cluster.leaveNamespace(namespace);
});

describe.concurrent("every kind of target", () => {
  it.each(Object.keys(kinds) as Kind[])("%s: kubectl, an MLScaler and an HPA scale it", async kind => {
    const { plural, count, ref } = kinds[kind];
    const name = kind.toLowerCase();
    await targets.create(kind, name);
    await targets.untilScale(kind, name, 1);
    await kube(["scale", `${plural}/${name}`, "-n", namespace, "--replicas=2"]);
    await targets.untilScale(kind, name, 2);

    const { selector } = (await targets.scaleOf(kind, name)).status;
    // The load asks for more: while samples are of mixed age, it may seem to be larger.
    loads.push(new cluster.Load(namespace, name, 0.55, selector));
    await cluster.applyScaler(namespace, name, scalerOn(kind, name, { max_replicas: 4 }));
    await targets.untilScale(kind, name, 4);
    await cluster.untilCondition(namespace, name, "Ready", "True/Synced");
    expect((await cluster.scaler(namespace, name)).status.target).toBe(`${kind}/${name}`);

    // Edited by hand, it gets its count back.
    await cluster.patch(namespace, ref, name, { spec: { [count]: 1 } });
    await targets.untilScale(kind, name, 4);
    await cluster.remove(namespace, cluster.mlscaler, name);
    await targets.untilScale(kind, name, 1);

    const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } };
    const bounds = { minReplicas: 3, maxReplicas: 5, metrics: [{ type: "Resource", resource: cpu }] };
    const spec = { scaleTargetRef: { ...ref, name }, ...bounds };
    await cluster.apply(namespace, {
      ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name }, spec },
    });
    await targets.untilScale(kind, name, 3);
  });
});

describe("a target with a ceiling of its own", () => {
  it("is warned of at admission, and its refusal is a condition", async () => {
    await targets.create("Hello", "low", { replicas: 20 });
    await targets.untilScale("Hello", "low", 20);
    const spec = scalerOn("Hello", "low", { min_replicas: 25, max_replicas: 30 });
    const warning = /Warning: spec\.max_replicas: Hello low refuses 30: .*30 is out of range, use 1 to 20/;
    await cluster.untilTold(namespace, JSON.stringify(cluster.scalerManifest("low", spec)), warning);
    await cluster.applyScaler(namespace, "low", spec);
    const said = "25 is out of range, use 1 to 20";
    await cluster.untilCondition(namespace, "low", "AbleToScale", "False/FailedUpdateScale", said);
    await cluster.untilEvent(namespace, "low", "Warning FailedRescale");
    expect((await targets.scaleOf("Hello", "low")).spec.replicas).toBe(20);
  });
});

describe("a Deployment that an EasyService made", () => {
  it("is left to it: the MLScaler stands back and names it", async () => {
    await targets.create("EasyService", "made");
    await targets.untilScale("EasyService", "made", 1);
    await cluster.applyScaler(namespace, "made", { target_deployment: "made", ...shortForm, min_replicas: 4 });
    const said =
      "spec.target_deployment: the replicas of Deployment made are set by EasyService made; name that in the target_ref of a new MLScaler";
    await cluster.untilCondition(namespace, "made", "AbleToScale", "False/AmbiguousTarget", said);
    expect(await cluster.condition(namespace, "made", "ScalingActive")).toBe("False/AmbiguousTarget");
    expect(await cluster.condition(namespace, "made", "ScalingLimited")).toBe("Unknown/AmbiguousTarget");
    expect(await cluster.condition(namespace, "made", "ForecastReady")).toBe("Unknown/AmbiguousTarget");
    expect(await cluster.replicas(namespace, "made")).toBe(1);
  });
});
