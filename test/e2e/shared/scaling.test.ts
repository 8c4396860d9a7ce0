import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "../cluster";

const { kube, shortForm, until } = cluster;

let namespace: string;
let loads: cluster.Load[] = [];

const condition = (name: string, type: string): Promise<string | undefined> => cluster.condition(namespace, name, type);

const untilCondition = (name: string, type: string, wanted: string, text = ""): Promise<true> =>
  cluster.untilCondition(namespace, name, type, wanted, text);

const scale = (name: string, replicas: number): Promise<unknown> =>
  cluster.patch(namespace, cluster.deployment, name, { spec: { replicas } });

/** A load on the pods of a Deployment, until the end of the tests. */
function loadOf(name: string, cores: number): cluster.Load {
  const load = new cluster.Load(namespace, name, cores);
  loads.push(load);
  return load;
}

beforeAll(async () => {
  namespace = await cluster.createNamespace("scaling");
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  loads = [];
  await cluster.leaveNamespace(namespace);
});

describe.concurrent("a Deployment under an MLScaler", () => {
  it("follows its load within its bounds, from the first sync to the deletion; conditions, Events, columns", async () => {
    await cluster.createDeployment(namespace, "web", 1);
    const load = loadOf("web", 0.55);
    await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm });
    // metrics-server has slight errors: the load gives 6 replicas, or more when the line rises.
    await until("it has what its load asks for", async () => (await cluster.replicas(namespace, "web")) >= 6);
    await untilCondition("web", "ForecastReady", "True/Fitted");
    await untilCondition("web", "AbleToScale", "True/ReadyForNewScale");
    const { status, metadata } = await cluster.scaler(namespace, "web");
    expect(status.observedGeneration).toBe(metadata.generation);
    expect(metadata.finalizers).toEqual(["mlscaler.example.com/finalizer"]);
    expect(status.last_scale_time).toBeDefined();
    expect(status.forecast).toMatchObject({ model: "linear", horizon_seconds: 5 });
    // A sync that is late on a busy machine leaves a gap, after which the samples start again.
    const samples = async (): Promise<unknown> => (await cluster.scaler(namespace, "web")).status.forecast?.samples;
    await until("it has its samples", async () => (await samples()) === 3, {
      seen: async () => String(await samples()),
    });
    expect(await condition("web", "Ready")).toBe("True/Synced");
    expect(await condition("web", "ScalingActive")).toBe("True/ValidMetricFound");
    expect(await condition("web", "ScalingLimited")).toBe("False/DesiredWithinRange");
    expect(await condition("web", "Scaled")).toMatch(/^True\/(LoadBased|PredictionBased)$/);
    await cluster.untilEvent(namespace, "web", /Normal SuccessfulRescale \d+ → \d+.* 10 replicas per core/);
    const table = (): Promise<string> => kube(["get", "mls", "web", "-n", namespace, "-o", "wide"]);
    expect(await table()).toMatch(
      /NAME +TARGET +CURRENT +DESIRED +MIN +MAX +FORECAST +TRUST +READY +AGE +LOAD +MODEL +MODE +HORIZON +SKILL% +COVERAGE% +REASON +WHY\n/,
    );
    const row = /\nweb +Deployment\/web +\d+ +\d+ +1 +20 +0\.\d+ +Fitted +True +\w+ +0\.5\d* +linear +Active +5 /;
    await until("its line tells the load, the forecast and the counts", async () => row.test(await table()), {
      seen: table,
    });

    // The load goes, but the replicas stay, because the highest recommendation of the last 300 s counts.
    load.cores = 0.15;
    await untilCondition("web", "AbleToScale", "True/ScaleDownStabilized");
    expect(await cluster.replicas(namespace, "web")).toBeGreaterThanOrEqual(6);

    // Scaled to 0, it stays there. The next periodic sync is an hour away, so the following changes are due to events.
    await scale("web", 0);
    await cluster.changeScaler(namespace, "web", { sync_period_seconds: 3600 });
    await untilCondition("web", "ScalingActive", "False/ScalingDisabled");
    await cluster.changeScaler(namespace, "web", { max_replicas: 5 });
    expect(await cluster.replicas(namespace, "web")).toBe(0);
    await scale("web", 30);
    await cluster.untilReplicas(namespace, "web", 5);
    await cluster.untilEvent(namespace, "web", "30 → 5: outside min_replicas 1 to max_replicas 5");

    // Deleted: the target goes to its minimum.
    await cluster.patchScaler(namespace, "web", { min_replicas: 2 });
    await cluster.remove(namespace, cluster.mlscaler, "web");
    expect(await cluster.replicas(namespace, "web")).toBe(2);
  });

  it("goes with its namespace, which no finalizer holds up", async () => {
    const doomed = await cluster.createNamespace("doomed");
    await cluster.createDeployment(doomed, "web", 1);
    await cluster.applyScaler(doomed, "web", { target_deployment: "web", ...shortForm, min_replicas: 3 });
    await cluster.untilReplicas(doomed, "web", 3);
    const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", metadata: { name: "hello" }, spec: { replicas: 2 } };
    await cluster.apply(doomed, hello);
    await cluster.untilReplicas(doomed, "hello", 2);
    await cluster.leaveNamespace(doomed);
    const path = `/api/v1/namespaces/${doomed}`;
    await until("the namespace is gone", async () => (await cluster.api.find(path)) === undefined);
  });
});
