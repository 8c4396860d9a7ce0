import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Comparison, Outcome, replay, simulate, Workload } from "../../../../capabilities/mlscaler/backtest/simulation";
import given from "./simulation-vectors.json";

/** Made-up loads with what the reference in Python made of them. */
const vectors = z
  .array(
    z.object({
      name: z.string(),
      y: z.array(z.number()),
      c: z.number(),
      u: z.number(),
      d: z.int(),
      step: z.int(),
      policy: z.enum(["reactive", "pred", "hybrid"]),
      Q: z.array(z.array(z.number())).nullable(),
      expect: z.object({
        under: z.number(),
        unserved: z.number(),
        rh: z.number(),
        over: z.number(),
        actions: z.number(),
      }),
      spec_ready: z.array(z.tuple([z.int(), z.int()])),
    }),
  )
  .length(6)
  .parse(given);

describe("the simulation that forecasts are compared in", () => {
  it.each(vectors)("is that of the reference: $name, $policy", ({ y, c, u, d, step, policy, Q, ...wanted }) => {
    const outcome = simulate({
      loads: y,
      capacity: c,
      utilization: u,
      startUpSteps: d,
      stepSeconds: step,
      from: 0,
      policy: policy === "pred" ? "predictive" : policy,
      quantiles: Q ?? undefined,
    });
    const { replicas, ready } = outcome;
    expect(replicas.map((count, slot) => [count, ready[slot]])).toEqual(wanted.spec_ready);
    const rounded = (value: number): number => Number(value.toFixed(9));
    expect({
      under: rounded(outcome.underProvisionedPercent),
      unserved: rounded(outcome.unservedPercent),
      rh: rounded(outcome.replicaHoursRatio),
      over: rounded(outcome.overProvisionedPercent),
      actions: rounded(outcome.actionsPerDay),
    }).toEqual(wanted.expect);
  });
});

const load = fc.double({ min: 0, max: 1e6, noNaN: true });

const workload: fc.Arbitrary<Workload> = fc.record({
  loads: fc.array(load, { minLength: 2, maxLength: 60 }),
  capacity: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
  startUpSteps: fc.integer({ min: 0, max: 5 }),
  stepSeconds: fc.constantFrom(15, 60, 300, 1800),
  from: fc.constant(0),
});

/** The highest of the loads that replicas have to be ready for: those of the steps up to that of their own start. */
const perfect = ({ loads, startUpSteps }: Workload): number[][] =>
  Array.from({ length: loads.length }, (_, slot) =>
    Array.from({ length: startUpSteps + 1 }, (_, step) => loads[slot + step + 1] ?? 0),
  );

const sane = ({ replicas, ready, underProvisionedPercent, unservedPercent, ...rest }: Outcome): void => {
  for (const [slot, count] of replicas.entries()) {
    expect(count).toBeGreaterThanOrEqual(1);
    expect(ready[slot]).toBeGreaterThanOrEqual(1);
    expect(ready[slot]).toBeLessThanOrEqual(count);
  }
  for (const percent of [underProvisionedPercent, unservedPercent]) {
    expect(percent).toBeGreaterThanOrEqual(0);
    expect(percent).toBeLessThanOrEqual(100);
  }
  if (underProvisionedPercent === 0) expect(rest.replicaHoursRatio).toBeGreaterThanOrEqual(1);
  expect(Object.values(rest).every(Number.isFinite)).toBe(true);
};

describe("a simulation", () => {
  it("keeps at least one replica ready, and never serves all for less than the oracle", () => {
    const comparison = fc
      .tuple(
        workload,
        fc.constantFrom<Comparison["policy"]>("reactive", "predictive", "hybrid"),
        fc.double({ min: 0.1, max: 2, noNaN: true }),
      )
      .map(([given, policy, utilization]) => ({ ...given, policy, utilization, quantiles: perfect(given) }));
    fc.assert(fc.property(comparison, given => sane(simulate(given))));
  });

  it("loses nothing by a perfect forecast where growth is not limited", () => {
    fc.assert(
      fc.property(workload, given => {
        const loads = Array.from(given.loads);
        // Nothing is known before the first slots: they cannot be prepared for.
        const calm = [...Array.from({ length: given.startUpSteps + 1 }, () => 0), ...loads];
        const capacity = Math.max(given.capacity, Math.max(...loads) / 5);
        const steady = { ...given, loads: calm, capacity };
        const outcome = simulate({ ...steady, policy: "predictive", utilization: 1, quantiles: perfect(steady) });
        expect(outcome.underProvisionedPercent).toBe(0);
      }),
    );
  });

  it("serves the slot after the next with replicas that take one step to start", () => {
    const given = { loads: [1, 5, 5, 5], capacity: 1, startUpSteps: 1, stepSeconds: 300, from: 0 };
    const outcome = replay(given, 1, () => 5);
    expect(outcome.replicas).toEqual([5, 5, 5]);
    expect(outcome.ready).toEqual([1, 5, 5]);
    expect(outcome.unservedPercent).toBeCloseTo((100 * 4) / 15, 12);
    expect(outcome.replicaHoursRatio).toBe(1);
  });

  it("removes first what is not ready yet", () => {
    const wanted = [4, 6, 3, 3];
    const given = { loads: [1, 1, 1, 1, 1], capacity: 1, startUpSteps: 2, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, slot => wanted[slot] ?? 0);
    expect(outcome.replicas).toEqual(wanted);
    expect(outcome.ready).toEqual([2, 2, 3, 3]);
  });

  it("judges no gap", () => {
    const given = { loads: [1, NaN, 3, NaN], capacity: 1, startUpSteps: 0, stepSeconds: 60, from: 0 };
    const outcome = replay(given, 2, (_, replicas) => replicas);
    expect(outcome.underProvisionedPercent).toBe(100);
    expect(outcome.unservedPercent).toBeCloseTo(100 / 3, 12);
  });
});
