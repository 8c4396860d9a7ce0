import { describe, expect, it } from "vitest";
import { pass } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

const status = (key: string): Record<string, unknown> | undefined => cluster.stored(key).status;

/** Time begins at 00:00 UTC. */
const lunch = { name: "lunch", cron: "1 0 * * *", duration_seconds: 120, min_replicas: 7 };

describe("a schedule", () => {
  it("holds its bounds from its beginning to its end, both of which are looked at in time, and is told", async () => {
    const key = cluster.createOn(5, { sync_period_seconds: 3600, history_size: 2, schedules: [lunch] });
    // The window begins in a minute; it learns with a sync in 10 s before.
    expect(await setting.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 3600 });
    expect(status(key)).not.toHaveProperty("active_schedules");
    await pass(55);
    expect(await setting.sync(key)).toEqual({ next: "soon", afterSeconds: 5, periodSeconds: 3600 });
    expect(setting.replicas()).toBe(5);
    await pass(5);
    // A correction looks at no metrics, so the next sync comes soon.
    expect(await setting.sync(key)).toEqual({ next: "soon", afterSeconds: 10, periodSeconds: 3600 });
    expect(setting.replicas()).toBe(7);
    const reason = "5 → 7: outside min_replicas 7 of schedule lunch to max_replicas 10";
    expect(status(key)).toMatchObject({ active_schedules: ["lunch"], decision: { final: 7, reason } });
    expect(cluster.events.at(-1)).toMatchObject({ reason: "SuccessfulRescale", message: reason });
    await pass(118);
    expect(await setting.sync(key)).toEqual({ next: "soon", afterSeconds: 2, periodSeconds: 3600 });
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
    await setting.sync(key);
    expect(status(key)).not.toHaveProperty("active_schedules");
    await pass(300);
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
  });

  it("is not waited for by a retry", async () => {
    const key = cluster.create("web", { sync_period_seconds: 3600, schedules: [lunch] });
    expect(await setting.sync(key)).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 60 });
    await pass(59);
    expect(await setting.sync(key)).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 1 });
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
      await setting.sync(key);
      await pass(30);
    }
    expect(await setting.sync(key)).toEqual({ next: "sync", periodSeconds: 30 });
    expect(setting.replicas()).toBe(6);
    expect(setting.condition(key, "Ready")).toBe("False/InvalidSchedule");
    expect(cluster.condition(key, "Ready")?.message).toBe(
      'spec.schedules[0].cron: "0 0 30 2 *" never comes, use a day that its months have; ' +
        'spec.schedules[1].timezone: "Mars" is not a time zone, use a name of the tz database as "Europe/Berlin"',
    );
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.events.filter(({ reason }) => reason === "InvalidSchedule")).toHaveLength(1);
  });

  it("goes on, as a condition, when the time zone of the forecast is not valid and got past admission", async () => {
    const key = cluster.createOn(3, { history_size: 2, forecast: { timezone: "Mars" } });
    await setting.sync(key);
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
    await setting.sync(key);
    expect(setting.replicas()).toBe(8);
    cluster.stored(key).metadata.deletionTimestamp = new Date().toISOString();
    await setting.sync(key);
    expect(setting.replicas()).toBe(2);
  });
});
