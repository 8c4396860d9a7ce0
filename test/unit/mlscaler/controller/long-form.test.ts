import { describe, expect, it } from "vitest";
import { broken } from "../../fake-api";
import { StoredPod } from "../../fake-cluster";
import { pass, start } from "../../time";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const resource = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** An MLScaler with these metrics on web, by default 50 % of the request of 500m that each pod has. */
const create = (replicas: number, spec: object = {}, metrics = [resource(50)]): string =>
  cluster.createOn(replicas, longForm(metrics, { forecast: { model: "off" }, ...spec }));

/** The replicas after each sync, one every 15 s. */
const course = (key: string, syncs: number): Promise<number[]> => setting.course(key, syncs);

describe("an MLScaler with the metrics of an HPA", () => {
  it("scales by the utilisation of what its pods request, every 15 s, and forecasts nothing", async () => {
    cluster.load = 1.125;
    const key = create(3);
    expect(await setting.sync(key)).toEqual({ next: "sync", periodSeconds: 15 });
    expect(setting.replicas()).toBe(5);
    const reason = "3 → 5: cpu resource utilization (percentage of request) 75%, target 50%";
    expect(cluster.stored(key).status).toMatchObject({
      current_replicas: 3,
      predicted_replicas: 5,
      metrics: [{ name: "cpu", type: "Resource", target: "50%", current: "75%" }],
      decision: { reactive: 5, stabilized: 5, limited: 5, final: 5, reason },
    });
    expect(cluster.stored(key).status).not.toHaveProperty("forecast");
    expect(cluster.stored(key).status?.decision).not.toHaveProperty("predictive");
    expect(cluster.condition(key, "Scaled")).toMatchObject({ status: "True", reason: "LoadBased", message: reason });
    expect(setting.condition(key, "ScalingActive")).toBe("True/ValidMetricFound");
    expect(setting.condition(key, "ForecastReady")).toBe("False/Off");
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(cluster.events).toMatchObject([{ type: "Normal", reason: "SuccessfulRescale", message: reason }]);
  });
});

describe("pods whose resize in place waits", () => {
  it("for ever are named, with the words of the node", async () => {
    const infeasible = "Node didn't have enough capacity: cpu, requested: 2000, capacity: 1000";
    Object.assign(cluster, { request: "2", resize: { actual: "500m", infeasible } });
    const key = create(2);
    await setting.sync(key);
    expect(cluster.condition(key, "Ready")).toMatchObject({
      status: "True",
      message: `scales its target; 2 of 2 pods keep the requests that they have, because their resize is Infeasible: ${infeasible}`,
    });
  });
});

describe("a metric that fails among others", () => {
  const metrics = [external("queue", "4"), resource(50)];
  const path = "v1beta1/namespaces/shop/queue";
  const reason = "FailedGetExternalMetric";

  it("lets the others scale up, is said, and lets nothing scale down until it is there again", async () => {
    cluster.load = 1.125;
    cluster.external.set("queue", "4");
    cluster.fail("GET", path, broken());
    const key = create(3, {}, metrics);
    expect(await setting.sync(key)).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 15 });
    expect(setting.replicas()).toBe(5);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(setting.condition(key, "AbleToScale")).toBe("True/SucceededRescale");
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason });
    expect(cluster.condition(key, "Ready")?.message).toContain("(1 invalid out of 2)");
    expect(cluster.events).toMatchObject([
      { type: "Warning", reason },
      { type: "Normal", reason: "SuccessfulRescale" },
    ]);
    expect(cluster.stored(key).status?.metrics).toEqual([
      { name: "queue", type: "External", target: "4" },
      { name: "cpu", type: "Resource", target: "50%", current: "75%" },
    ]);

    cluster.load = 0.1;
    await pass(15);
    expect(new Set(await course(key, 30))).toEqual(new Set([5]));
    for (const type of ["ScalingActive", "Ready"])
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason });
    expect(cluster.stored(key).status?.decision).toMatchObject({
      final: 5,
      reason: "5: no metrics, the target is left as it is",
    });

    cluster.heal();
    await course(key, 22);
    expect(setting.replicas()).toBe(1);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});

describe("a rollout", () => {
  const settled = new Date(start.getTime() - 3600_000);
  const pod = (name: string, revision: string, cores: number | undefined, since: Date, ready = true): StoredPod => ({
    ...{ name, revision, cores, since, ready },
  });
  /** Two pods that carry 0.2 cores each, and one that replaces a third and uses 2 to start. */
  const pods = (young = new Date(start.getTime() - 30_000)): StoredPod[] => [
    pod("old-0", "1", 0.2, settled),
    pod("old-1", "1", 0.2, settled),
    pod("new-0", "2", 2, young),
  ];

  const forms = {
    short: { metrics: undefined, metric: "cpu", history_size: 5, replicas_per_unit: 5 },
    long: {},
  };

  it.each([
    ["short", true, 3],
    ["short", false, 6],
    ["long", true, 3],
    ["long", false, 6],
  ] as const)("its start-up load raises nothing in the %s form with rollout_freeze %s: %d", async (form, on, count) => {
    const key = create(3, { ...forms[form], rollout_freeze: on });
    cluster.deploy("web", 3).pods = pods();
    await setting.sync(key);
    expect(setting.replicas()).toBe(count);
    if (!on) return;
    const { decision } = cluster.stored(key).status ?? {};
    expect((decision as { reason: string }).reason).toMatch(
      /^3: scale-up held during a rollout, .* with its start-up load/,
    );
  });
});

describe("across a restart", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };

  async function restart(kept: boolean): Promise<void> {
    if (!kept) cluster.configMaps.clear();
    setting.restart();
    await pass(0);
  }

  it.each([
    ["counts on", true, [5, 5, 7]],
    ["that is lost with what was stored begins anew", false, [7, 7, 7]],
  ])("a policy's period %s", async (_, kept, expected) => {
    cluster.load = 20;
    const key = create(3, { behavior });
    expect(await course(key, 2)).toEqual([5, 5]);
    await restart(kept);
    expect(await course(key, 3)).toEqual(expected);
  });

  it("a recommendation of the scale-down window holds as long as it would have at most", async () => {
    cluster.load = 2;
    const key = create(8, { behavior: { scaleDown: { stabilizationWindowSeconds: 120 } } });
    await course(key, 2);
    cluster.load = 0.5;
    await restart(true);
    expect(await course(key, 8)).toEqual(Array(8).fill(8));
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("ScaleDownStabilized");
    expect(await course(key, 1)).toEqual([2]);
  });
});
