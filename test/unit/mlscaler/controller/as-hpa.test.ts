import { describe, expect, it } from "vitest";
import { broken, refused } from "../../fake-api";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const create = (replicas: number, spec: object = {}): string =>
  cluster.createOn(replicas, longForm([external("a", "1"), external("b", "1")], { max_replicas: 10, ...spec }));

const metricReads = (): string[] =>
  cluster.api
    .of("GET")
    .map(({ path }) => path)
    .filter(path => path.includes("metrics") || path.endsWith("/pods"));

describe("the conditions of an HPA", () => {
  it("AbleToScale is FailedGetScale where the API server is silent, and it is tried again", async () => {
    const key = create(5);
    cluster.external.set("a", "5").set("b", "5");
    await setting.sync(key);
    cluster.fail("GET", "/scale", refused(), 1);
    expect(await setting.sync(key)).toMatchObject({ next: "retry", error: { message: refused().message } });
    for (const type of ["AbleToScale", "Ready"]) expect(setting.condition(key, type)).toBe("False/FailedGetScale");
    expect(cluster.condition(key, "AbleToScale")?.message).toBe(`Deployment web: ${refused().message}`);
    expect(setting.reasons()).toEqual(["FailedGetScale"]);
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toBe("True/ReadyForNewScale");
  });

  it("AbleToScale is FailedUpdateScale where the API server fails, and it is tried again", async () => {
    const key = create(5);
    cluster.external.set("a", "8").set("b", "8");
    cluster.fail("PUT", "/scale", broken(), 1);
    expect(await setting.sync(key)).toMatchObject({ next: "retry", error: { message: broken().message } });
    for (const type of ["AbleToScale", "Ready"]) expect(setting.condition(key, type)).toBe("False/FailedUpdateScale");
    expect(setting.reasons()).toEqual(["FailedRescale"]);
    expect(cluster.stored(key).status).not.toHaveProperty("predicted_replicas");
    await setting.sync(key);
    expect(setting.condition(key, "AbleToScale")).toBe("True/SucceededRescale");
  });
});

describe("the events of an HPA", () => {
  it("are one for each metric that failed, and one for all of them", async () => {
    const key = create(5);
    await setting.sync(key);
    const [first, second, all] = cluster.events;
    expect(setting.reasons()).toEqual([
      ...["FailedGetExternalMetric", "FailedGetExternalMetric", "FailedComputeMetricsReplicas"],
    ]);
    expect(first?.message).toMatch(/^External metric a: /);
    expect(second?.message).toMatch(/^External metric b: /);
    expect(all?.message).toContain("invalid metrics (2 invalid out of 2), first error is: failed to get a external");
  });
});

describe("a count outside the bounds", () => {
  it.each([
    [2, { min_replicas: 3 }, 3],
    [12, { max_replicas: 9 }, 9],
  ])("of %d is corrected without a look at metrics or pods", async (replicas, spec, scaled) => {
    const key = create(replicas, spec);
    await setting.sync(key);
    expect(cluster.scaled).toEqual([scaled]);
    expect(metricReads()).toEqual([]);
    expect(setting.reasons()).toEqual(["SuccessfulRescale"]);
    for (const type of ["ScalingActive", "ScalingLimited"]) expect(setting.condition(key, type)).toBeUndefined();
    expect(setting.condition(key, "Ready")).toBe("True/Synced");
  });

  it("leaves what was known of metrics in the status", async () => {
    cluster.external.set("a", "5").set("b", "5");
    const key = create(5);
    await setting.sync(key);
    const { metrics, load, forecast } = cluster.stored(key).status ?? {};
    expect(metrics).toHaveLength(2);
    cluster.stored(key).spec.min_replicas = 6;
    await setting.sync(key);
    expect(cluster.scaled).toEqual([6]);
    expect(cluster.stored(key).status).toMatchObject({ metrics, load, forecast });
  });

  it.each([
    ["that is paused", { pause: "All" }],
    ["that is observed only", { mode: "Observe" }],
  ])("%s goes on looking at metrics, because it stays", async (_, spec) => {
    cluster.external.set("a", "5").set("b", "5");
    const key = create(2, { min_replicas: 3, ...spec });
    await setting.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ current: "2500m" }, { current: "2500m" }]);
  });
});
