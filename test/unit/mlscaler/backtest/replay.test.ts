import { describe, expect, it } from "vitest";
import { replay } from "../../../../capabilities/mlscaler/backtest/replay";

describe("a replay", () => {
  it("serves the slot after the next with replicas that take one step to start", () => {
    const given = { loads: [1, 5, 5, 5], capacity: 1, startUpSteps: 1, stepSeconds: 300, from: 0 };
    const outcome = replay(given, 1, () => 5);
    expect(outcome.replicas).toEqual([5, 5, 5]);
    expect(outcome.ready).toEqual([1, 5, 5]);
    expect(outcome.unservedPercent).toBeCloseTo((100 * 4) / 15, 12);
    expect(outcome.replicaHoursRatio).toBe(1);
  });

  it("removes starting replicas first", () => {
    const wanted = [4, 6, 3, 3];
    const given = { loads: [1, 1, 1, 1, 1], capacity: 1, startUpSteps: 2, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, slot => wanted[slot] ?? 0);
    expect(outcome.replicas).toEqual(wanted);
    expect(outcome.ready).toEqual([2, 2, 3, 3]);
  });

  it("scores no gap", () => {
    const given = { loads: [1, NaN, 3, NaN], capacity: 1, startUpSteps: 0, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, (_, replicas) => replicas);
    expect(outcome.underProvisionedPercent).toBe(100);
    expect(outcome.unservedPercent).toBeCloseTo(100 / 3, 12);
  });
});
