import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantOf, timestamp } from "../../../capabilities/kubernetes/time";

describe("timestamp", () => {
  it("is UTC in whole seconds, as Kubernetes writes it", () => {
    expect(timestamp(new Date("2026-01-05T08:00:00.999+02:00"))).toBe("2026-01-05T06:00:00Z");
  });
});

describe("instantOf", () => {
  it.each([
    ["2026-01-05T06:00:00Z", Date.UTC(2026, 0, 5, 6)],
    ["2026-01-05T06:00:00.123456Z", Date.UTC(2026, 0, 5, 6, 0, 0, 123)],
    ["2026-01-05T06:00:00.123456789Z", Date.UTC(2026, 0, 5, 6, 0, 0, 123)],
    ["2026-01-05T08:00:00+02:00", Date.UTC(2026, 0, 5, 6)],
  ])("of %s", (text, at) => {
    expect(instantOf(text)).toBe(at);
  });

  it.each([undefined, null, "", "1", "yesterday", "2026-01-05", "2026-13-05T06:00:00Z", "2026-01-05T06:00:00"])(
    "of %j are none",
    text => {
      expect(instantOf(text)).toBeUndefined();
    },
  );

  it("are those of each time that timestamp writes", () => {
    const year = Date.UTC(9999, 11, 31);
    const times = fc.date({ min: new Date(0), max: new Date(year), noInvalidDate: true });
    fc.assert(
      fc.property(times, date => {
        expect(instantOf(timestamp(date))).toBe(Math.floor(date.getTime() / 1000) * 1000);
        expect(instantOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });
});
