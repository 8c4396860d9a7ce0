import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replicasFor } from "../../../../../capabilities/mlscaler/scaling/rule/per-unit";
import { Demand, Demands, proposeFor } from "./demands";

describe("replicasFor", () => {
  it("rounds up to an int32, but not for an error in the sixteenth digit", () => {
    expect(replicasFor(0.6, 10)).toBe(6);
    expect(replicasFor(0.1 + 0.2, 10)).toBe(3);
    expect(replicasFor(0.600001, 10)).toBe(7);
    expect(replicasFor(0, 10)).toBe(0);
    expect(replicasFor(1e-3, 10)).toBe(1);
    expect(replicasFor(1.15, 100)).toBe(115);
    expect(replicasFor(1e300, 10)).toBe(2 ** 31 - 1);
  });

  it("is exact for every whole number of replicas", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 1000 }), (replicas, perUnit) => {
        expect(replicasFor(replicas / perUnit, perUnit)).toBe(replicas);
      }),
    );
  });

  it.each([
    [NaN, 10],
    [1, NaN],
    [-1, 10],
    [Infinity, 10],
    [1, Infinity],
  ])("refuses what is no count: %d × %d", (value, perUnit) => {
    expect(() => replicasFor(value, perUnit)).toThrow(RangeError);
  });
});

describe("the rule of spec.metric with a line", () => {
  it("a scale-up never goes beyond what the samples show, nor a scale-down below what they let expect", () => {
    const load = fc.double({ min: 0, max: 5000, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const demands = fc
      .tuple(load, fc.option(load, { nil: undefined }), share)
      .map(([value, forecast, part]): Demands => ({
        highest: { load: value, forecast },
        lowest: { load: value * part, forecast: forecast === undefined ? undefined : forecast * part },
      }));
    fc.assert(
      fc.property(demands, fc.constantFrom(0.1, 1, 10), fc.nat(1200), (given, perUnit, current) => {
        const wanted = (one: Demand): number => replicasFor(Math.max(one.load, one.forecast ?? 0), perUnit);
        const { recommended, reactive, predictive } = proposeFor(given, perUnit, current);
        expect(recommended).toBe(Math.max(reactive, predictive ?? 0));
        if (recommended > current) expect(recommended).toBe(wanted(given.lowest));
        if (recommended < current) expect(recommended).toBe(wanted(given.highest));
      }),
    );
  });
});
