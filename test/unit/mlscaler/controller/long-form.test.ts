import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Outcome } from "../../../../capabilities/operator/outcome";
import { broken } from "../../fake-api";
import { autoscaler, FakeCluster, StoredPod, writesOf } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { controllerOf, courseOf, TestedController } from "./controller-of";

let cluster: FakeCluster;
let controller: TestedController;

beforeEach(() => {
  cluster = new FakeCluster();
  controller = controllerOf(cluster);
});

const resource = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const external = (name: string, averageValue: string): object => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue } },
});

/** An MLScaler with these metrics on web, by default 50 % of the request of 500m that each pod has. */
const create = (spec: object = {}, metrics = [resource(50)]): string =>
  cluster.create("web", {
    metric: undefined,
    history_size: undefined,
    max_replicas: 100,
    metrics,
    forecast: { model: "off" },
    ...spec,
  });

const replicas = (): number | undefined => cluster.deployments.get("web")?.replicas;

/** The replicas after each sync, one every 15 s. */
const course = (key: string, syncs: number): Promise<(number | undefined)[]> =>
  courseOf(controller, cluster, key, syncs);

describe("an MLScaler with the metrics of an HPA", () => {
  useFakeTime();

  it("scales by the utilisation of what its pods request, every 15 s, and forecasts nothing", async () => {
    cluster.deploy("web", 3);
    cluster.load = 1.125;
    const key = create();
    expect(await controller.sync(key)).toEqual({ next: "sync", periodSeconds: 15 });
    expect(replicas()).toBe(5);
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
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "True", reason: "ValidMetricFound" });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Off" });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(cluster.events).toMatchObject([{ type: "Normal", reason: "SuccessfulRescale", message: reason }]);
  });

  it("writes nothing while the load is within the tolerance, and a status only when its percentage moves", async () => {
    cluster.deploy("web", 4);
    cluster.load = 1;
    const key = create();
    await course(key, 3);
    const before = writesOf(cluster.api).length;
    cluster.load = 1.004;
    await course(key, 20);
    expect(writesOf(cluster.api)).toHaveLength(before);
    cluster.load = 1.08;
    await course(key, 3);
    expect(writesOf(cluster.api).slice(before)).toEqual([
      "PATCH /apis/example.com/v1/namespaces/shop/mlscalers/web/status",
    ]);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ current: "54%" }]);
  });

  it("says which pod requests nothing, and scales on nothing then", async () => {
    cluster.deploy("web", 3);
    cluster.request = "";
    const key = create();
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 15 });
    for (const type of ["ScalingActive", "Ready"])
      expect(cluster.condition(key, type)).toMatchObject({ status: "False", reason: "FailedGetResourceMetric" });
    expect(cluster.condition(key, "Ready")?.message).toContain("missing request for cpu in container web of Pod web-0");
    expect(cluster.scaled).toEqual([]);
  });

  it("asks for each metric once a sync, and scales by the one that asks for the most", async () => {
    cluster.deploy("web", 3);
    cluster.load = 0.75;
    cluster.external.set("queue", "20");
    const key = create({}, [resource(50), external("queue", "4")]);
    await controller.sync(key);
    expect(replicas()).toBe(5);
    expect(cluster.stored(key).status?.metrics).toEqual([
      { name: "cpu", type: "Resource", target: "50%", current: "50%" },
      { name: "queue", type: "External", target: "4", current: "6667m" },
    ]);
    const metrics = cluster.api.of("GET").filter(({ path }) => path.includes("metrics.k8s.io"));
    expect(metrics.map(({ path }) => path.split("/").slice(2).join("/"))).toEqual([
      "metrics.k8s.io/v1beta1/namespaces/shop/pods",
      "external.metrics.k8s.io/v1beta1/namespaces/shop/queue",
    ]);
  });

  it("decides again on a conflict, by the count that the target has then", async () => {
    const web = cluster.deploy("web", 3);
    cluster.external.set("queue", "20");
    const key = create({}, [external("queue", "4")]);
    const replace = cluster.api.replace.bind(cluster.api);
    vi.spyOn(cluster.api, "replace").mockImplementation((...call) => {
      // Another puts it to 1 before the first write.
      if (web.version === 1) Object.assign(web, { replicas: 1, version: 7 });
      return replace(...call);
    });
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 0, periodSeconds: 15 });
    expect(cluster.scaled).toEqual([]);
    await controller.sync(key);
    // From 3 it would be 5, from 1 the first step is 4.
    expect(cluster.scaled).toEqual([4]);
    expect(cluster.stored(key).status).toMatchObject({
      ...{ current_replicas: 1, predicted_replicas: 4 },
      metrics: [{ current: "20" }],
      decision: { reactive: 5, limited: 4 },
    });
    expect(cluster.condition(key, "ScalingLimited")?.reason).toBe("ScaleUpLimit");
    expect(cluster.api.of("GET").filter(({ path }) => path.includes("external.metrics"))).toHaveLength(1);
  });
});

describe("behavior over syncs", () => {
  useFakeTime();

  const policies = (type: "Pods" | "Percent", value: number, periodSeconds: number): object => ({
    policies: [{ type, value, periodSeconds }],
  });

  it("adds no more pods within a period than its policy allows", async () => {
    cluster.deploy("web", 3);
    cluster.load = 20;
    const key = create({ behavior: { scaleUp: policies("Pods", 2, 60) } });
    expect(await course(key, 9)).toEqual([5, 5, 5, 5, 7, 7, 7, 7, 9]);
    expect(cluster.condition(key, "ScalingLimited")).toMatchObject({
      status: "True",
      reason: "ScaleUpLimit",
      message: "the wanted count grows faster than spec.behavior.scaleUp allows",
    });
  });

  it("removes pods once the window has passed, no more of them than its policy allows", async () => {
    cluster.deploy("web", 8);
    cluster.load = 2;
    const down = { stabilizationWindowSeconds: 60, ...policies("Percent", 50, 30) };
    const key = create({ behavior: { scaleDown: down } });
    expect(await course(key, 1)).toEqual([8]);
    cluster.load = 0.1;
    expect(await course(key, 7)).toEqual([8, 8, 8, 4, 4, 2, 2]);
    expect(cluster.condition(key, "ScalingLimited")?.reason).toBe("ScaleDownLimit");
    expect(await course(key, 3)).toEqual([1, 1, 1]);
  });

  it("looks back as far as its longest window, beyond the 300 s of an HPA without behavior", async () => {
    cluster.deploy("web", 8);
    cluster.load = 2;
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } });
    await course(key, 1);
    cluster.load = 0.5;
    expect(new Set(await course(key, 39))).toEqual(new Set([8]));
    expect(await course(key, 1)).toEqual([2]);
  });

  it("does not follow a load that is gone again within the scale-up window, and one that stays", async () => {
    cluster.deploy("web", 4);
    const key = create({ behavior: { scaleUp: { stabilizationWindowSeconds: 60 } } });
    cluster.load = 1;
    await course(key, 2);
    cluster.load = 2;
    expect(await course(key, 2)).toEqual([4, 4]);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "True", reason: "ScaleUpStabilized" });
    expect(cluster.stored(key).status?.decision).toMatchObject({ reactive: 8, stabilized: 4, final: 4 });
    cluster.load = 1;
    await course(key, 1);
    cluster.load = 2;
    expect(await course(key, 5)).toEqual([4, 4, 4, 8, 8]);
  });

  it("leaves a direction that is disabled alone", async () => {
    cluster.deploy("web", 8);
    cluster.load = 0.1;
    const key = create({ behavior: { scaleDown: { selectPolicy: "Disabled", stabilizationWindowSeconds: 0 } } });
    expect(await course(key, 4)).toEqual([8, 8, 8, 8]);
    cluster.load = 3;
    expect(await course(key, 1)).toEqual([12]);
  });

  it("widens the tolerance of its direction", async () => {
    cluster.deploy("web", 4);
    cluster.load = 1.2;
    const key = create({ behavior: { scaleUp: { tolerance: "0.25" } } });
    await course(key, 2);
    expect(cluster.scaled).toEqual([]);
    cluster.load = 1.3;
    expect(await course(key, 1)).toEqual([6]);
  });
});

describe("a metric that fails among others", () => {
  useFakeTime();

  const metrics = [external("queue", "4"), resource(50)];
  const path = "v1beta1/namespaces/shop/queue";
  const reason = "FailedGetExternalMetric";

  it("lets the others scale up, is said, and lets nothing scale down until it is there again", async () => {
    cluster.deploy("web", 3);
    cluster.load = 1.125;
    cluster.external.set("queue", "4");
    cluster.fail("GET", path, broken());
    const key = create({}, metrics);
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 15 });
    expect(replicas()).toBe(5);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "True", reason: "SucceededRescale" });
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
    expect(replicas()).toBe(1);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("is told by its own reason when all fail, and the bounds hold all the same", async () => {
    cluster.deploy("web", 3);
    cluster.fail("GET", path, broken());
    cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken());
    const key = create({}, metrics);
    await course(key, 3);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason });
    expect(cluster.condition(key, "ScalingActive")?.message).toContain("(2 invalid out of 2)");
    expect(cluster.scaled).toEqual([]);
    cluster.stored(key).spec.min_replicas = 4;
    await controller.sync(key);
    expect(cluster.scaled).toEqual([4]);
  });
});

describe("a rollout", () => {
  useFakeTime();

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
    cluster.deploy("web", 3).pods = pods();
    const key = create({ ...forms[form], rollout_freeze: on });
    await controller.sync(key);
    expect(replicas()).toBe(count);
    if (!on) return;
    const { decision } = cluster.stored(key).status ?? {};
    expect((decision as { reason: string }).reason).toMatch(/^3: a rollout's start-up load does not count, .* with it/);
  });

  it.each(["short", "long"] as const)(
    "is frozen by default in the %s form, and when it is over no more",
    async form => {
      const web = cluster.deploy("web", 3);
      web.pods = pods();
      const key = create(forms[form]);
      await controller.sync(key);
      await pass(15);
      web.pods = [0, 1, 2].map(index => pod(`new-${index}`, "2", 1, new Date()));
      // A minute, as there are no others to tell by.
      expect(new Set(await course(key, 4))).toEqual(new Set([3]));
      await course(key, 2);
      expect(replicas()).toBeGreaterThan(3);
    },
  );

  it("is seen as one by a process that begins in the middle of it", async () => {
    cluster.deploy("web", 3).pods = pods();
    const key = create();
    await controller.sync(key);
    controller = controllerOf(cluster);
    await pass(15);
    await controller.sync(key);
    expect(cluster.scaled).toEqual([]);
  });

  it("does not hold what a rise of the others asks for", async () => {
    cluster.deploy("web", 3).pods = pods().map(one => ({ ...one, cores: one.revision === "1" ? 0.4 : 2 }));
    await controller.sync(create());
    // 0.4 cores of 500m in each of three.
    expect(replicas()).toBe(5);
  });

  it("is no scale-up: pods of the revision that is there count as they are", async () => {
    const young = new Date(start.getTime() - 30_000);
    cluster.deploy("web", 3).pods = pods().map(one => ({ ...one, revision: "1", since: young }));
    await controller.sync(create());
    expect(replicas()).toBe(6);
  });

  it("does not go into the history of the short form", async () => {
    const web = cluster.deploy("web", 3);
    web.pods = pods();
    const key = create({ ...forms.short, history_size: 2, mode: "Observe", forecast: undefined });
    await controller.sync(key);
    await pass(30);
    web.pods = pods(settled).map(one => ({ ...one, cores: 0.2 }));
    await controller.sync(key);
    // 0.6 and 0.6: the 2.4 of the first are not in the line.
    expect(cluster.stored(key).status?.forecast).toMatchObject({ load: "0.60", samples: 2 });
  });
});

describe("beside an HPA", () => {
  useFakeTime();

  const ended = new AbortController();
  afterEach(() => ended.abort());

  it("it observes what it would do, and takes over where it is made Active and the HPA is gone", async () => {
    cluster.deploy("web", 3);
    cluster.load = 1.125;
    cluster.putAutoscaler(autoscaler("web"));
    controller.start(ended.signal);
    const key = create({ mode: "Observe" });
    await course(key, 3);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status).toMatchObject({ current_replicas: 3, predicted_replicas: 5 });
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "True", message: "observes, never scales" });
    expect(cluster.condition(key, "AbleToScale")?.message).toBe("would scale to 5, spec.mode is Observe");

    cluster.stored(key).spec.mode = "Active";
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "AmbiguousTarget" });
    expect(cluster.scaled).toEqual([]);
    cluster.removeAutoscaler("web");
    await vi.waitFor(async () => {
      await controller.sync(key);
      expect(cluster.scaled).toEqual([5]);
    });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});

describe("across a restart", () => {
  useFakeTime();

  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };

  async function restart(kept: boolean): Promise<void> {
    if (!kept) cluster.configMaps.clear();
    controller = controllerOf(cluster);
    await pass(0);
  }

  it.each([
    ["counts on", true, [5, 5, 7]],
    ["that is lost with what was stored begins anew", false, [7, 7, 7]],
  ])("a policy's period %s", async (_, kept, expected) => {
    cluster.deploy("web", 3);
    cluster.load = 20;
    const key = create({ behavior });
    expect(await course(key, 2)).toEqual([5, 5]);
    await restart(kept);
    expect(await course(key, 3)).toEqual(expected);
  });

  it("a recommendation of the scale-down window holds as long as it would have at most", async () => {
    cluster.deploy("web", 8);
    cluster.load = 2;
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 120 } } });
    await course(key, 2);
    cluster.load = 0.5;
    await restart(true);
    expect(await course(key, 8)).toEqual(Array(8).fill(8));
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("ScaleDownStabilized");
    expect(await course(key, 1)).toEqual([2]);
  });

  it("a dip in the scale-up window holds back as long as it would have at least", async () => {
    cluster.deploy("web", 4);
    cluster.load = 1;
    const key = create({ behavior: { scaleUp: { stabilizationWindowSeconds: 120 } } });
    await course(key, 1);
    cluster.load = 2.5;
    expect(await course(key, 5)).toEqual(Array(5).fill(4));
    cluster.load = 1;
    await course(key, 1);
    cluster.load = 2.5;
    await restart(true);
    expect(await course(key, 8)).toEqual(Array(8).fill(4));
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("ScaleUpStabilized");
    expect(await course(key, 1)).toEqual([8]);
  });

  it("of a target that had more meanwhile, nothing is lost", async () => {
    const web = cluster.deploy("web", 4);
    cluster.load = 1;
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } });
    await course(key, 2);
    Object.assign(web, { replicas: 9, version: 9 });
    await restart(true);
    expect(await course(key, 4)).toEqual([9, 9, 9, 9]);
    expect(await course(key, 1)).toEqual([4]);
  });

  it("what was kept stays for a day after its MLScaler", async () => {
    cluster.deploy("web", 3);
    const key = create();
    await controller.sync(key);
    expect([...cluster.configMaps.keys()]).toEqual(["mlscaler-state-uid-web"]);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    const outcome: Outcome = await controller.sync(key);
    expect(outcome).toEqual({ next: "forget" });
    expect([...cluster.configMaps.values()]).toMatchObject([
      { metadata: { annotations: { "mlscaler.example.com/unowned-since": new Date().toISOString() } } },
    ]);
  });
});
