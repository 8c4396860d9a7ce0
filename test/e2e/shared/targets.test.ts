import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { mergePatch } from "../../../capabilities/kubernetes/api";
import { projectRoot } from "../../../sandbox/paths";
import * as cluster from "../cluster";
import { Kind, kinds, scalerOn, serveKind, Targets } from "../targets";

const { api, kube, shortForm, until } = cluster;

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

describe("a LeaderWorkerSet", () => {
  const ref = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet" };
  const nameLabel = "leaderworkerset.sigs.k8s.io/name";
  const indexLabel = "leaderworkerset.sigs.k8s.io/worker-index";
  const selectorOf = (index: number): string => `${nameLabel}=llm,${indexLabel}=${index}`;

  /** Two groups of a leader and a worker, as its controller would make them. */
  async function createGroups(): Promise<void> {
    await cluster.apply(namespace, { ...ref, metadata: { name: "llm" }, spec: { replicas: 2 } });
    const status = { replicas: 2, hpaPodSelector: selectorOf(0) };
    await api.patch(`${cluster.pathOf(ref, namespace, "llm")}/status`, mergePatch, { status });
    const { spec } = cluster.deploymentManifest("llm", 1).spec.template;
    for (const group of [0, 1])
      for (const index of [0, 1]) {
        const labels = { [nameLabel]: "llm", [indexLabel]: String(index) };
        const metadata = { name: `llm-${group}-${index}`, labels };
        await api.create(`/api/v1/namespaces/${namespace}/pods`, { metadata, spec });
      }
  }

  it("is scaled by the load of its leaders, with the right that the page gives", async () => {
    onTestFinished(await serveKind(ref, "leaderworkersets", ".status.hpaPodSelector"));
    const page = readFileSync(join(projectRoot, "docs/how-to/slow-starts.md"), "utf8");
    const right = /```yaml\n(apiVersion: rbac\.authorization.*?)```/s.exec(page)?.[1] ?? "";
    await kube(["apply", "-f", "-"], right);
    onTestFinished(() => kube(["delete", "-f", "-"], right).then(() => undefined));
    await createGroups();
    for (const [index, cores] of [0.55, 4].entries())
      loads.push(new cluster.Load(namespace, "llm", cores, selectorOf(index)));
    await cluster.applyScaler(namespace, "llm", { target_ref: { ...ref, name: "llm" }, ...shortForm });
    const path = `${cluster.pathOf(ref, namespace, "llm")}/scale`;
    const asked = async (): Promise<string> => JSON.stringify(await api.get(path));
    await until("6 groups are asked for", async () => (await asked()).includes('"replicas":6'), { seen: asked });
    await cluster.untilCondition(namespace, "llm", "Ready", "True/Synced");
    expect((await cluster.scaler(namespace, "llm")).status).toMatchObject({ target: "LeaderWorkerSet/llm" });
  });
});
