import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import type { Call } from "../../fake-api";
import { forbidden, notFound } from "../../fake-api";
import { autoscaler, type StoredTarget } from "../../fake-cluster";
import { start } from "../../time";
import { daily, replayed, storeHistory } from "../memory/remembered";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const crds = z
  .record(z.string(), z.json())
  .parse(parse(readFileSync(join(__dirname, "../nodes/capacity-buffers.yaml"), "utf8"), { merge: true }));

/** The objects that the CRDs of a version allow. */
const bodySchemas = Object.fromEntries(
  Object.entries(crds).map(([version, schema]) => [
    version,
    z.looseObject({ spec: z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema) }),
  ]),
);

/** A target of a kind that Karpenter does not know. */
const onRollout = {
  target_deployment: undefined,
  target_ref: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" },
};

const templateOf = (cpu: string): object => ({
  spec: { containers: [{ name: "web", resources: { requests: { cpu } } }] },
});

function rollout(template: object | undefined = templateOf("1")): StoredTarget {
  return Object.assign(cluster.run("rollouts/web", 1), { template });
}

/** Syncs once a minute. */
async function course(key: string, minutes: number): Promise<void> {
  await setting.course(key, minutes, {
    seconds: 60,
    before: () => void cluster.external.set("rps", `${Math.round(1000 * daily(Date.now()))}m`),
  });
}

/** An MLScaler with five days of history on web, which has one replica, after its first three syncs. */
async function begin(spec: object = {}, versions = ["v1beta1", "v1alpha1"]): Promise<string> {
  cluster.bufferVersions = versions;
  const rest = { sync_period_seconds: 60, forecast: { model: "holt_winters" }, mode: "Observe", capacity_buffer: {} };
  const key = cluster.createOn(1, longForm([external("rps")], { ...rest, ...spec }));
  await storeHistory(cluster, key, 5, [daily]);
  await course(key, 1);
  await replayed();
  await course(key, 2);
  return key;
}

const replicas = (): unknown => cluster.buffers.get("web")?.spec.replicas;
const condition = (key: string): string | undefined => setting.condition(key, "NodesAhead");

/** What an autoscaler of the cluster says of the buffer. */
function says(provisioning: string, reason: string, ready: string[] = ["ReadyForProvisioning"]): void {
  const rest = { message: "", lastTransitionTime: start.toISOString() };
  const buffer = cluster.buffers.get("web");
  if (buffer)
    buffer.status = {
      conditions: [
        ...ready.map(type => ({ ...rest, type, status: "True", reason: "Resolved" })),
        { ...rest, type: "Provisioning", status: provisioning, reason },
      ],
    };
}

/** The writes of objects whose paths contain this. */
const writes = (part: string): Call[] =>
  cluster.api.calls.filter(({ path, method }) => method === "PATCH" && path.includes(part));

describe("an MLScaler with a capacity buffer", () => {
  it("asks for the nodes of the pods that are missing, with mode Observe, and touches no replicas", async () => {
    const key = await begin();
    const buffer = cluster.buffers.get("web");
    expect(buffer?.spec).toMatchObject({ scalableRef: { apiGroup: "apps", kind: "Deployment", name: "web" } });
    expect(buffer?.metadata.ownerReferences).toMatchObject([{ kind: "MLScaler", name: "web", controller: true }]);
    expect(replicas()).toBeGreaterThan(0);
    expect([cluster.scaled, condition(key)]).toEqual([[], "Unknown/NotTakenUp"]);
    expect(cluster.stored(key).status?.capacity_buffer).toEqual({ replicas: replicas() });
    says("True", "FitsExistingCapacity");
    await course(key, 1);
    expect(condition(key)).toBe("True/Planned");
    expect(cluster.stored(key).status?.capacity_buffer).toEqual({ replicas: replicas(), planned: true });
    expect(cluster.stored(key).status?.lead).toEqual({ start_up_seconds: 60, metric_seconds: 30 });
    expect(cluster.condition(key, "ForecastReady")?.message).toContain("; looks 150 s ahead, and 390 s for nodes");
    expect(setting.reasons().filter(reason => reason.startsWith("Nodes"))).toEqual(["NodesRequested", "NodesPlanned"]);
  });

  it("has one that is taken up where Cluster Autoscaler before 1.35.1 tells of its nodes alone", async () => {
    const key = await begin();
    says("True", "FakePodsInjected", []);
    await course(key, 1);
    expect(condition(key)).toBe("True/Requested");
  });

  it("shrinks by the pods that come, and writes what somebody else changed, and nothing else", async () => {
    const key = await begin();
    says("True", "FitsExistingCapacity");
    const before = Number(replicas());
    cluster.deploy("web", 2);
    await course(key, 1);
    expect(replicas()).toBe(before - 1);
    Object.assign(cluster.buffers.get("web")?.spec ?? {}, { replicas: 77 });
    await course(key, 1);
    expect(replicas()).toBe(before - 1);
    const written = writes("/capacitybuffers/").length;
    await course(key, 1);
    expect(writes("/capacitybuffers/")).toHaveLength(written);
  });

  it.each([
    ["v1beta1", {}],
    ["v1alpha1", {}],
    ["v1beta1", onRollout],
    ["v1alpha1", onRollout],
  ])("writes what the CRD of %s has, with %j", async (version, spec) => {
    rollout();
    await begin(spec, [version]);
    expect(replicas()).toBeGreaterThan(0);
    const written = writes(`/autoscaling.x-k8s.io/${version}/`);
    expect(written.length).toBeGreaterThan(0);
    for (const { body } of written) bodySchemas[version]?.parse(body);
  });

  it.each([
    ["without the kind", () => void (cluster.bufferVersions = []), "False/NoCapacityBuffers"],
    [
      "without the right",
      () => cluster.fail("GET", "/capacitybuffers/web", new ApiError(403, "Forbidden", "no")),
      "False/Forbidden",
    ],
    [
      "beside one of somebody else",
      () => void cluster.buffers.set("web", { metadata: { name: "web", uid: "theirs" }, spec: { replicas: 9 } }),
      "False/NameTaken",
    ],
  ])("says why it has none %s, and scales on", async (_, happens, expected) => {
    const key = await begin({ mode: "Active" });
    happens();
    await course(key, 2);
    expect(condition(key)).toBe(expected);
    expect(setting.condition(key, "Ready")).toBe("True/Synced");
    if (expected.endsWith("NameTaken")) expect(replicas()).toBe(9);
  });

  it("leaves alone one of somebody else that comes between its read and its write", async () => {
    const key = await begin();
    const theirs = { metadata: { name: "web", uid: "theirs" }, spec: { replicas: 9 } };
    cluster.buffers.set("web", theirs);
    cluster.fail("GET", "/capacitybuffers/web", notFound(), 1);
    const before = writes("/capacitybuffers/").length;
    await course(key, 1);
    expect(writes("/capacitybuffers/")).toHaveLength(before + 1);
    expect(cluster.buffers.get("web")).toEqual(theirs);
    await course(key, 1);
    expect(condition(key)).toBe("False/NameTaken");
  });

  /** Begins, and changes the spec of the MLScaler. */
  async function changed(change: object): Promise<string> {
    const key = await begin();
    const { spec, metadata } = cluster.stored(key);
    Object.assign(spec, change);
    metadata.generation++;
    return key;
  }

  it("asks at once when the kind comes", async () => {
    const key = await begin({ sync_period_seconds: 5 }, []);
    await setting.sync(key);
    cluster.bufferVersions = ["v1beta1"];
    await setting.syncs(key, 4, 5);
    expect(replicas()).toBeGreaterThan(0);
  });

  it.each([
    ["pause", { pause: "All" }],
    ["no forecast", { forecast: { model: "off" } }],
  ])("empties it and leaves it with %s", async (_, change) => {
    const key = await changed(change);
    await course(key, 2);
    expect([replicas(), condition(key)]).toEqual([0, "False/NotTrusted"]);
  });

  it("empties it when the target is gone", async () => {
    const key = await begin();
    cluster.deployments.delete("web");
    await course(key, 2);
    expect(replicas()).toBe(0);
  });

  // Karpenter 1.14 keeps the nodes of one that is deleted, until it plans nodes again.
  it("empties it before it deletes it when the field goes", async () => {
    const key = await changed({ capacity_buffer: undefined });
    await course(key, 1);
    expect(replicas()).toBe(0);
    await course(key, 1);
    expect([replicas(), cluster.stored(key).status?.capacity_buffer]).toEqual([undefined, undefined]);
  });

  it("empties it, and then puts the minimum back, when the MLScaler is deleted", async () => {
    cluster.putAutoscaler(autoscaler("web"));
    setting.controller.start(new AbortController().signal);
    const key = await begin({ mode: "Assist" });
    const minimum = (): number | undefined => cluster.autoscaler("web").spec.minReplicas;
    expect(Math.min(Number(minimum()) - 2, Number(replicas()))).toBeGreaterThan(0);
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    const before = cluster.api.calls.length;
    await setting.sync(key);
    const written = cluster.api.calls.slice(before).filter(({ method }) => method === "PATCH");
    expect([minimum(), replicas(), cluster.mlscalers.has(key)]).toEqual([2, 0, false]);
    const kinds = new Set(written.map(({ path }) => path.split("/").at(-2)));
    expect([...kinds]).toEqual(["capacitybuffers", "horizontalpodautoscalers", "mlscalers"]);
  });
});

describe("the pods of a target that Karpenter cannot read", () => {
  const template = (): object | undefined => cluster.templates.get("mlscaler-web");

  it("are those of a PodTemplate, which follows the target and goes with the buffer", async () => {
    const target = rollout();
    const key = await begin(onRollout);
    const buffer = cluster.buffers.get("web");
    expect(buffer?.spec).toMatchObject({ podTemplateRef: { name: "mlscaler-web" } });
    expect(buffer?.spec).not.toHaveProperty("scalableRef");
    const { kind, name, uid } = { kind: "CapacityBuffer", name: "web", uid: buffer?.metadata.uid };
    const owner = { apiVersion: "autoscaling.x-k8s.io/v1beta1", kind, name, uid, controller: true };
    expect(template()).toMatchObject({
      ...{ apiVersion: "v1", kind: "PodTemplate", template: templateOf("1") },
      metadata: { namespace: "shop", ownerReferences: [{ ...owner, blockOwnerDeletion: false }] },
    });
    const written = writes("/capacitybuffers/").length;
    target.template = templateOf("2");
    await course(key, 1);
    expect(template()).toMatchObject({ template: templateOf("2") });
    expect(writes("/capacitybuffers/")).toHaveLength(written);
  });

  it("are of the PodTemplate of a buffer that was made again", async () => {
    rollout();
    const key = await begin(onRollout);
    cluster.buffers.delete("web");
    await course(key, 1);
    const uid = cluster.buffers.get("web")?.metadata.uid;
    expect(template()).toMatchObject({ metadata: { ownerReferences: [{ uid }] } });
  });

  const theirs = { metadata: { name: "mlscaler-web", uid: "theirs" }, template: templateOf("8") };

  it.each([
    ["has no template", () => void rollout({ workloadRef: {} })],
    ["may not be read", () => (rollout(), cluster.fail("GET", "/rollouts/web", forbidden()))],
    ["has a PodTemplate of somebody else", () => (rollout(), void cluster.templates.set("mlscaler-web", theirs))],
  ])("are named by the target, as Cluster Autoscaler can, where it %s", async (_, happens) => {
    happens();
    await begin(onRollout);
    expect(cluster.buffers.get("web")?.spec).toMatchObject({
      scalableRef: { apiGroup: "argoproj.io", kind: "Rollout", name: "web" },
    });
    expect([undefined, theirs]).toContainEqual(template());
  });

  it("are unknown without the right to write PodTemplates", async () => {
    rollout();
    cluster.fail("PATCH", "/podtemplates/mlscaler-web", forbidden());
    const key = await begin(onRollout);
    expect(condition(key)).toBe("False/Forbidden");
  });
});

describe("the time of a node", () => {
  it("lengthens the horizon of a target whose pods waited for none, by the waits of others", async () => {
    const [at, created] = [new Date(start.getTime() + 200_000), start];
    const of = { ready: true, revision: "1", since: at, cores: 0.1 };
    cluster.deploy("other", 1).pods = [{ ...of, name: "other-0", created, scheduled: { node: "new", at } }];
    cluster.nodes.set("new", at);
    await setting.sync(cluster.create("other", { target_deployment: "other" }));
    const key = await begin({ capacity_buffer: undefined, metrics: [external("rps")] });
    expect(cluster.stored(key).status?.lead).toMatchObject({ start_up_seconds: 60, node_seconds: 200 });
    expect(cluster.condition(key, "ForecastReady")?.message).toContain(
      "; looks 350 s ahead, 200 s of it for a new node",
    );
  });
});
