import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { isTimeZone, zoneOffset } from "../../../../capabilities/mlscaler/history/time-zone";

describe("zoneOffset", () => {
  it("is that of the tz database, as luxon reads it", () => {
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") }),
        (zone, date) => {
          const { offset } = DateTime.fromMillis(date.getTime(), { zone });
          expect(zoneOffset(zone, date.getTime())).toBe(offset * 60_000);
        },
      ),
    );
  });

  it("is 0 for what is no zone, and for no time", () => {
    expect([zoneOffset("Mars", 0), zoneOffset("Europe/Berlin", -Infinity), zoneOffset("", 0)]).toEqual([0, 0, 0]);
  });
});

it("isTimeZone: knows names of the tz database, and refuses a long text", () => {
  expect(["UTC", "Europe/Berlin", "Mars", "", "x".repeat(100)].map(isTimeZone)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});
