import fc from "fast-check";
import { Cron } from "croner";
import { describe, expect, it, vi } from "vitest";
import { checkSpec, faultText } from "../../../../../capabilities/definition/check";
import { boundsAt, faultsOfSchedules, Schedule } from "../../../../../capabilities/mlscaler/scaling/schedule/schedule";
import { mlscaler } from "../../../../../capabilities/mlscaler/schema";

const hour = 3_600_000;

/** A schedule of an hour a day, from 09:00 UTC. */
const schedule = (change: Partial<Schedule> = {}): Schedule => ({
  ...{ name: "day", cron: "0 9 * * *", timezone: "UTC", duration_seconds: 3600 },
  ...(change.max_replicas === undefined && { min_replicas: 5 }),
  ...change,
});

const bounds = (time: string, ...schedules: Schedule[]): ReturnType<typeof boundsAt> =>
  boundsAt({ min_replicas: 2, max_replicas: 10, schedules }, Date.parse(time));

/** When the windows of a schedule open and close after a time, in order: "opens 2026-…" */
function edgesOf(given: Schedule, from: string, count: number): string[] {
  const edges: string[] = [];
  let at = Date.parse(from);
  let { active, until } = boundsAt({ min_replicas: 1, max_replicas: 9, schedules: [given] }, at);
  while (edges.length < count && until !== undefined) {
    at = until;
    const open = active.length > 0;
    ({ active, until } = boundsAt({ min_replicas: 1, max_replicas: 9, schedules: [given] }, at));
    if (active.length > 0 !== open)
      edges.push(`${open ? "closes" : "opens"} ${new Date(at).toISOString().slice(0, 16)}`);
  }
  return edges;
}

describe("boundsAt", () => {
  it("are the spec's own without schedules, for ever", () => {
    expect(boundsAt({ min_replicas: 2, max_replicas: 10 }, 0)).toEqual({ min: 2, max: 10, active: [] });
    expect(boundsAt({ min_replicas: 2, max_replicas: 10, schedules: [] }, 0)).toEqual({ min: 2, max: 10, active: [] });
  });

  it("are a schedule's from its time, included, to its end, excluded", () => {
    const next = Date.parse("2026-03-02T09:00:00Z");
    expect(bounds("2026-03-02T08:59:59.999Z", schedule())).toEqual({ min: 2, max: 10, active: [], until: next });
    const open = { min: 5, minOf: "day", max: 10, active: ["day"], until: next + hour };
    expect(bounds("2026-03-02T09:00:00Z", schedule())).toEqual(open);
    expect(bounds("2026-03-02T09:59:59.999Z", schedule())).toEqual(open);
    const tomorrow = next + 24 * hour;
    expect(bounds("2026-03-02T10:00:00Z", schedule())).toEqual({ min: 2, max: 10, active: [], until: tomorrow });
  });

  it("take from a schedule the bounds that it gives, and leave the spec's other one", () => {
    expect(bounds("2026-03-02T09:30:00Z", schedule({ max_replicas: 4 }))).toMatchObject({
      min: 2,
      max: 4,
      maxOf: "day",
    });
    const both = schedule({ min_replicas: 12, max_replicas: 20 });
    expect(bounds("2026-03-02T09:30:00Z", both)).toMatchObject({ min: 12, max: 20, minOf: "day", maxOf: "day" });
    expect(bounds("2026-03-02T09:30:00Z", schedule({ min_replicas: 1 }))).toMatchObject({ min: 1, max: 10 });
  });

  it("go on while a schedule comes again within its own window", () => {
    const always = schedule({ cron: "*/10 * * * *", duration_seconds: 1200 });
    expect(edgesOf(always, "2026-03-02T08:00:00Z", 0)).toEqual([]);
    for (const minute of ["00", "09", "10", "19", "59"])
      expect(bounds(`2026-03-02T08:${minute}:30Z`, always).active).toEqual(["day"]);
  });

  // prettier-ignore
  it.each<[string, Partial<Schedule>[], object]>([
    ["the highest of each", [{ min_replicas: 3, max_replicas: 6 }, { min_replicas: 4, max_replicas: 5 }], { min: 4, max: 6, minOf: "1", maxOf: "0" }],
    ["of those that give one", [{ min_replicas: 1 }, { max_replicas: 5 }], { min: 1, max: 5, minOf: "0", maxOf: "1" }],
    ["min where max is below it", [{ min_replicas: 8 }, { max_replicas: 5 }], { min: 8, max: 8, minOf: "0", maxOf: "0" }],
    ["the first of two alike", [{ min_replicas: 8 }, { min_replicas: 8 }], { min: 8, minOf: "0" }],
  ])("of windows that overlap are %s", (_, changes, expected) => {
    const given = changes.map((change, index) => schedule({ name: String(index), ...change }));
    expect(bounds("2026-03-02T09:30:00Z", ...given)).toMatchObject({ active: ["0", "1"], ...expected });
  });

  const anySchedule = fc
    .record({
      hours: fc.nat(23),
      duration_seconds: fc.integer({ min: 60, max: 200_000 }),
      timezone: fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"),
      given: fc.constantFrom("min", "max", "min and max"),
      low: fc.integer({ min: 1, max: 40 }),
      more: fc.nat(40),
    })
    .map(({ hours, duration_seconds, timezone, given, low, more }) => ({
      ...{ name: "", cron: `0 ${hours} * * *`, timezone, duration_seconds },
      ...(given.includes("min") && { min_replicas: low }),
      ...(given.includes("max") && { max_replicas: low + more }),
    }));
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
  const spec = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.nat(40), fc.array(anySchedule, { maxLength: 4 }))
    .map(([min_replicas, more, schedules]) => ({
      ...{ min_replicas, max_replicas: min_replicas + more },
      schedules: schedules.map((one, index) => ({ ...one, name: `s${index}` })),
    }));

  it("are never fewer than any open window wants, never crossed, and stay as they are until they say", () => {
    fc.assert(
      fc.property(spec, moment, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (given, now, share) => {
        const { min, max, active, until = now + hour } = boundsAt(given, now);
        expect(min).toBeLessThanOrEqual(max);
        for (const schedule of given.schedules.filter(({ name }) => active.includes(name)))
          expect(min).toBeGreaterThanOrEqual(schedule.min_replicas ?? 0);
        if (active.length === 0) expect([min, max]).toEqual([given.min_replicas, given.max_replicas]);
        expect(until).toBeGreaterThan(now);
        const later = boundsAt(given, now + Math.floor(share * (until - now)));
        expect({ ...later, until: undefined }).toEqual({ ...boundsAt(given, now), until: undefined });
      }),
    );
  });
});

describe("the windows of a spec", () => {
  const some = ["0 9 * * *", "59 23 29 2 *", "1-59/7 0-23/5 * * MON", "30 2 * * SUN"].map((cron, index) =>
    schedule({ name: `s${index}`, cron, timezone: "Europe/Berlin", duration_seconds: 3600 * (index + 1) }),
  );

  it("are those of a spec that was never looked at, in whatever order the times come", () => {
    const spec = { min_replicas: 2, max_replicas: 10, schedules: some };
    const begin = Date.UTC(2026, 2, 1);
    fc.assert(
      fc.property(fc.array(fc.nat(90 * 24 * 60), { minLength: 1, maxLength: 20 }), minutes => {
        for (const minute of minutes) {
          const at = begin + minute * 60_000;
          expect(boundsAt(spec, at)).toEqual(boundsAt(structuredClone(spec), at));
        }
      }),
    );
  });

  it("are looked for once, until they open", () => {
    const spec = { min_replicas: 2, max_replicas: 10, schedules: structuredClone(some).slice(0, 2) };
    const search = vi.spyOn(Cron.prototype, "nextRun");
    const at = Date.UTC(2026, 5, 1, 12);
    faultsOfSchedules(spec);
    const read = search.mock.calls.length;
    for (let sync = 0; sync < 100; sync++) {
      boundsAt(spec, at + sync * 15_000);
      faultsOfSchedules(spec);
    }
    expect(search.mock.calls.length - read).toBe(2);
    search.mockRestore();
  });
});

describe("a change of the clocks", () => {
  const berlin = (cron: string): Schedule => schedule({ cron, timezone: "Europe/Berlin" });

  it("that leaves out the time of a window has it open right after the gap, for all of its duration", () => {
    expect(edgesOf(berlin("30 2 * * *"), "2026-03-28T12:00:00Z", 4)).toEqual([
      ...["opens 2026-03-29T01:00", "closes 2026-03-29T02:00"],
      ...["opens 2026-03-30T00:30", "closes 2026-03-30T01:30"],
    ]);
    // Times that are listed as well: none of them is lost.
    expect(edgesOf(berlin("30 2,14 * * *"), "2026-03-28T20:00:00Z", 1)).toEqual(["opens 2026-03-29T01:00"]);
  });

  it("that doubles the time of a window has it open once, the first time", () => {
    expect(edgesOf(berlin("30 2 * * *"), "2026-10-24T12:00:00Z", 4)).toEqual([
      ...["opens 2026-10-25T00:30", "closes 2026-10-25T01:30"],
      ...["opens 2026-10-26T01:30", "closes 2026-10-26T02:30"],
    ]);
  });

  it("within a window leaves its duration as it is", () => {
    const night = { ...berlin("0 23 * * SAT"), duration_seconds: 8 * 3600 };
    expect(edgesOf(night, "2026-03-28T12:00:00Z", 2)).toEqual(["opens 2026-03-28T22:00", "closes 2026-03-29T06:00"]);
    expect(edgesOf(night, "2026-10-24T12:00:00Z", 2)).toEqual(["opens 2026-10-24T21:00", "closes 2026-10-25T05:00"]);
  });
});

describe("faultsOfSchedules", () => {
  const faults = (change: Partial<Schedule>): string[] =>
    faultsOfSchedules({ schedules: [schedule(change)] }).map(faultText);

  it("has nothing against what cron knows", () => {
    const crons = ["0 9 * * MON-FRI", "*/15 8-18 * * 1-5", "0 0 1,15 * *", "0 0 29 2 *", "0 0 L * *", "0 0 * * FRI#2"];
    for (const cron of crons) expect(faults({ cron }), cron).toEqual([]);
    for (const timezone of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
      expect(faults({ timezone }), timezone).toEqual([]);
    expect(faultsOfSchedules({})).toEqual([]);
  });

  it.each([
    ["0 0 30 2 *", '"0 0 30 2 *" never comes, use a day that its months have'],
    ["0 0 31 4,6 *", '"0 0 31 4,6 *" never comes, use a day that its months have'],
    [
      "60 9 * * *",
      '"60 9 * * *" is not a cron expression (Invalid value for minute: 60), use MINUTE HOUR DAY MONTH WEEKDAY',
    ],
    ["a b c d e", '"a b c d e" is not a cron expression (configuration entry 1 (a) contains illegal characters.)'],
    ["0 9 * * * *", "\"0 9 * * * *\" is not a cron expression (mode '5-part' requires exactly 5 parts"],
  ])("names the cron %s and what is wrong with it, and its window never opens", (cron, message) => {
    expect(faults({ cron })).toEqual([expect.stringContaining(`spec.schedules[0].cron: ${message}`)]);
    expect(bounds("2026-03-02T09:30:00Z", schedule({ cron }))).toEqual({ min: 2, max: 10, active: [] });
  });

  it.each(["Mars/Olympus", "Europe", "x"])("names the time zone %s, and the others go on", timezone => {
    const given = [schedule({ timezone }), schedule({ name: "good" })];
    expect(faultsOfSchedules({ schedules: given }).map(faultText)).toEqual([
      `spec.schedules[0].timezone: "${timezone}" is not a time zone, use a name of the tz database as "Europe/Berlin"`,
    ]);
    expect(bounds("2026-03-02T09:30:00Z", ...given)).toMatchObject({ active: ["good"], min: 5 });
  });
});

describe("the rules on schedules", () => {
  const spec = { target_deployment: "web", min_replicas: 3, max_replicas: 10, metric: "cpu", history_size: 5 };
  const faultsOf = (...schedules: object[]): string[] => checkSpec(mlscaler, { ...spec, schedules }).faults;
  const given = (change: object): object => ({ ...schedule(), ...change });

  it("take what is right, in UTC where it does not say", () => {
    const { timezone, ...without } = schedule();
    expect(checkSpec(mlscaler, { ...spec, schedules: [without] }).spec?.schedules).toEqual([schedule()]);
    expect(timezone).toBe("UTC");
    expect(faultsOf()).toEqual([]);
    expect(faultsOf(...Array.from({ length: 32 }, (_, index) => given({ name: `s${index}` })))).toEqual([]);
    expect(faultsOf(...Array.from({ length: 33 }, (_, index) => given({ name: `s${index}` })))).toHaveLength(1);
  });

  // What else is refused is in the example, below.
  it.each<[object, string]>([
    [{ name: "Day 1" }, 'spec.schedules[0].name: "Day 1" is not a name, use lower case letters, digits and "-"'],
    [{ cron: "@daily" }, 'spec.schedules[0].cron: "@daily" has not five fields, use MINUTE HOUR DAY MONTH WEEKDAY'],
    [{ duration_seconds: 59 }, "spec.schedules[0].duration_seconds: 59 is out of range, use 60 to 604800 seconds"],
    [{ min_replicas: 0 }, "spec.schedules[0].min_replicas: 0 is out of range, use 1 to 2147483647"],
    [{ min_replicas: 11 }, "10, use at most that or give it max_replicas as well"],
    [
      { min_replicas: undefined, max_replicas: 2 },
      "spec.schedules: max_replicas of day, 2, is below spec.min_replicas 3, use at least that or give it min_replicas as well",
    ],
  ])("refuse %j", (change, fault) => {
    expect(faultsOf(given(change))).toEqual([expect.stringContaining(fault)]);
  });

  it("take bounds beyond the spec's own where both are given", () => {
    expect(faultsOf(given({ min_replicas: 20, max_replicas: 30 }))).toEqual([]);
    expect(faultsOf(given({ min_replicas: 1, max_replicas: 2 }))).toEqual([]);
  });
});
