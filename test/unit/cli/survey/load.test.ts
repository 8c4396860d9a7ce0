import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step, traceOf } from "../../../../cli/survey/load";
import { spanOf } from "../../../../cli/survey/survey";

describe("the load of a workload", () => {
  it("has a step for each answer from the first on, and gaps between", () => {
    const trace = traceOf([
      [10 * step, 1],
      [11 * step, 2],
      [13 * step, -1],
    ]);
    expect(trace).toEqual({ startedAt: 9 * step, step, loads: [1, 2, NaN, 0], notes: [] });
  });

  it("is none without an answer", () => expect(traceOf([])).toBeUndefined());

  it("spans whole steps until now", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1e12, max: 3e12 }), (weeks, now) => {
        const { from, to } = spanOf(weeks, now);
        expect([from % step, to % step]).toEqual([0, 0]);
        expect((to - from) / step + 1).toBe(weeks * 2016);
        expect(now - to).toBeLessThan(step);
      }),
    );
  });
});
