import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linear, lineForecast } from "../../../../../capabilities/mlscaler/forecast/models/line";
import { replicasFor } from "../../../../../capabilities/mlscaler/scaling/rule/per-unit";
import { cpuMilliseconds } from "../../../time";

const load = fc.double({ min: 0, max: 1000, noNaN: true });
const history = fc.array(load, { minLength: 2, maxLength: 40 });

/** Ordinary least squares in closed form, over x = 0 … n − 1. */
function leastSquares(loads: number[], steps: number): number {
  const n = loads.length;
  const meanX = (n - 1) / 2;
  const meanY = loads.reduce((sum, y) => sum + y, 0) / n;
  const covariance = loads.reduce((sum, y, x) => sum + (x - meanX) * (y - meanY), 0);
  const variance = loads.reduce((sum, _, x) => sum + (x - meanX) ** 2, 0);
  return meanY + (covariance / variance) * (n - 1 + steps - meanX);
}

describe("lineForecast", () => {
  it("of 0.1 0.2 0.3 0.4 0.5 is 0.60: 6 replicas at 10 per unit, not 7", () => {
    const result = lineForecast([0.1, 0.2, 0.3, 0.4, 0.5], 5);
    expect(result).toMatchObject({ model: "linear", samples: 5, wanted: 5 });
    expect(result.load).toBeCloseTo(0.6, 12);
    expect(replicasFor(result.load ?? NaN, 10)).toBe(6);
  });

  it("is the line of least squares, one step ahead, and never below 0", () => {
    fc.assert(
      fc.property(history, loads => {
        const expected = Math.max(0, leastSquares(loads, 1));
        expect(lineForecast(loads, loads.length).load).toBeCloseTo(expected, 6);
      }),
    );
  });

  it("is fitted on the last samples only", () => {
    fc.assert(
      fc.property(fc.array(load, { maxLength: 20 }), history, (older, loads) => {
        expect(lineForecast([...older, ...loads], loads.length)).toEqual(lineForecast(loads, loads.length));
      }),
    );
  });

  it("has no load with fewer samples than it needs", () => {
    fc.assert(
      fc.property(fc.array(load, { maxLength: 20 }), fc.integer({ min: 1, max: 20 }), (loads, missing) => {
        const wanted = Math.max(2, loads.length + missing);
        expect(lineForecast(loads, wanted)).toEqual({ model: "linear", samples: loads.length, wanted });
      }),
    );
  });

  it("reports every error of the model as a failure and never throws", () => {
    const anything = fc.array(fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, 1e308, -1e308)));
    fc.assert(
      fc.property(anything, fc.integer({ min: 0, max: 20 }), (loads, size) => {
        const result = lineForecast(loads, size);
        if (result.load !== undefined) {
          expect(Number.isFinite(result.load)).toBe(true);
          expect(result.load).toBeGreaterThanOrEqual(0);
        } else {
          expect(result.samples < size || typeof result.failure === "string").toBe(true);
        }
      }),
      { numRuns: 500 },
    );
    expect(lineForecast([NaN, 1], 2).failure).toMatch(/NaN/);
    expect(lineForecast([1], 1).failure).toMatch(/needs 2 samples/);
  });
});

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
