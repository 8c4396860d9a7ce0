import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "./cluster";
import { Kind, kinds, scalerOn, Targets } from "./targets";

const { kube, kubectl, shortForm, until } = cluster;

let namespace: string;
let targets: Targets;
const loads: cluster.Load[] = [];

beforeAll(async () => {
  namespace = await cluster.createNamespace("targets");
  targets = new Targets(namespace);
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
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
    loads.push(new cluster.Load(namespace, name, 0.35, selector));
    await cluster.applyScaler(namespace, name, scalerOn(kind, name));
    await targets.untilScale(kind, name, 4);
    await until(`${name} is Ready`, async () => (await cluster.condition(namespace, name, "Ready")) === "True/Synced");
    expect((await cluster.scaler(namespace, name)).status.target).toBe(`${kind}/${name}`);
    expect(await kube(["get", "mls", name, "-n", namespace])).toContain(`${kind}/${name}`);

    // Edited by hand, it gets its count back.
    const patch = JSON.stringify({ spec: { [count]: 1 } });
    await kube(["patch", plural, name, "-n", namespace, "--type=merge", "-p", patch]);
    await targets.untilScale(kind, name, 4);
    await kube(["delete", "mls", name, "-n", namespace, "--timeout=180s"]);
    await targets.untilScale(kind, name, 1);

    const cpu = { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } };
    const bounds = { minReplicas: 3, maxReplicas: 5, metrics: [{ type: "Resource", resource: cpu }] };
    const spec = { scaleTargetRef: { ...ref, name }, ...bounds };
    const hpa = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name }, spec };
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpa));
    await targets.untilScale(kind, name, 3);
  });
});

describe("a target with a ceiling of its own", () => {
  it("is warned of at admission, and its refusal is a condition", async () => {
    await targets.create("Hello", "low", { replicas: 20 });
    await targets.untilScale("Hello", "low", 20);
    const manifest = JSON.stringify(
      cluster.scalerManifest("low", scalerOn("Hello", "low", { min_replicas: 25, max_replicas: 30 })),
    );
    const warning = /Warning: spec\.max_replicas: Hello low refuses 30: .*30 is out of range, use 1 to 20/;
    expect((await cluster.untilTold(namespace, manifest, warning)).code).toBe(0);
    await kube(["apply", "-n", namespace, "-f", "-"], manifest);
    await until(
      "the refusal is a condition",
      async () => (await cluster.condition(namespace, "low", "AbleToScale")) === "False/FailedUpdateScale",
      { seen: async () => JSON.stringify((await cluster.scaler(namespace, "low")).status) },
    );
    const { conditions = [] } = (await cluster.scaler(namespace, "low")).status;
    expect(conditions.find(({ type }) => type === "AbleToScale")?.message).toContain("25 is out of range, use 1 to 20");
    await cluster.untilEvent(namespace, "low", "Warning FailedRescale");
    expect((await targets.scaleOf("Hello", "low")).spec.replicas).toBe(20);
  });
});

describe("a Deployment that an EasyService made", () => {
  it("is left to it: the MLScaler stands back and names it", async () => {
    await targets.create("EasyService", "made");
    await targets.untilScale("EasyService", "made", 1);
    await cluster.applyScaler(namespace, "made", { target_deployment: "made", ...shortForm, min_replicas: 4 });
    await until(
      "it stands back",
      async () => (await cluster.condition(namespace, "made", "AbleToScale")) === "False/AmbiguousTarget",
      { seen: async () => JSON.stringify((await cluster.scaler(namespace, "made")).status) },
    );
    const { conditions = [] } = (await cluster.scaler(namespace, "made")).status;
    expect(conditions.find(({ type }) => type === "AbleToScale")?.message).toBe(
      "spec.target_deployment: the replicas of Deployment made are set by EasyService made; name that in the target_ref of a new MLScaler",
    );
    await cluster.untilReplicas(namespace, "made", 1);
  });
});

describe("target_ref", () => {
  it("is refused beside target_deployment, and when neither is there", async () => {
    const both = { ...scalerOn("Echo", "x"), target_deployment: "x" };
    const apply = (spec: object): Promise<cluster.Answer> =>
      kubectl(["apply", "-n", namespace, "-f", "-"], JSON.stringify(cluster.scalerManifest("bad", spec)));
    expect((await apply(both)).stderr).toContain("name one target, either here or in spec.target_ref");
    expect((await apply(shortForm)).stderr).toContain("name one target, either here or in spec.target_ref");
    await cluster.withoutWebhook(async () => {
      expect((await apply(both)).stderr).toContain("name one target, either here or in spec.target_ref");
    });
  });

  it("to nothing, or to a kind that does not exist, is a warning and then a condition", async () => {
    const { stderr } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(
        cluster.scalerManifest("nothing", {
          target_ref: { apiVersion: "apps/v1", kind: "Nothing", name: "web" },
          ...shortForm,
        }),
      ),
    );
    expect(stderr).toContain("Warning: spec.target_ref: apps/v1 has no kind Nothing");
    await until(
      "the condition",
      async () => (await cluster.condition(namespace, "nothing", "AbleToScale")) === "False/FailedGetScale",
    );
    await kube(["delete", "mls", "nothing", "-n", namespace, "--timeout=180s"]);
  });

  it("and target_deployment to one Deployment are two on one target", async () => {
    await cluster.createDeployment(namespace, "both", 1);
    await cluster.applyScaler(namespace, "first", { target_deployment: "both", ...shortForm });
    const second = { target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "both" }, ...shortForm };
    const { stderr } = await kubectl(
      ["apply", "-n", namespace, "-f", "-"],
      JSON.stringify(cluster.scalerManifest("second", second)),
    );
    expect(stderr).toContain("spec.target_ref: Deployment both is already scaled by MLScaler first");
  });

  it("cannot be changed, nor be exchanged for target_deployment", async () => {
    const patch = (spec: object): Promise<cluster.Answer> =>
      kubectl(["patch", "mls", "first", "-n", namespace, "--type=merge", "-p", JSON.stringify({ spec })]);
    const { stderr } = await patch({
      target_deployment: null,
      target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "both" },
    });
    expect(stderr).toContain("it is immutable, delete the MLScaler and create it again");
  });
});
