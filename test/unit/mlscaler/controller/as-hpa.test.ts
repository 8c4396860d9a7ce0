import { beforeEach, describe, expect, it } from "vitest";
import { broken, refused, unprocessable } from "../../fake-api";
import { FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { courseOf } from "./controller-of";
import { Setting } from "./setting";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

const external = (name: string): object => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "1" } },
});
const create = (spec: Record<string, unknown> = {}, metrics = [external("a"), external("b")]): string =>
  cluster.create("web", { metric: undefined, history_size: undefined, metrics, ...spec });

const conditionOf = (key: string, type: string): string | undefined => {
  const found = cluster.condition(key, type);
  return found && `${found.status}/${found.reason}`;
};
const metricReads = (): string[] =>
  cluster.api
    .of("GET")
    .map(({ path }) => path)
    .filter(path => path.includes("metrics") || path.endsWith("/pods"));

describe("the conditions of an HPA", () => {
  useFakeTime();

  it("AbleToScale stays SucceededGetScale while metrics fail", async () => {
    cluster.deploy("web", 5);
    const key = create();
    await setting.syncs(key, 3);
    expect(conditionOf(key, "ScalingActive")).toBe("False/FailedGetExternalMetric");
    expect(conditionOf(key, "AbleToScale")).toBe("True/SucceededGetScale");
    expect(conditionOf(key, "ScalingLimited")).toBeUndefined();
  });

  it("AbleToScale stays SucceededGetScale at 0 replicas, where nothing is limited", async () => {
    cluster.deploy("web", 0);
    const key = create();
    await setting.sync(key);
    expect(conditionOf(key, "ScalingActive")).toBe("False/ScalingDisabled");
    expect(conditionOf(key, "AbleToScale")).toBe("True/SucceededGetScale");
    expect(conditionOf(key, "ScalingLimited")).toBeUndefined();
  });

  it.each([
    ["fails", broken],
    ["is silent", refused],
  ])("AbleToScale is FailedGetScale where the API server %s, and it is tried again", async (_, error) => {
    cluster.deploy("web", 5);
    const key = create();
    cluster.external.set("a", "5").set("b", "5");
    await setting.sync(key);
    cluster.fail("GET", "/scale", error(), 1);
    await expect(setting.sync(key)).rejects.toThrow(error().message);
    for (const type of ["AbleToScale", "Ready"]) expect(conditionOf(key, type)).toBe("False/FailedGetScale");
    expect(cluster.condition(key, "AbleToScale")?.message).toBe(`Deployment web: ${error().message}`);
    expect(setting.reasons()).toEqual(["FailedGetScale"]);
    await setting.sync(key);
    expect(conditionOf(key, "AbleToScale")).toBe("True/ReadyForNewScale");
  });

  it.each([
    ["fails", broken],
    ["is silent", refused],
  ])("AbleToScale is FailedUpdateScale where the API server %s, and it is tried again", async (_, error) => {
    cluster.deploy("web", 5);
    const key = create();
    cluster.external.set("a", "8").set("b", "8");
    cluster.fail("PUT", "/scale", error(), 1);
    await expect(setting.sync(key)).rejects.toThrow(error().message);
    for (const type of ["AbleToScale", "Ready"]) expect(conditionOf(key, type)).toBe("False/FailedUpdateScale");
    expect(setting.reasons()).toEqual(["FailedRescale"]);
    expect(cluster.stored(key).status).not.toHaveProperty("predicted_replicas");
    await setting.sync(key);
    expect(conditionOf(key, "AbleToScale")).toBe("True/SucceededRescale");
  });

  it("predicted_replicas stays what it was when the target refuses a count", async () => {
    cluster.deploy("web", 5);
    const key = create();
    cluster.external.set("a", "5").set("b", "5");
    await setting.sync(key);
    cluster.external.set("a", "8");
    cluster.fail("PUT", "/scale", unprocessable());
    await pass(15);
    await setting.sync(key);
    expect(cluster.stored(key).status).toMatchObject({ current_replicas: 5, predicted_replicas: 5 });
  });

  it("pods that cannot be listed are no fault of the scale", async () => {
    cluster.deploy("web", 5);
    const key = create();
    cluster.fail("GET", "/api/v1/namespaces/shop/pods", broken(), 1);
    await expect(setting.sync(key)).rejects.toThrow(broken().message);
    expect(conditionOf(key, "AbleToScale")).toBe("True/SucceededGetScale");
    for (const type of ["ScalingActive", "Ready"]) expect(conditionOf(key, type)).toBe("False/FailedGetExternalMetric");
  });
});

describe("the events of an HPA", () => {
  useFakeTime();

  it("are one for each metric that failed, and one for all of them", async () => {
    cluster.deploy("web", 5);
    const key = create();
    await setting.sync(key);
    const [first, second, all] = cluster.events;
    expect(setting.reasons()).toEqual([
      ...["FailedGetExternalMetric", "FailedGetExternalMetric", "FailedComputeMetricsReplicas"],
    ]);
    expect(first?.message).toMatch(/^External metric a: /);
    expect(second?.message).toMatch(/^External metric b: /);
    expect(all?.message).toContain("invalid metrics (2 invalid out of 2), first error is: failed to get a external");
  });

  it("are one for the metric that failed while the others scale", async () => {
    cluster.deploy("web", 5);
    cluster.external.set("a", "6");
    await setting.sync(create());
    expect(setting.reasons()).toEqual(["FailedGetExternalMetric", "SuccessfulRescale"]);
    expect(cluster.events[0]?.message).toMatch(/^External metric b: /);
  });
});

describe("a count outside the bounds", () => {
  useFakeTime();

  it.each([
    [2, { min_replicas: 3 }, 3],
    [12, { max_replicas: 9 }, 9],
  ])("of %d is corrected without a look at metrics or pods", async (replicas, spec, scaled) => {
    cluster.deploy("web", replicas);
    const key = create(spec);
    await setting.sync(key);
    expect(cluster.scaled).toEqual([scaled]);
    expect(metricReads()).toEqual([]);
    expect(setting.reasons()).toEqual(["SuccessfulRescale"]);
    for (const type of ["ScalingActive", "ScalingLimited"]) expect(conditionOf(key, type)).toBeUndefined();
    expect(conditionOf(key, "Ready")).toBe("True/Synced");
  });

  it("leaves what was known of metrics in the status", async () => {
    cluster.deploy("web", 5);
    cluster.external.set("a", "5").set("b", "5");
    const key = create();
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
    cluster.deploy("web", 2);
    cluster.external.set("a", "5").set("b", "5");
    const key = create({ min_replicas: 3, ...spec });
    await setting.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ current: "2500m" }, { current: "2500m" }]);
  });

  it("is a recommendation at first sight: the window of a rise begins with it", async () => {
    cluster.deploy("web", 2);
    cluster.external.set("a", "8").set("b", "8");
    const key = create({ min_replicas: 3, behavior: { scaleUp: { stabilizationWindowSeconds: 30 } } });
    // The count of the first sync counts for 30 s.
    expect(await courseOf(setting.controller, cluster, key, 4)).toEqual([3, 3, 7, 8]);
  });
});
