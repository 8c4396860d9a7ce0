import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Loads } from "../../../../capabilities/mlscaler/forecast/loads";
import { boost, valueOfTrees } from "../../../../capabilities/mlscaler/forecast/regression/boost";
import {
  columnsOf,
  leaderColumns,
  writeFeatures,
  writeLeaderFeatures,
} from "../../../../capabilities/mlscaler/forecast/regression/lag-features";
import {
  ridge,
  spareRows,
  valueOf,
  widthOf,
  type Table,
} from "../../../../capabilities/mlscaler/forecast/regression/ridge";
import type { Expert, Refits } from "../../../../capabilities/mlscaler/forecast/models/expert";
import { Lags } from "../../../../capabilities/mlscaler/forecast/regression/lags";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";
import { season, series } from "./loads-by-slot";

/** A table of two features and a target without noise. */
function tableOf(rows: number, target: (one: number, other: number) => number): Table {
  const values = new Float64Array((rows + spareRows) * widthOf(2));
  for (let row = 0; row < rows; row++) {
    const [one, other] = [Math.sin(row), Math.cos(3 * row)];
    values.set([one, other, target(one, other), 1], row * 4);
  }
  return { columns: 2, rows, values };
}

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

it("grows trees for a live forecast alone, in the third of an hour that its phase names", () => {
  const [every, phase] = [12, 5];
  const lags = new Lags({ day: 24 }, 1, every, true, phase);
  const loads = new Loads(1000);
  const forecast = (of: Expert): number => (of.predict(loads, into), into[0] ?? NaN);
  const into = new Float64Array(1);
  /** The slots of `more` after which the trees change the forecast. */
  const grown = (refits: Refits, more: number[]): number[] =>
    more.flatMap(load => {
      loads.append(load);
      const refit = lags.refit(loads, refits);
      if (refit) runSlices(refit);
      return Object.is(forecast(lags), forecast(lags.boosted)) ? [] : loads.count;
    });
  const all = series(440, slot => season(slot) + ((slot * slot) % 7));
  expect(grown("seldom", all.slice(0, 400))).toEqual([]);
  expect(forecast(lags)).not.toBeNaN();
  // Slot 403 is the first of such a third, and in it the regression is refitted.
  expect(grown("live", all.slice(400))[0]).toBe(34 * every - phase + 1);
});

it("fits all slots once after a replay, in the third of an hour that its phase names", () => {
  const [every, phase] = [12, 5];
  const [lags, loads] = [new Lags({}, 1, every, false, phase), new Loads(4000)];
  const refits = (when: Refits, more: number[]): number[] =>
    more.flatMap(load => {
      loads.append(load);
      const refit = lags.refit(loads, when);
      if (refit) runSlices(refit);
      return refit ? loads.count : [];
    });
  const all = series(2524, slot => season(slot) + ((slot * slot) % 7));
  all.slice(0, 2499).forEach(load => loads.append(load));
  expect(refits("seldom", all.slice(2499, 2500))).toEqual([2500]);
  // Slot 2503 is the first of such a third.
  expect(refits("live", all.slice(2500))).toEqual([209 * every - phase]);
});

/** What is written of a season of so many slots, with -1234 where nothing is. */
const written = (slots: number, write: (loads: Loads, into: Float64Array) => void): number[] => {
  const loads = new Loads(700);
  series(slots, season).forEach(load => loads.append(load));
  const into = new Float64Array(64).fill(-1234);
  write(loads, into);
  return [...into];
};

describe("features fill their columns, and depend on no load after the origin", () => {
  it("of a load", () => {
    const seasons = fc.record({ day: fc.constantFrom(undefined, 24), week: fc.constantFrom(undefined, 168) });
    const [steps, origin] = [fc.integer({ min: 1, max: 200 }), fc.integer({ min: 400, max: 699 })];
    fc.assert(
      fc.property(seasons, steps, origin, (seasons, steps, origin) => {
        const features = (slots: number): number[] =>
          written(slots, (loads, into) => writeFeatures(loads, origin, steps, seasons, 100, into, 0));
        expect(features(700).indexOf(-1234)).toBe(columnsOf(seasons));
        expect(features(origin + 1)).toEqual(features(700));
      }),
    );
  });

  it("of a leading load", () => {
    const features = (slots: number): number[] =>
      written(slots, (loads, into) => writeLeaderFeatures(loads, 300, 100, into, 0));
    expect(features(700).indexOf(-1234)).toBe(leaderColumns);
    expect(features(301)).toEqual(features(700));
  });
});
