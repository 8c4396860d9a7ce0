import { describe, expect, it } from "vitest";
import { RecentErrors } from "../../../../../capabilities/mlscaler/forecast/mixture/recent-errors";

describe("RecentErrors", () => {
  it("include an error from the slot of its load on", () => {
    const errors = new RecentErrors(2, 2, 10);
    errors.add(1, Float64Array.from([2, 3, 5, 5]));
    expect(errors.of(0, 1)).toBeNaN();
    errors.add(4, Float64Array.from([0, 0, 0, 0]));
    expect([errors.of(0, 1), errors.of(1, 1)]).toEqual([2, 1]);
    expect(errors.of(0, 2)).toBeNaN();
    expect(errors.best(1)).toBe(1);
    errors.add(4, Float64Array.from([0, 0, 0, 0]));
    expect([errors.of(0, 2), errors.of(1, 2)]).toEqual([1, 1]);
  });
});
