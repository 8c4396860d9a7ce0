import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replay } from "../../../../capabilities/mlscaler/backtest/replay";

describe("a replay", () => {
  it("serves the slot after the next with replicas that take one step to start", () => {
    const given = { loads: [1, 5, 5, 5], capacity: 1, startUpSteps: 1, stepSeconds: 300, from: 0 };
    const outcome = replay(given, 1, () => ({ replicas: 5 }));
    expect(outcome.replicas).toEqual([5, 5, 5]);
    expect(outcome.ready).toEqual([1, 5, 5]);
    expect(outcome.unservedPercent).toBeCloseTo((100 * 4) / 15, 12);
    expect(outcome.replicaHoursRatio).toBe(1);
  });

  it("removes starting replicas first", () => {
    const wanted = [4, 6, 3, 3];
    const given = { loads: [1, 1, 1, 1, 1], capacity: 1, startUpSteps: 2, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, slot => ({ replicas: wanted[slot] ?? 0 }));
    expect(outcome.replicas).toEqual(wanted);
    expect(outcome.ready).toEqual([2, 2, 3, 3]);
  });

  it("scores no gap", () => {
    const given = { loads: [1, NaN, 3, NaN], capacity: 1, startUpSteps: 0, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, (_, replicas) => ({ replicas }));
    expect(outcome.underProvisionedPercent).toBe(100);
    expect(outcome.unservedPercent).toBeCloseTo(100 / 3, 12);
  });

  it("has the percentages and counts that are possible, and serves all load at no less than the oracle's cost", () => {
    const load = fc.double({ min: 0, max: 1e6, noNaN: true });
    const given = fc.record({
      loads: fc.array(load, { minLength: 2, maxLength: 60 }),
      capacity: fc.double({ min: 1, max: 1e6, noNaN: true }),
      startUpSteps: fc.integer({ min: 0, max: 5 }),
      stepSeconds: fc.constantFrom(15, 60, 300, 1800),
      from: fc.constant(0),
    });
    fc.assert(
      fc.property(
        given,
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 60, maxLength: 60 }),
        (of, wanted) => {
          const { replicas, ready, ...figures } = replay(of, 1, slot => ({ replicas: wanted[slot] ?? 1 }));
          expect(replicas.every((count, slot) => (ready[slot] ?? NaN) <= count && (ready[slot] ?? 0) >= 1)).toBe(true);
          for (const percent of [figures.underProvisionedPercent, figures.unservedPercent]) {
            expect(percent).toBeGreaterThanOrEqual(0);
            expect(percent).toBeLessThanOrEqual(100);
          }
          if (figures.underProvisionedPercent === 0) expect(figures.replicaHoursRatio).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });
});
