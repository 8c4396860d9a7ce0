import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DailyRise } from "../../../sandbox/daily-rise";

const hour = 3_600_000;
const at = Date.UTC(2026, 4, 20, 9);
const rise = new DailyRise(at, 100, 200);
const times = fc.integer({ min: rise.begin, max: at + 24 * hour });

describe("a daily rise", () => {
  it("is high for an hour from the same time on each day, and low otherwise", () => {
    fc.assert(
      fc.property(times, time => {
        const since = (time - rise.begin) % (24 * hour);
        const level = since < hour ? 200 : 100;
        expect(Math.abs(rise.rate(time) / level - 1)).toBeLessThanOrEqual(0.03 + 1e-9);
      }),
    );
    expect(rise.rate(at)).toBeGreaterThan(150);
    expect(rise.rate(at - 1)).toBeLessThan(150);
  });

  it("has a total that grows by the rate of each moment", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: hour }), (time, milliseconds) => {
        const grown = rise.total(time + milliseconds) - rise.total(time);
        const seconds = milliseconds / 1000;
        expect(grown).toBeGreaterThanOrEqual(97 * seconds - 1e-3);
        expect(grown).toBeLessThanOrEqual(206 * seconds + 1e-3);
      }),
    );
    const minute = Math.floor((at - rise.begin) / 60_000) * 60_000 + rise.begin;
    expect(rise.total(minute + 60_000) - rise.total(minute)).toBeCloseTo(rise.rate(minute) * 60, 3);
    expect(rise.total(minute + 30_000) - rise.total(minute)).toBeCloseTo(rise.rate(minute) * 30, 3);
  });
});
