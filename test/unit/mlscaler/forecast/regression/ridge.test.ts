import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ridge, valueOf } from "../../../../../capabilities/mlscaler/forecast/regression/ridge";
import { runSlices } from "../../../../../capabilities/mlscaler/forecast/sliced";
import { tableOf } from "./table";

describe("ridge", () => {
  it("finds the function of the targets, with any intercept and in spite of outliers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 99 }), fc.integer({ min: -1e6, max: 1e6 }), (rows, shift) => {
        const table = tableOf(rows, (one, other) => 2 * one - 3 * other + shift);
        table.values[2] = 20 + shift;
        const fit = runSlices(ridge(table, 0, 1));
        const again = runSlices(ridge(table, 0, 1, fit));
        for (const { weights, intercept } of [fit, again]) {
          expect(weights[0]).toBeCloseTo(2, 0);
          expect(weights[1]).toBeCloseTo(-3, 0);
          expect(Math.abs(intercept - shift)).toBeLessThan(0.5);
        }
      }),
    );
  });

  it("shrinks to the mean with the penalty", () => {
    const fit = runSlices(
      ridge(
        tableOf(50, one => one),
        1e6,
        2,
      ),
    );
    expect(Math.abs(valueOf(fit, Float64Array.from([1, 1])))).toBeLessThan(0.1);
  });

  it("gives a constant feature no weight", () => {
    const table = tableOf(50, one => 5 * one);
    for (let row = 0; row < 50; row++) table.values[row * 4 + 1] = 1e6;
    const fit = runSlices(ridge(table, 1e-6, 2));
    expect(fit.weights[1]).toBe(0);
    expect(fit.weights[0]).toBeCloseTo(5, 3);
  });
});
