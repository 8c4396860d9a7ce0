import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Figures, Workload } from "../../../capabilities/mlscaler/backtest/replay";
import { simulate, Simulation } from "../../bench/simulation";
import given from "./simulation-vectors.json";

/** Synthetic loads, forecasts by step of the next loads, and the results of the reference implementation in Python. */
const vectors = z
  .array(
    z.object({
      ...{ name: z.string(), c: z.number(), d: z.int(), step: z.int(), y: z.array(z.number()) },
      Q: z.array(z.array(z.number())),
      outcomes: z
        .array(
          z.object({
            ...{ policy: z.enum(["reactive", "pred", "hybrid"]), u: z.number() },
            expect: z.record(z.enum(["under", "unserved", "rh", "over", "actions"]), z.number()),
            ...{ replicas: z.array(z.int()), ready: z.array(z.int()) },
          }),
        )
        .length(3),
    }),
  )
  .length(2)
  .parse(given)
  .flatMap(({ outcomes, ...rest }) => outcomes.map(outcome => ({ ...rest, ...outcome })));

describe("simulate", () => {
  it.each(vectors)("equals the reference: $name, $policy", ({ y, c, u, d, step, policy, Q, ...wanted }) => {
    const outcome = simulate({
      ...{ loads: y, capacity: c, utilization: u, startUpSteps: d, stepSeconds: step, from: 0 },
      policy: policy === "pred" ? "predictive" : policy,
      quantiles: policy === "reactive" ? undefined : y.map((_, slot) => Q.map(ofStep => ofStep[slot] ?? NaN)),
    });
    expect([outcome.replicas, outcome.ready]).toEqual([wanted.replicas, wanted.ready]);
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

/** Perfect forecasts: the loads of the next steps, until new replicas are ready. */
const perfect = ({ loads, startUpSteps }: Workload): number[][] =>
  Array.from({ length: loads.length }, (_, slot) =>
    Array.from({ length: startUpSteps + 1 }, (_, step) => loads[slot + step + 1] ?? 0),
  );

const sane = ({ replicas, ready, underProvisionedPercent, unservedPercent, ...rest }: Figures): void => {
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

describe("the figures of a simulation", () => {
  it("have at least one ready replica, and never serve all load at less cost than the oracle", () => {
    const comparison = fc
      .tuple(
        workload,
        fc.constantFrom<Simulation["policy"]>("reactive", "predictive", "hybrid"),
        fc.double({ min: 0.1, max: 2, noNaN: true }),
      )
      .map(([given, policy, utilization]) => ({ ...given, policy, utilization, quantiles: perfect(given) }));
    fc.assert(fc.property(comparison, given => sane(simulate(given))));
  });

  it("have no lost load with a perfect forecast and unlimited growth", () => {
    fc.assert(
      fc.property(workload, given => {
        const loads = Array.from(given.loads);
        // No forecast precedes the first slots, so their load must be 0.
        const calm = [...Array.from({ length: given.startUpSteps + 1 }, () => 0), ...loads];
        const capacity = Math.max(given.capacity, Math.max(...loads) / 5);
        const steady = { ...given, loads: calm, capacity };
        const outcome = simulate({ ...steady, policy: "predictive", utilization: 1, quantiles: perfect(steady) });
        expect(outcome.underProvisionedPercent).toBe(0);
      }),
    );
  });
});
