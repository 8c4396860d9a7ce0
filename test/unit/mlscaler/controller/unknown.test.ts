import { describe, expect, it } from "vitest";
import { StoredPod } from "../../fake-cluster";
import { pass, start } from "../../time";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

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
    expect(reason(key)).toContain("scale-down held: a metric has no usable timestamp");
  });

  it("leave a gap in the history, and no fall of the load for the line to follow", async () => {
    const key = cluster.create("web", { history_size: 2, mode: "Observe" });
    await then(key, pods(0.18), pods(undefined));
    expect(cluster.stored(key).status?.forecast).toMatchObject({ samples: 1 });
    await then(key, pods(undefined), pods(0.18));
    // Ten times the mean of the idle ones was 0.2, and the line through that and 1.0 goes up to 1.8.
    expect(cluster.stored(key).status?.forecast).toMatchObject({ load: "1.00" });
  });
});

describe("an external metric", () => {
  it.each([
    ["without a time", null],
    ["of an hour ahead", new Date(start.getTime() + 3600_000)],
  ])("%s lowers nothing, and raises", async (_, at) => {
    cluster.deploy("web", 5);
    cluster.externalAt = at;
    const key = cluster.create("web", longForm([external("queue", "1")], { behavior: atOnce }));
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
    expect(setting.condition(key, "Ready")).toBe("False/UnknownAge");
  });
});
