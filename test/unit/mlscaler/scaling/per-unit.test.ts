import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replicasFor } from "../../../../capabilities/mlscaler/scaling/per-unit";
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
  const side = (load: number, forecast?: number): Demand => ({ load, forecast });
  const both = (load: number, forecast?: number): Demands => ({
    highest: side(load, forecast),
    lowest: side(load, forecast),
  });

  it("the higher of load and forecast is asked for", () => {
    expect(proposeFor(both(6, 8), 1, 5)).toMatchObject({ reactive: 6, predictive: 8, recommended: 8 });
    expect(proposeFor(both(8, 6), 1, 5)).toMatchObject({ reactive: 8, predictive: 6, recommended: 8 });
    for (const demands of [both(6, 8), both(8, 6)]) expect(proposeFor(demands, 1, 5).held).toBeUndefined();
    expect(proposeFor(both(6), 1, 5).predictive).toBeUndefined();
  });

  it("pods without a sample count as 0 before a scale-up, and as the mean before a scale-down", () => {
    const demands = { highest: side(8, 9), lowest: side(6) };
    expect(proposeFor(demands, 1, 5)).toMatchObject({ recommended: 6 });
    expect(proposeFor(demands, 1, 10)).toMatchObject({ recommended: 9 });
    expect(proposeFor(demands, 1, 7)).toMatchObject({ reactive: 7, predictive: 7, recommended: 7, held: "Unsampled" });
    expect(proposeFor(demands, 1, 9)).toMatchObject({ reactive: 8, predictive: 9, recommended: 9 });
  });

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
