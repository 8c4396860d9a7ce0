import { beforeEach, describe, expect, it } from "vitest";
import { FakeCluster, StoredPod } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { Setting } from "./setting";

let setting: Setting;
let cluster: FakeCluster;

beforeEach(() => {
  setting = new Setting();
  ({ cluster } = setting);
});

const longAgo = new Date(start.getTime() - 3600_000);
const atOnce = { scaleDown: { stabilizationWindowSeconds: 0 } };

/** Ten Ready pods: five that idle, and five that use so many cores, with `change`. */
const pods = (busy: number | undefined, change: Partial<StoredPod> = {}, idle = 0.02): StoredPod[] =>
  Array.from({ length: 10 }, (_, index) => ({
    ...{ name: `web-${index}`, revision: "1", ready: true, since: longAgo },
    cores: index < 5 ? idle : busy,
    ...(index < 5 ? {} : change),
  }));

/** Syncs once with these pods, and once more 30 s later with those. */
async function then(key: string, before: StoredPod[], after: StoredPod[]): Promise<void> {
  const web = cluster.deployments.get("web") ?? cluster.deploy("web", 10);
  for (const seen of [before, after]) {
    web.pods = seen;
    await setting.sync(key);
    await pass(30);
  }
}

const reason = (key: string): string => (cluster.stored(key).status?.decision as { reason: string }).reason;

describe("pods without a sample, in the short form", () => {
  useFakeTime();

  it("count as fully used before the count is lowered: the five busy ones of ten are not taken for idle", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    await then(key, pods(0.18), pods(undefined));
    expect(cluster.scaled).toEqual([6]);
    expect(reason(key)).toBe("10 → 6: load 0.60 cores with 5 of 10 pods unsampled, 10 replicas per core");
    expect(cluster.condition(key, "Ready")).toMatchObject({
      status: "False",
      reason: "UnsampledPods",
      message: expect.stringContaining("Resource metric cpu: 5 of 10 Ready pods (web-5 …) have no fresh") as string,
    });
  });

  it("count as the mean of the others where these carry more than they are to, so that no overload lowers it", async () => {
    cluster.deploy("web", 30);
    const key = cluster.create("web", { max_replicas: 50, behavior: atOnce });
    await then(key, pods(0.3, {}, 0.3), pods(undefined, {}, 0.3));
    expect(cluster.scaled).toEqual([]);
  });

  it("count as their last sample where that is too old and says more", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    const stale = { sampledAt: new Date(start.getTime() - 600_000) };
    await then(key, pods(0.18), pods(0.18, stale));
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "UnsampledPods" });
    await then(key, pods(0.18), pods(0.02, stale));
    expect(cluster.scaled).toEqual([6]);
  });

  it("of the future count as fully used as well", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    await then(key, pods(0.18), pods(0.01, { sampledAt: new Date(start.getTime() + 3600_000) }));
    expect(cluster.scaled).toEqual([6]);
    expect(cluster.condition(key, "Ready")?.status).toBe("False");
  });

  it("of the future lower nothing where they are most of them, also if few pods are Ready", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    const sampledAt = new Date(start.getTime() + 3600_000);
    const few = pods(0.01).map((pod, index) => ({
      ...pod,
      sampledAt,
      ready: index < 5,
      startedAt: start,
      since: start,
    }));
    await then(key, pods(0.18), few);
    expect(cluster.scaled).toEqual([]);
    expect(reason(key)).toContain("not lowered, because the age of the metrics cannot be told");
  });

  it("of the future are told at once, and of young pods too", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    const young = { since: new Date(start.getTime() - 120_000) };
    await then(key, pods(0.1), pods(0.1, { ...young, sampledAt: new Date(start.getTime() + 3600_000) }));
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "UnsampledPods" });
    await then(key, pods(0.1, young), pods(0.1, young));
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("are no news while they are new", async () => {
    const key = cluster.create("web");
    await then(key, pods(0.18), pods(undefined, { since: new Date(start.getTime() - 240_000) }));
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("leave a gap in the history, and no fall of the load for the line to follow", async () => {
    const key = cluster.create("web", { history_size: 2, mode: "Observe" });
    await then(key, pods(0.18), pods(undefined));
    expect(cluster.stored(key).status?.forecast).toMatchObject({ samples: 1 });
    await then(key, pods(undefined), pods(0.18));
    // Ten times the mean of the idle ones was 0.2, and the line through that and 1.0 goes up to 1.8.
    expect(cluster.stored(key).status?.forecast).toMatchObject({ load: "1.00" });
  });

  it("of a few of many are no gap", async () => {
    const key = cluster.create("web", { history_size: 2, mode: "Observe" });
    const one = pods(0.18).map((pod, index) => (index === 9 ? { ...pod, cores: undefined } : pod));
    const many = (some: StoredPod[]): StoredPod[] => [
      ...some,
      ...pods(0.18, {}, 0.18).map(pod => ({ ...pod, name: `more-${pod.name}` })),
    ];
    await then(key, many(pods(0.18)), many(one));
    expect(cluster.stored(key).status?.forecast).toMatchObject({ samples: 2 });
  });
});

describe("pods that lost their readiness, in the short form", () => {
  useFakeTime();

  const lost = { ready: false, since: new Date(start.getTime() - 5_000), started: longAgo };

  it("count as fully used, or by their sample, before the count is lowered", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    await then(key, pods(0.1, {}, 0.1), pods(undefined, lost, 0.1));
    expect(cluster.scaled).toEqual([]);
    await then(key, pods(0.1, {}, 0.1), pods(0.001, lost, 0.1));
    expect(cluster.scaled).toEqual([6]);
  });

  it("are left out where they never were Ready", async () => {
    const key = cluster.create("web", { behavior: atOnce });
    await then(key, pods(0.1, {}, 0.1), pods(undefined, { ready: false, since: longAgo, started: longAgo }, 0.1));
    expect(cluster.scaled).toEqual([5]);
  });
});

describe("pods without a fresh sample, with metrics", () => {
  useFakeTime();

  const resource = (target: object): object => ({ type: "Resource", resource: { name: "cpu", target } });
  const create = (target: object): string =>
    cluster.create("web", {
      ...{ metric: undefined, history_size: undefined, metrics: [resource(target)], behavior: atOnce },
    });
  const whole = { type: "Utilization", averageUtilization: 100 };
  const stale = { sampledAt: new Date(start.getTime() - 600_000) };

  it.each<[string, object, StoredPod[], number[]]>([
    ["without one as their request by utilization", whole, pods(undefined), [6]],
    ["with a stale one as their request by utilization", whole, pods(0.1, stale), [6]],
    ["with a stale one as that, if it is more", whole, pods(1, stale), []],
    [
      "with a stale one as the target of a value",
      { type: "AverageValue", averageValue: "500m" },
      pods(0.1, stale),
      [6],
    ],
  ])("count %s", async (_, target, after, scaled) => {
    const key = create(target);
    await then(key, pods(0.98), after);
    expect(cluster.scaled).toEqual(scaled);
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "UnsampledPods" });
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
  });

  it("of the future lower nothing, and raise as they did", async () => {
    const key = create(whole);
    const ahead = { sampledAt: new Date(start.getTime() + 3600_000) };
    await then(key, pods(0.98), pods(0.01, ahead));
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetResourceMetric",
    });
    cluster.stored(key).spec.max_replicas = 20;
    await then(key, pods(0.98), pods(2, ahead));
    expect(cluster.scaled.at(-1)).toBeGreaterThan(10);
  });
});

describe("an external metric", () => {
  useFakeTime();

  const external = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const create = (): string =>
    cluster.create("web", {
      ...{ metric: undefined, history_size: undefined, metrics: [external], behavior: atOnce },
    });

  it.each([
    ["without a time", null],
    ["of an hour ahead", new Date(start.getTime() + 3600_000)],
  ])("%s lowers nothing, and raises", async (_, at) => {
    cluster.deploy("web", 5);
    cluster.externalAt = at;
    const key = create();
    cluster.external.set("queue", "1");
    await setting.syncs(key, 3);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")).toMatchObject({
      status: "False",
      reason: "FailedGetExternalMetric",
      message: expect.stringContaining("have no time, or one in the future") as string,
    });
    cluster.external.set("queue", "8");
    await pass(30);
    await setting.sync(key);
    expect(cluster.scaled).toEqual([8]);
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "UnknownAge" });
  });

  it.each(["-5", "-1e30", "", "NaN", "+Inf"])('of "%s" lowers nothing', async value => {
    cluster.deploy("web", 5);
    const key = create();
    cluster.external.set("queue", value);
    await setting.syncs(key, 3);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("False");
  });
});
