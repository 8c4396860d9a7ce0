import { describe, expect, it } from "vitest";
import { Scenario } from "../../../../capabilities/mlscaler/backtest/scenario";
import { averageReplicas, compare } from "../../../../cli/simulate/comparison";
import { scenarioOf } from "../../../../cli/simulate/scenario";
import { Trace } from "../../../../cli/simulate/trace";
import { otherQuantiles, tradeOffOf } from "../../../../cli/simulate/trade-off";
import { finished } from "./finished";

/** Days of a load that leaps at the same hour of each, with noise that does not repeat. */
const trace: Trace = {
  startedAt: 0,
  step: 900_000,
  loads: Array.from({ length: 4 * 96 }, (_, slot) => (slot % 96 > 36 ? 150 : 40) + ((slot * 7919) % 13)),
  notes: [],
};

/** With a sync a minute: finer ones take longer and decide the same. */
const scenarioAt = (utilizationPercent: number): Scenario => ({
  ...scenarioOf(trace, { startUpSeconds: 180, historyPercent: 70, capacity: 10, utilizationPercent }).scenario,
  // A spec that names its quantile.
  ...{ syncsPerStep: 15, others: undefined },
});

describe("tradeOffOf", () => {
  const scenario = scenarioAt(80);
  const comparison = finished(compare(trace, scenario, otherQuantiles(scenario)));
  const { utilizations, quantiles, chosen, hpa, mlscaler } = finished(tradeOffOf(trace, scenario, comparison));

  it("has the outcome of the comparison at its utilization and quantile", () => {
    expect([utilizations, quantiles]).toEqual([
      [60, 70, 80, 90, 100],
      [60, 90, 95],
    ]);
    const { standings } = comparison;
    for (const [outcome, standing] of [
      [hpa[chosen.utilization], standings.hpa],
      [mlscaler[chosen.quantile]?.[chosen.utilization], standings.mlscaler],
    ] as const) {
      expect(outcome?.replicas).toBeCloseTo(averageReplicas(standing, trace, scenario), 3);
      expect(outcome?.unservedPercent).toBeCloseTo(standing.unservedPercent, 4);
    }
  });

  it("costs less at a higher utilization, and no less at a higher quantile", () => {
    for (const outcomes of [hpa, ...mlscaler])
      for (const [index, { replicas }] of outcomes.slice(1).entries())
        expect(replicas).toBeLessThan(outcomes[index]?.replicas ?? NaN);
    for (const [index, outcomes] of mlscaler.slice(1).entries())
      for (const [at, { replicas }] of outcomes.entries())
        expect(replicas).toBeGreaterThanOrEqual(mlscaler[index]?.[at]?.replicas ?? NaN);
  });

  it("has the same outcome as a comparison with another utilization and quantile", () => {
    const other = scenarioAt(90);
    const { standings } = finished(compare(trace, other));
    expect(mlscaler[chosen.quantile]?.[utilizations.indexOf(90)]?.replicas).toBeCloseTo(
      averageReplicas(standings.mlscaler, trace, other),
      3,
    );
    const higher = { ...scenario, forecast: { ...scenario.forecast, quantile: 0.95 } };
    const { replicas } = mlscaler[quantiles.indexOf(95)]?.[chosen.utilization] ?? { replicas: NaN };
    const own = averageReplicas(finished(compare(trace, higher)).standings.mlscaler, trace, higher);
    // Which of two quantiles applies depends a little on the quantile that the forecaster is set to.
    expect(Math.abs(replicas / own - 1)).toBeLessThan(0.02);
  });

  it("tries no utilization above 100 %, unless it is that of the scenario", () => {
    const short = { ...trace, loads: trace.loads.slice(0, 96) };
    const over = { ...scenarioAt(150), from: 67 };
    const found = finished(tradeOffOf(short, over, finished(compare(short, over))));
    expect(found.utilizations).toEqual([150]);
  });
});
