import { describe, expect, it } from "vitest";
import { windowsOf } from "../../../../cli/keda/window";

const hour = 3600;

describe("windowsOf", () => {
  it.each([
    ["0 8 * * 1-5", "0 18 * * 1-5", 10 * hour],
    ["0 22 * * *", "0 6 * * *", 8 * hour],
    ["30 8 * * FRI", "0 9 * * MON", 72.5 * hour],
    ["0 0 1 * *", "0 12 1 * *", 12 * hour],
    ["0 0 29 2 *", "0 1 29 2 *", hour],
    ["0 * * * *", "15 * * * *", hour / 4],
  ])("has the length from %s to %s", (start, end, seconds) => {
    expect(windowsOf(start, end)).toMatchObject({ seconds, even: true });
  });

  it("lasts until the last end before the next start, on Friday until Sunday", () => {
    const { even, byWeekday } = windowsOf("0 8 * * 1-5", "0 18 * * *");
    expect(even).toBe(false);
    expect([...(byWeekday ?? [])].sort()).toEqual([...[1, 2, 3, 4].map(day => [day, 10 * hour]), [5, 58 * hour]]);
  });

  it("is uneven where windows differ in length, or a start opens none", () => {
    expect(windowsOf("0 8,14 * * *", "0 12,20 * * *")).toMatchObject({ seconds: 6 * hour, even: false });
    expect(windowsOf("0 8 * * *", "0 18 * * 5")).toMatchObject({ seconds: 10 * hour, even: false });
    expect(windowsOf("0 0 1 * *", "0 0 15 2 *")).toMatchObject({ seconds: 14 * 24 * hour, even: false });
  });

  it("has no length where the next start always comes before the next end", () => {
    expect(windowsOf("* * * * *", "30 4 31 12 *").seconds).toBeUndefined();
  });
});
