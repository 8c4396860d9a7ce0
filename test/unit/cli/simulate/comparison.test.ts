import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compare, contendersIn, PolicyComparison, scaled } from "../../../../cli/simulate/comparison";
import { autoscalerOf } from "../../../../capabilities/mlscaler/backtest/autoscalers";
import { assistedOf } from "../../../../cli/simulate/beside-hpa";
import { Scenario } from "../../../../capabilities/mlscaler/backtest/scenario";
import { scenarioOf } from "../../../../cli/simulate/scenario";
import { replay } from "../../../../capabilities/mlscaler/backtest/replay";
import { Trace } from "../../../../cli/simulate/trace";
import { finished } from "./finished";

const minute = 60_000;
const traceOf = (loads: number[], step = 5 * minute): Trace => ({ startedAt: 0, step, loads, notes: [] });

function compared(trace: Trace, change: Partial<Scenario> = {}): PolicyComparison {
  const { scenario } = scenarioOf(trace, { startUpSeconds: 180, historyPercent: 70, capacity: 10 });
  return finished(compare(trace, { ...scenario, ...change }));
}

/** Days of a load that leaps at the same hour of each, and a little noise that does not repeat. */
const days = Array.from(
  { length: 7 * 96 },
  (_, slot) => (slot % 96 > 36 && slot % 96 < 70 ? 150 : 40) + ((slot * 7919) % 13),
);
const daily = traceOf(days, 15 * minute);

describe("compare", () => {
  /** A sync a minute: finer ones take longer and decide the same. */
  const syncsPerStep = 15;
  const ofDaily = compared(daily, { syncsPerStep });

  it("shows what a forecast of a daily load is worth", () => {
    const { standings, atCostOfHpa } = ofDaily;
    const { hpa, mlscaler, perfect } = standings;
    expect(hpa.unservedPercent).toBeGreaterThan(1);
    expect(mlscaler.unservedPercent).toBeLessThan(hpa.unservedPercent / 2);
    expect(perfect.unservedPercent).toBeLessThanOrEqual(mlscaler.unservedPercent);
    expect(mlscaler.foresight).toMatchObject({ trusted: 1 });
    expect(mlscaler.foresight?.skill).toBeGreaterThan(0.2);
    expect(perfect.foresight).toMatchObject({ skill: 1, coverage: 1 });
    expect(atCostOfHpa?.unservedPercent).toBeLessThan(hpa.unservedPercent);
  });

  it("names no target above 100 %, which no replica can use", () => {
    const short = traceOf(days.slice(0, 4 * 96), 15 * minute);
    expect(compared(short, { syncsPerStep: 3, utilization: 1 })).toMatchObject({ atCostOfHpa: undefined });
  });

  it("gives an HPA with a raised minimum about what an MLScaler gives the target itself", () => {
    const { hpa, assist, mlscaler } = ofDaily.standings;
    expect(assist.unservedPercent).toBeLessThan(hpa.unservedPercent / 2);
    expect(assist.replicaHoursRatio / mlscaler.replicaHoursRatio).toBeCloseTo(1, 1);
    // Its loop is another one: the HPA sees a minimum one sync later.
    expect(assist.replicas).not.toEqual(mlscaler.replicas);
  });

  it("tells how often max_extra_percent held the forecast back, and what is unserved without it", () => {
    expect(ofDaily).not.toHaveProperty("heldBack");
    const { standings, heldBack } = compared(daily, { syncsPerStep, maxExtraPercent: 50 });
    expect(heldBack).toMatchObject({
      heldBack: heldBack?.all,
      unservedPercent: ofDaily.standings.mlscaler.unservedPercent,
    });
    expect(heldBack?.all).toBeGreaterThanOrEqual(2);
    expect(standings.mlscaler.unservedPercent).toBeGreaterThan(2 * (heldBack?.unservedPercent ?? NaN));
  });

  it("shows what nodes that are asked for before pods are worth", () => {
    const trace = traceOf(days.slice(0, 4 * 96), 15 * minute);
    const nodes = { replicas: 1, startUpSeconds: 1200 };
    const { scenario } = scenarioOf(trace, { startUpSeconds: 180, historyPercent: 70, capacity: 10, nodes });
    const { standings, atCostOfHpa } = finished(compare(trace, { ...scenario, syncsPerStep: 5 }));
    const { hpa, hpa_buffer: fixed, hpa_forecast_buffer: beside, mlscaler_buffer: ours } = standings;
    expect(fixed?.unservedPercent).toBeLessThan(hpa.unservedPercent);
    expect(fixed?.nodeHoursRatio).toBeGreaterThan(1.1 * (hpa.nodeHoursRatio ?? NaN));
    expect(ours?.unservedPercent).toBeLessThan(0.5 * (fixed?.unservedPercent ?? NaN));
    // The HPA that stays as it is has the same replicas, and nodes for them sooner.
    expect(beside?.replicas).toEqual(hpa.replicas);
    expect(beside?.unservedPercent).toBeLessThan(hpa.unservedPercent);
    expect(atCostOfHpa?.unservedPercent).toBeLessThan(hpa.unservedPercent);
    expect(ofDaily.standings).not.toHaveProperty("mlscaler_buffer");
  });

  it("keeps within the bounds, and serves all for no less than the oracle, whatever the load", () => {
    const load = fc.oneof({ weight: 9, arbitrary: fc.double({ min: 0, max: 300, noNaN: true }) }, fc.constant(NaN));
    const given = fc.record({
      // The last one is there, so that something is judged.
      loads: fc.array(load, { minLength: 12, maxLength: 40 }).map(loads => [...loads, 1]),
      bounds: fc
        .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 20 }))
        .map(([min, more]) => ({ min, max: min + more })),
      startUpSeconds: fc.constantFrom(0, 40, 300, 1000),
    });
    fc.assert(
      fc.property(given, ({ loads, ...change }) => {
        const { standings } = compared(traceOf(loads), change);
        for (const [, { replicas, ready, underProvisionedPercent, replicaHoursRatio }] of contendersIn(standings)) {
          expect(Math.min(...replicas)).toBeGreaterThanOrEqual(change.bounds.min);
          expect(Math.max(...replicas)).toBeLessThanOrEqual(change.bounds.max);
          expect(ready.every((count, sync) => count >= 1 && count <= (replicas[sync] ?? 0))).toBe(true);
          if (underProvisionedPercent === 0) expect(replicaHoursRatio).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 15 },
    );
  });

  it("depends on no later load", () => {
    const cut = days.length - 40;
    const other = traceOf(
      days.map((load, slot) => (slot > cut ? 500 - load : load)),
      15 * minute,
    );
    const [one, two] = [ofDaily, compared(other, { syncsPerStep })];
    for (const contender of ["hpa", "short_form", "assist", "mlscaler"] as const) {
      const until = one.standings[contender].replicas.length - 39 * syncsPerStep;
      expect(two.standings[contender].replicas.slice(0, until)).toEqual(
        one.standings[contender].replicas.slice(0, until),
      );
    }
  });
});

describe("an HPA with a raised minimum", () => {
  it("rises a sync after a forecast asks for it, and falls after the window", () => {
    const loads = Array<number>(60).fill(20);
    const { scenario } = scenarioOf(traceOf(loads, minute), { capacity: 10, startUpSeconds: 0, historyPercent: 0 });
    const foreseen = loads.map((load, slot) => (slot === 10 ? 3 * load : load));
    const autoscaler = assistedOf(loads, { foreseen }, { ...scenario, utilization: 1, syncsPerStep: 1 });
    let current = 2;
    const counts = loads.map((_, sync) => (current = autoscaler(sync, current).replicas));
    // It stays for the window of the plan and for that of the HPA.
    const risen = counts.flatMap((count, sync) => (count > 2 ? [sync] : []));
    expect(risen[0]).toBe(11);
    expect(Math.max(...counts)).toBe(6);
    expect(risen.length).toBeGreaterThanOrEqual(5);
    expect(counts.at(-1)).toBe(2);
  });
});

describe("an autoscaler", () => {
  const { scenario } = scenarioOf(traceOf(Array<number>(100).fill(80)), {
    startUpSeconds: 0,
    historyPercent: 50,
    capacity: 10,
  });
  const { syncsPerStep } = scenario;
  /** The counts after each sync from the end of the first slot on, by HPA's rule. */
  const counts = (loads: number[], first: number): number[] => {
    const bySync = loads.flatMap(load => Array<number>(syncsPerStep).fill(load));
    const workload = { loads: bySync, capacity: 10, startUpSteps: 0, stepSeconds: 15, from: syncsPerStep - 1 };
    return replay(workload, first, autoscalerOf(loads, {}, scenario)).replicas;
  };

  it("knows the load of a slot when it is over, and leaves a tenth to tolerance", () => {
    const replicas = counts([80, 86, 90, 90], 10);
    const changed = replicas.findIndex(count => count !== 10);
    expect([changed / syncsPerStep, replicas[changed]]).toEqual([2, 12]);
  });

  it("keeps the count in a gap", () => {
    expect(new Set(counts([80, NaN, NaN, NaN, 8], 10))).toEqual(new Set([10]));
  });
});

it("a forecast on trial acts for a day, and no more where HPA alone is never short of replicas", () => {
  const day = 24 * 12;
  const loads = Array<number>(2 * day).fill(40);
  const { scenario } = scenarioOf(traceOf(loads), { startUpSeconds: 180, historyPercent: 70, capacity: 10 });
  // The forecast asks for three more all the time.
  const policy = { foreseen: loads.map(load => load + 30), stepsBack: true };
  const { replicas } = scaled(loads, policy, { ...scenario, from: 0, syncsPerStep: 1 });
  const [first, last] = [replicas[day - 20], replicas.at(-1)];
  expect(first).toBeGreaterThanOrEqual((last ?? NaN) + 3);
  expect(last).toBe(5);
});
