import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";
import { type Tomorrow, tomorrowOf } from "../../../../capabilities/mlscaler/forecast/tomorrow";
import { hourMilliseconds, slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";

const slotsAnHour = hourMilliseconds / slotMilliseconds;
const begins = Date.UTC(2026, 2, 8);

/** The path after hours of load, in slots of five minutes. */
function after(hours: number, load: (hour: number) => number, timezone?: string): Tomorrow | undefined {
  const loads = Array.from({ length: hours * slotsAnHour }, (_, slot) => load(Math.floor(slot / slotsAnHour)));
  return runSlices(tomorrowOf(loads, slotMilliseconds, begins, timezone));
}

const byDay = (hour: number): number => 20 + 10 * Math.sin((2 * Math.PI * hour) / 24);

describe("the path of the next 24 hours", () => {
  it("is constant after a constant load, whatever the length of the history", () => {
    fc.assert(
      fc.property(fc.integer({ min: 48, max: 400 }), fc.integer({ min: 0, max: 1000 }), (hours, load) => {
        const path = after(hours, () => load);
        expect(path).toEqual({
          begins: begins + hours * hourMilliseconds,
          loads: Array(24).fill(load),
          uppers: Array(24).fill(load),
        });
      }),
      { numRuns: 10 },
    );
  });

  it("needs two days of history", () => {
    expect(after(47, byDay)).toBeUndefined();
    expect(after(48, byDay)?.loads).toHaveLength(24);
    expect(after(96, hour => (hour < 49 ? NaN : byDay(hour)))).toBeUndefined();
  });

  // After two weeks every hour is scored, also those of the first days.
  it.each([14 * 24, 28 * 24 + 5])(
    "is better than the day before for a daily load that grows, after %i hours",
    hours => {
      const grown = (hour: number): number => byDay(hour) * 1.03 ** (hour / 24);
      const path = after(hours, grown);
      const errorOf = (load: (index: number) => number): number =>
        Array.from({ length: 24 }, (_, index) => Math.abs(grown(hours + index) - load(index))).reduce(
          (sum, one) => sum + one,
        );
      expect(errorOf(index => path?.loads[index] ?? NaN)).toBeLessThan(
        0.8 * errorOf(index => grown(hours - 24 + index)),
      );
      expect(path?.skill).toBeGreaterThan(0.2);
    },
  );

  it("has its upper quantile above the noise of the load", () => {
    const noise = (hour: number): number => ((hour * 48_271) % 101) / 10;
    const path = after(21 * 24, hour => byDay(hour) + noise(hour));
    const covered = path?.uppers.filter((upper, index) => upper >= byDay(504 + index) + noise(504 + index)).length;
    expect(covered).toBeGreaterThanOrEqual(18);
    expect(covered).toBeLessThan(24);
  });

  it("goes on through a gap", () => {
    const path = after(21 * 24, hour => (hour >= 480 && hour < 498 ? NaN : byDay(hour)));
    path?.loads.forEach((load, index) => expect(load).toBeCloseTo(byDay(504 + index), 0));
  });

  it("follows the clocks of a zone when they change", () => {
    // Clocks of Berlin go ahead on 2026-03-29 at 01:00 UTC, 21 days after the first hour.
    const office = (hour: number): number => (hour % 24 >= 7 && hour % 24 < 17 ? 10 : 1);
    const [local, utc] = [after(504, office, "Europe/Berlin"), after(504, office)];
    expect(local?.loads.slice(5, 8).map(Math.round)).toEqual([1, 10, 10]);
    expect(utc?.loads.slice(5, 8).map(Math.round)).toEqual([1, 1, 10]);
  });
});
