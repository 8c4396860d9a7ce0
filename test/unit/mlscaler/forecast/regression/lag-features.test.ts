import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, writeFeatures } from "../../../../../capabilities/mlscaler/forecast/regression/lag-features";
import { Loads } from "../../../../../capabilities/mlscaler/forecast/loads";
import { season, series } from "../loads-by-slot";

describe("features", () => {
  it("fill the columns, and depend on no load after the origin", () => {
    const seasons = fc.record({ day: fc.constantFrom(undefined, 24), week: fc.constantFrom(undefined, 168) });
    fc.assert(
      fc.property(
        seasons,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 400, max: 699 }),
        (seasons, steps, index) => {
          const features = (slots: number): number[] => {
            const loads = new Loads(700);
            series(slots, season).forEach(load => loads.append(load));
            const into = new Float64Array(64).fill(-1234);
            writeFeatures(loads, index, steps, seasons, 100, into, 0);
            return [...into];
          };
          const before = features(700);
          expect(before.indexOf(-1234)).toBe(columnsOf(seasons));
          expect(features(index + 1)).toEqual(before);
        },
      ),
    );
  });
});
