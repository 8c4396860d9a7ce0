import { describe, expect, it } from "vitest";
import { type LoadAhead, nextDayOf, peakOf } from "../../../../../capabilities/mlscaler/scaling/ahead/next-day";

const hour = 3_600_000;

const ahead = (uppers: number[], skill?: number, capacity = 10): LoadAhead => ({
  path: { begins: 5 * hour, loads: uppers.map(upper => upper / 2), uppers, skill },
  capacity,
});

describe("the replicas of the next 24 hours", () => {
  it("are those of the load that asks for most, within the bounds", () => {
    const day = nextDayOf([ahead([5, 31, 90], 0.2), ahead([40, 3, 3], 0.1, 20)], { min: 1, max: 6 });
    expect(day?.hours).toEqual([
      { at: 5 * hour, replicas: 2 },
      { at: 6 * hour, replicas: 4 },
      { at: 7 * hour, replicas: 6 },
    ]);
    expect(day?.skill).toBe(0.1);
    expect(day && peakOf(day)).toEqual({ at: 7 * hour, replicas: 6 });
  });

  it("leave out a load whose path is no better than the naive ones, or whose capacity is unknown", () => {
    expect(nextDayOf([ahead([90], 0), ahead([90], -1), ahead([90]), ahead([90], 1, NaN)], { min: 0, max: 9 })).toBe(
      undefined,
    );
    expect(nextDayOf([ahead([90], 0), ahead([20], 1)], { min: 0, max: 9 })?.hours[0]?.replicas).toBe(2);
  });
});
