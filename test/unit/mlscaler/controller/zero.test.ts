import { describe, expect, it, vi } from "vitest";
import { pass, start } from "../../time";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } };
const activation = [{ type: "External", external: { metric: { name: "requests" }, threshold: 2 } }];

/** An MLScaler of External metric jobs that may go to 0; down at once, so that cool-downs show. */
const create = (replicas: number, spec: Record<string, unknown> = {}): string =>
  cluster.createOn(
    replicas,
    longForm([external("jobs", "10")], {
      ...{ min_replicas: 0, max_replicas: 10, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      ...spec,
    }),
  );

const reads = (): string[] =>
  cluster.api
    .of("GET")
    .map(({ path }) => path)
    .filter(path => path.includes("metrics") || path.endsWith("/pods"));
/** Syncs every 15 s with these values of a metric, and what became of each. */
async function courseOf(key: string, metric: string, values: (number | undefined)[]): Promise<(number | undefined)[]> {
  const course = [];
  for (const value of values) {
    if (value === undefined) cluster.external.delete(metric);
    else cluster.external.set(metric, String(value));
    await setting.sync(key);
    course.push(setting.replicas());
    await pass(15);
  }
  return course;
}
/** Scales as somebody else does. */
function scaleTo(replicas: number): void {
  const target = cluster.deployments.get("web");
  if (target) Object.assign(target, { replicas, version: target.version + 1 });
}

describe("HPA's rule at 0 replicas", () => {
  it("goes to 0 and back by its metrics, and the condition says so", async () => {
    const key = create(3);
    expect(await courseOf(key, "jobs", [30, 0])).toEqual([3, 0]);
    expect(setting.condition(key, "ScaledToZero")).toBe("True/ScaledToZero");
    expect(await courseOf(key, "jobs", [0, 25])).toEqual([0, 3]);
    expect(setting.condition(key, "ScaledToZero")).toBe("False/NotScaledToZero");
    expect(setting.condition(key, "ScalingActive")).toBe("True/ValidMetricFound");
  });

  it("leaves a target at 0 that somebody else put there, also after it was there by its own metrics", async () => {
    const key = create(0);
    expect(await courseOf(key, "jobs", [30, 30])).toEqual([0, 0]);
    expect(setting.condition(key, "ScalingActive")).toBe("False/ScalingDisabled");
    expect(reads()).toEqual([]);
    scaleTo(2);
    expect(await courseOf(key, "jobs", [20, 0])).toEqual([2, 0]);
    scaleTo(3);
    await courseOf(key, "jobs", [30]);
    expect(setting.condition(key, "ScaledToZero")).toBe("False/NotScaledToZero");
    scaleTo(0);
    expect(await courseOf(key, "jobs", [30, 30])).toEqual([0, 0]);
    expect(setting.condition(key, "ScalingActive")).toBe("False/ScalingDisabled");
  });

  it("comes back after a restart, by the stored state or by the condition alone", async () => {
    const key = create(1);
    await courseOf(key, "jobs", [0]);
    setting.restart();
    expect(await courseOf(key, "jobs", [0, 10])).toEqual([0, 1]);
    await courseOf(key, "jobs", [0]);
    setting.restart();
    cluster.configMaps.clear();
    expect(await courseOf(key, "jobs", [10])).toEqual([1]);
    await courseOf(key, "jobs", [0]);
    setting.restart();
    cluster.stored(key).status = {};
    expect(await courseOf(key, "jobs", [10])).toEqual([1]);
  });

  it("remembers how long its pods start, through a restart at 0", async () => {
    const key = create(1);
    const created = new Date(start.getTime() - 3_600_000);
    const since = new Date(created.getTime() + 400_000);
    const target = cluster.deploy("web", 1);
    target.pods = [{ name: "web-0", revision: "1", ready: true, since, started: created, created }];
    const horizon = (): unknown =>
      (cluster.stored(key).status?.forecast as { horizon_seconds?: number }).horizon_seconds;
    await courseOf(key, "jobs", [10]);
    const before = horizon();
    expect(before).toBeGreaterThan(400);
    target.pods = undefined;
    expect(await courseOf(key, "jobs", [0])).toEqual([0]);
    setting.restart();
    await courseOf(key, "jobs", [0]);
    expect(horizon()).toBe(before);
  });

  it("counts only what is known without pods: a metric of pods is no failure, and the pods are not read", async () => {
    cluster.load = 0;
    const key = create(1, { metrics: [cpu, external("jobs", "10")] });
    expect(await courseOf(key, "jobs", [0])).toEqual([0]);
    cluster.api.calls.length = 0;
    setting.cluster.events.length = 0;
    expect(await courseOf(key, "jobs", [0])).toEqual([0]);
    expect(setting.condition(key, "Ready")).toBe("True/Synced");
    expect(setting.reasons()).toEqual([]);
    expect(reads()).toHaveLength(1);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ name: "cpu" }, { name: "jobs" }]);
    expect(await courseOf(key, "jobs", [15])).toEqual([2]);
  });
});

describe("scale_to_zero", () => {
  it("goes to 0 when no activation was above its threshold for the cool-down, which begins with the MLScaler", async () => {
    const key = create(3, { scale_to_zero: { cooldown_seconds: 60 } });
    expect(await courseOf(key, "jobs", [0, 0, 0, 0, 0])).toEqual([1, 1, 1, 1, 0]);
    expect(cluster.stored(key).status?.decision).toMatchObject({
      reason: "1 → 0: idle, no activation is above its threshold for 60 s",
    });
    expect(setting.condition(key, "ScaledToZero")).toBe("True/ScaledToZero");
  });

  it("a value above the threshold, a failure, and a time that nobody looked begin the cool-down again", async () => {
    const key = create(1, { scale_to_zero: { cooldown_seconds: 30 } });
    expect(await courseOf(key, "jobs", [0, 0, 1, 0, 0, undefined, 0, 0])).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    await pass(600);
    expect(await courseOf(key, "jobs", [0, 0])).toEqual([1, 1]);
    setting.restart();
    expect(await courseOf(key, "jobs", [0, 0, 0])).toEqual([1, 1, 0]);
  });

  it("requests decide between 0 and 1, and CPU above", async () => {
    const key = create(1, { metrics: [cpu], scale_to_zero: { cooldown_seconds: 15, activation, replicas: 2 } });
    cluster.load = 0.4;
    expect(await courseOf(key, "requests", [3, 2, 2])).toEqual([4, 4, 0]);
    expect(await courseOf(key, "requests", [2, 2.5])).toEqual([0, 2]);
    expect(cluster.stored(key).status?.decision).toMatchObject({
      reason: "0 → 2: External metric requests is 2.5, above 2",
    });
    expect(setting.condition(key, "Scaled")).toBe("True/LoadBased");
  });

  it("takes over a target that somebody else put to 0, and the cool-down of one that he woke begins then", async () => {
    const key = create(0, { scale_to_zero: { cooldown_seconds: 15 } });
    expect(await courseOf(key, "jobs", [0, 10])).toEqual([0, 1]);
    expect(await courseOf(key, "jobs", [0, 0, 0])).toEqual([1, 0, 0]);
    scaleTo(2);
    expect(await courseOf(key, "jobs", [0, 0, 0])).toEqual([1, 1, 0]);
  });

  it("an activation that fails sends nothing to 0, and at 0 a condition says that it wakes nothing", async () => {
    const key = create(1, { scale_to_zero: { cooldown_seconds: 15, activation }, metrics: [external("jobs", "10")] });
    cluster.external.set("jobs", "0");
    expect(await courseOf(key, "requests", [undefined, undefined, undefined])).toEqual([1, 1, 1]);
    expect(setting.condition(key, "Ready")).toBe("False/FailedGetExternalMetric");
    expect(await courseOf(key, "requests", [0, 0, undefined])).toEqual([1, 0, 0]);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      message: expect.stringContaining(
        "at 0 replicas it wakes nothing; a metric that the pods themselves export",
      ) as string,
    });
  });

  it("a clock that is put back does not lengthen the cool-down", async () => {
    const key = create(1, { scale_to_zero: { cooldown_seconds: 60 } });
    expect(await courseOf(key, "jobs", [0, 0])).toEqual([1, 1]);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await courseOf(key, "jobs", [0, 0, 0])).toEqual([1, 1, 0]);
  });
});

describe("the condition of a target that could go to 0 by its metrics alone", () => {
  it("says why it keeps a replica, without a value that changes", async () => {
    const key = create(3, { scale_to_zero: { activation, cooldown_seconds: 20 } });
    cluster.external.set("jobs", "0");
    const limited = async (requests: number): Promise<unknown> => {
      await courseOf(key, "requests", [requests]);
      return cluster.condition(key, "ScalingLimited")?.message;
    };
    expect(await limited(5)).toBe("the wanted count is below 1, and an activation is above its threshold");
    expect(await limited(1)).toBe("the wanted count is below 1, and the cool-down is not over");
    cluster.external.delete("requests");
    await courseOf(key, "requests", [undefined]);
    expect(cluster.condition(key, "ScalingLimited")?.message).toBe(
      "the wanted count is below 1, and it is unknown whether there is work",
    );
  });
});

describe("deleting an MLScaler", () => {
  it.each([
    ["wakes the target that it scaled to 0, with Keep", "Keep", 1, 0, 1],
    ["wakes the target that it scaled to 0, with Min", "Min", 1, 0, 1],
    ["leaves a target at 0 that somebody else put there", "Min", 0, 10, 0],
    ["puts a target that has replicas to 1 with Min, and not to 0", "Min", 2, 40, 1],
  ])("%s", async (_, on_delete, before, jobs, after) => {
    const key = create(before, { on_delete });
    await courseOf(key, "jobs", [jobs]);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T01:00:00Z";
    await setting.sync(key);
    expect(setting.replicas()).toBe(after);
  });
});
