import fc from "fast-check";
import { expect, it } from "vitest";
import { risesOf } from "../../../../capabilities/mlscaler/backtest/rises";
import type { Scenario } from "../../../../capabilities/mlscaler/backtest/scenario";

const scenario = (maxExtraPercent?: number): Scenario => ({
  ...{ capacity: 1, utilization: 1, startUpSeconds: 60, syncsPerStep: 1, historySize: 5, from: 0, maxExtraPercent },
  bounds: { min: 1, max: 1000 },
  forecast: { model: "last", step: 300_000, horizon: 1, quantile: 0.9 },
});

it("counts the rises that a forecast asks for, and those that max_extra_percent holds back", () => {
  const loads = [10, 10, 50, 10, 10, 14, NaN, 10, 10];
  const foreseen = [10, 60, 60, 10, 16, 14, 90, undefined, 12];
  // To 60 from 10, and to 16 from 10.
  expect(risesOf(loads, foreseen, scenario(100))).toEqual({ all: 2, heldBack: 1 });
  expect(risesOf(loads, foreseen, scenario(20))).toEqual({ all: 2, heldBack: 2 });
  expect(risesOf(loads, foreseen, scenario(0))).toEqual({ all: 3, heldBack: 3 });
  expect(risesOf(loads, foreseen, scenario())).toEqual({ all: 2, heldBack: 0 });
});

it("holds nothing back without a limit, and no more than there are rises with one", () => {
  const load = fc.oneof(fc.double({ min: 0, max: 1e4, noNaN: true }), fc.constant(NaN));
  const loads = fc.array(fc.tuple(load, fc.option(load, { nil: undefined })), { maxLength: 50 });
  fc.assert(
    fc.property(loads, fc.nat(1000), (given, percent) => {
      const [now, foreseen] = [given.map(([one]) => one), given.map(([, one]) => one)];
      expect(risesOf(now, foreseen, scenario()).heldBack).toBe(0);
      const { all, heldBack } = risesOf(now, foreseen, scenario(percent));
      expect(heldBack).toBeLessThanOrEqual(all);
    }),
  );
});
