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
