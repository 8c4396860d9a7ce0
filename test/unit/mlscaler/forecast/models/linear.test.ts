import { describe, expect, it } from "vitest";
import { linear } from "../../../../../capabilities/mlscaler/forecast/models/linear";
import { cpuMilliseconds } from "../../../time";

describe("linear", () => {
  it("continues with the same slope", () => {
    expect(linear([1, 2, 3], 1)).toBeCloseTo(4, 12);
    expect(linear([1, 2, 3], 6)).toBeCloseTo(9, 12);
    // From PHPA's tests: one every 10 s, the last one 9 s ago; now, in 10 s and in 15 s.
    expect([0.9, 1.9, 2.4].map(steps => Math.ceil(linear([1, 2, 3, 4], steps)))).toEqual([5, 6, 7]);
    expect(linear([3, 2, 1], 5)).toBe(0);
    expect(linear([5, 5, 5], 10)).toBeCloseTo(5, 12);
  });

  it("fits the longest history within 200 ms of CPU time", () => {
    const loads = Array.from({ length: 20160 }, (_, index) => index / 100);
    expect(cpuMilliseconds(() => linear(loads, 1))).toBeLessThan(200);
    expect(linear(loads, 1)).toBeCloseTo(201.6, 6);
  });
});
