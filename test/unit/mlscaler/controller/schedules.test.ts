import { beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { controllerOf, TestedController } from "./controller-of";

let cluster: FakeCluster;
let controller: TestedController;

beforeEach(() => {
  cluster = new FakeCluster();
  controller = controllerOf(cluster);
});

const replicas = (): number | undefined => cluster.deployments.get("web")?.replicas;
const status = (key: string): Record<string, unknown> | undefined => cluster.stored(key).status;

/** Time begins at 00:00 UTC. */
const lunch = { name: "lunch", cron: "1 0 * * *", duration_seconds: 120, min_replicas: 7 };

describe("a schedule", () => {
  useFakeTime();

  it("holds its bounds from its beginning to its end, both of which are looked at in time, and is told", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { sync_period_seconds: 3600, history_size: 2, schedules: [lunch] });
    // The window begins in a minute; it learns with a sync in 10 s before.
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 3600 });
    expect(status(key)).not.toHaveProperty("active_schedules");
    await pass(55);
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 5, periodSeconds: 3600 });
    expect(replicas()).toBe(5);
    await pass(5);
    // A correction looks at no metrics, so the next sync comes soon.
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 3600 });
    expect(replicas()).toBe(7);
    const reason = "5 → 7: outside min_replicas 7 of schedule lunch to max_replicas 10";
    expect(status(key)).toMatchObject({ active_schedules: ["lunch"], decision: { final: 7, reason } });
    expect(cluster.events.at(-1)).toMatchObject({ reason: "SuccessfulRescale", message: reason });
    await pass(118);
    expect(await controller.sync(key)).toEqual({ next: "soon", afterSeconds: 2, periodSeconds: 3600 });
    expect((status(key)?.decision as { reason: string }).reason).toContain(
      ", at least min_replicas 7 of schedule lunch",
    );
    expect(cluster.condition(key, "ScalingLimited")).toMatchObject({
      ...{
        status: "True",
        reason: "TooFewReplicas",
        message: "the wanted count is below min_replicas 7 of schedule lunch",
      },
    });
    await pass(2);
    await controller.sync(key);
    expect(status(key)).not.toHaveProperty("active_schedules");
    await pass(300);
    await controller.sync(key);
    expect(replicas()).toBe(5);
  });

  it("lowers to its max_replicas at once, and names it", async () => {
    cluster.deploy("web", 5);
    const night = { name: "night", cron: "0 0 * * *", duration_seconds: 3600, max_replicas: 3 };
    const key = cluster.create("web", { schedules: [night] });
    await controller.sync(key);
    expect(replicas()).toBe(3);
    expect(cluster.events.at(-1)?.message).toBe("5 → 3: outside min_replicas 1 to max_replicas 3 of schedule night");
    await pass(30);
    await controller.sync(key);
    expect((status(key)?.decision as { reason: string }).reason).toMatch(
      /^3: load .*, at most max_replicas 3 of schedule night$/,
    );
  });

  it("is not waited for by a retry", async () => {
    const key = cluster.create("web", { sync_period_seconds: 3600, schedules: [lunch] });
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 60 });
    await pass(59);
    expect(await controller.sync(key)).toEqual({ next: "retry", atMostSeconds: 1 });
  });

  it.each([
    ["Up", 7, 5, 5],
    ["All", 7, 5, 5],
    ["Down", 7, 5, 7],
    ["None", 7, 5, 7],
    ["Down", 3, 5, 5],
    ["Up", 3, 5, 3],
  ])("with pause %s and a bound of %d makes %d replicas %d", async (pause, bound, before, after) => {
    cluster.deploy("web", before);
    const given = bound > before ? { min_replicas: bound } : { max_replicas: bound };
    const schedules = [{ name: "now", cron: "0 0 * * *", duration_seconds: 3600, ...given }];
    const key = cluster.create("web", { pause, schedules });
    await controller.sync(key);
    expect(replicas()).toBe(after);
    if (after === before)
      expect(cluster.condition(key, "ScalingActive")).toMatchObject({ status: "False", reason: "Paused" });
  });

  it("that is not valid and got past admission is a condition; the rest of the spec goes on", async () => {
    cluster.deploy("web", 3);
    const never = { ...lunch, name: "never", cron: "0 0 30 2 *" };
    const open = { name: "open", cron: "0 0 * * *", duration_seconds: 3600, min_replicas: 6 };
    const key = cluster.create("web", {
      history_size: 2,
      schedules: [never, { ...open, name: "x", timezone: "Mars" }, open],
    });
    for (let sync = 0; sync < 2; sync++) {
      await controller.sync(key);
      await pass(30);
    }
    expect(await controller.sync(key)).toEqual({ next: "sync", periodSeconds: 30 });
    expect(replicas()).toBe(6);
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "InvalidSchedule" });
    expect(cluster.condition(key, "Ready")?.message).toBe(
      'spec.schedules[0].cron: "0 0 30 2 *" never comes, use a day that its months have; ' +
        'spec.schedules[1].timezone: "Mars" is not a time zone, use a name of the tz database as "Europe/Berlin"',
    );
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.events.filter(({ reason }) => reason === "InvalidSchedule")).toHaveLength(1);
  });

  it("goes on, as a condition, when the time zone of the forecast is not valid and got past admission", async () => {
    cluster.deploy("web", 3);
    const key = cluster.create("web", { history_size: 2, forecast: { timezone: "Mars" } });
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")).toMatchObject({
      status: "False",
      reason: "InvalidForecast",
      message: 'spec.forecast.timezone: "Mars" is not a time zone, use a name of the tz database as "Europe/Berlin"',
    });
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
  });

  it("leaves the deletion to spec.min_replicas", async () => {
    cluster.deploy("web", 5);
    const open = { name: "open", cron: "0 0 * * *", duration_seconds: 3600, min_replicas: 8 };
    const key = cluster.create("web", { min_replicas: 2, schedules: [open] });
    await controller.sync(key);
    expect(replicas()).toBe(8);
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    await controller.sync(key);
    expect(replicas()).toBe(2);
  });
});
