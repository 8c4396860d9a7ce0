import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaled, compare } from "../../../../cli/simulate/comparison";
import { coldStartsOf } from "../../../../cli/simulate/cold-starts";
import { scenarioOf } from "../../../../cli/simulate/scenario";
import { summaryOf } from "../../../../cli/simulate/summary";
import { textOf } from "../../../../cli/simulate/text";
import { Trace } from "../../../../cli/simulate/trace";
import type { AtZero } from "../../../../capabilities/mlscaler/backtest/autoscalers";
import type { Scenario } from "../../../../capabilities/mlscaler/backtest/scenario";
import { finished } from "./finished";

const traceOf = (loads: number[]): Trace => ({ startedAt: 0, step: 300_000, loads, notes: [] });

const specOf = (block: string): string => `
kind: MLScaler
spec:
  target_deployment: shop
  min_replicas: 0
  max_replicas: 20
  metrics:
    - type: External
      external: {metric: {name: requests}, target: {type: AverageValue, averageValue: "40"}}
${block}`;

const scenarioFor = (trace: Trace, block = "  scale_to_zero: {}"): Scenario =>
  scenarioOf(trace, { spec: { source: "spec", text: specOf(block) }, startUpSeconds: 180, historyPercent: 70 })
    .scenario;

/** Ten days of opening hours. */
const opening = traceOf(
  Array.from({ length: 10 * 288 }, (_, slot) => (slot % 288 >= 96 && slot % 288 < 216 ? 90 + (slot % 7) : 0)),
);

describe("the comparison of a target with opening hours", () => {
  const scenario = scenarioFor(opening);
  const comparison = finished(compare(opening, scenario));
  const found = coldStartsOf(opening, scenario, comparison);

  it("wakes each morning ahead by the forecast, and late without it", () => {
    if (!found) throw new Error("there are no cold starts");
    // Three mornings are judged.
    expect(found.cool_down.coldStarts).toHaveLength(3);
    expect(found.cool_down.wakes.map(({ kind }) => kind)).toEqual(["Late", "Late", "Late"]);
    expect(found.mlscaler.coldStarts).toHaveLength(0);
    expect(found.mlscaler.wakes.map(({ kind }) => kind)).toEqual(["Ahead", "Ahead", "Ahead"]);
    expect(found.always_one.coldStarts).toHaveLength(0);
    expect(found.perfect.coldStarts).toHaveLength(0);
    expect(found.perfect.idleReplicaHours).toBeLessThan(found.mlscaler.idleReplicaHours);
    expect(found.mlscaler.replicaHours).toBeLessThan(found.always_one.replicaHours);
  });

  it("says so in the text and in the summary", () => {
    const summary = summaryOf("opening.csv", opening, scenario, comparison, []);
    expect(summary.zero).toMatchObject({
      ...{ threshold: 0, cooldown_seconds: 300 },
      policies: { cool_down: { cold_starts: 3, wakes_late: 3 }, mlscaler: { cold_starts: 0, wakes_ahead: 3 } },
    });
    const text = textOf(summary);
    expect(text).toMatch(/^cool-down 5 min \(KEDA\) +3 /m);
    expect(text).toContain("The load met no Ready replica in 0 cold starts instead of 3,");
  });
});

describe("the rules at 0 replicas in a replay", () => {
  const load = fc.oneof(fc.constant(0), fc.constant(0), fc.constant(NaN), fc.double({ min: 1, max: 200, noNaN: true }));
  const loads = fc.array(load, { minLength: 12, maxLength: 40 }).map(loads => [...loads, 1]);
  const summed = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0);

  it("keep at least as many replicas with any forecast as without one", () => {
    const ahead = fc.option(
      fc.record({
        upper: fc.double({ min: 0, max: 200, noNaN: true }),
        more: fc.double({ min: 0, max: 9, noNaN: true }),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(loads, fc.array(ahead, { minLength: 60, maxLength: 60 }), (loads, given) => {
        const scenario = scenarioFor(traceOf(loads));
        const atZero = given.map(
          one =>
            one && ({ trusted: true, upper: one.upper, idleUpper: one.upper + one.more, noise: 0 } satisfies AtZero),
        );
        const without = scaled(loads, {}, scenario).replicas;
        const uppers = given.map(one => one?.upper);
        const { replicas } = scaled(loads, { foreseen: uppers, atZero }, scenario);
        for (const [sync, count] of without.entries()) if (count > 0) expect(replicas[sync]).toBeGreaterThan(0);
        const none = scaled(loads, { foreseen: [], atZero: [] }, scenario);
        expect(summed(none.replicas)).toBe(summed(without));
      }),
      { numRuns: 30 },
    );
  });

  it("leave the last replica in a gap, and take it when the cool-down has passed", () => {
    const idle = traceOf([...Array<number>(8).fill(30), 0, NaN, NaN, 0, 0, 0, 0]);
    const scenario = { ...scenarioFor(idle), from: 7 };
    const { replicas } = scaled(idle.loads, {}, scenario);
    const slots = replicas.filter((_, sync) => sync % scenario.syncsPerStep === scenario.syncsPerStep - 1);
    // The cool-down of 300 s begins when the first slot without load is over. In the gap it is unknown, and restarts.
    expect(slots).toEqual([1, 1, 1, 1, 1, 0, 0]);
  });
});
