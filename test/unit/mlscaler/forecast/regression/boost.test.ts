import { describe, expect, it } from "vitest";
import { boost, valueOfTrees } from "../../../../../capabilities/mlscaler/forecast/regression/boost";
import { runSlices } from "../../../../../capabilities/mlscaler/forecast/sliced";
import { tableOf } from "./table";

describe("boost", () => {
  it("fits a function that is not linear", () => {
    const product = (one: number, other: number): number => (one > 0 && other > 0.3 ? 10 : 0);
    const table = tableOf(2000, product);
    const residuals = Float64Array.from({ length: 2000 }, (_, row) => (table.values[row * 4 + 2] ?? 0) - 2);
    const trees = runSlices(boost(table, residuals));
    const errors = Array.from({ length: 2000 }, (_, row) =>
      Math.abs(valueOfTrees(trees, table.values, row * 4) + 2 - (table.values[row * 4 + 2] ?? 0)),
    );
    expect(errors.reduce((sum, error) => sum + error, 0) / 2000).toBeLessThan(2);
  });
});
