import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LastDay, lastDay, Replayed } from "../../../../capabilities/mlscaler/backtest/last-day";
import { Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { metricNamed } from "../../../../capabilities/mlscaler/metrics/registry";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";

const day = 288;

/** A model that learns `rising` in a sixth of the time of auto. */
const forecast: Settings = { model: "holt_winters", step: 300_000, horizon: 1, quantile: 0.9 };

/** Days of a load that rises at noon, with a little noise that does not repeat. */
const rising = (days: number, high = 100, low = 40): number[] =>
  Array.from({ length: days * day }, (_, slot) => {
    const time = slot % day;
    return (time >= 144 && time < 200 ? high : low) + ((slot * 7919) % 13) / 2;
  });

const replayedOf = (means: number[], change: Partial<Replayed> = {}): Replayed => ({
  loads: [{ means, capacity: 10 }],
  metrics: [],
  forecast,
  maxExtraPercent: 300,
  bounds: { min: 1, max: 100 },
  startUpSeconds: 60,
  syncPeriodSeconds: 60,
  ...change,
});

const run = (replayed: Replayed): LastDay | undefined => runSlices(lastDay(replayed));

function scored(replayed: Replayed): LastDay {
  const found = run(replayed);
  if (!found) throw new Error("nothing was scored");
  return found;
}

describe("lastDay", () => {
  it("under-provisions less than HPA with a forecast of a load that rises every day", () => {
    const { mlscaler, hpa, trusted } = scored(replayedOf(rising(9), { forecast: { ...forecast, model: "auto" } }));
    expect(trusted).toBe(1);
    expect(hpa.underProvisionedPercent).toBeGreaterThan(0);
    expect(mlscaler.underProvisionedPercent).toBeLessThan(hpa.underProvisionedPercent);
    expect(mlscaler.replicaHours).toBeGreaterThan(hpa.replicaHours);
  });

  it("learns nothing of the scored day: a new rise under-provisions it as it does HPA", () => {
    const calm = rising(8, 40);
    const { mlscaler, hpa } = scored(replayedOf([...calm, ...rising(1, 200)]));
    expect(hpa.underProvisionedPercent).toBeGreaterThan(0);
    expect(mlscaler.underProvisionedPercent).toBeGreaterThan(hpa.underProvisionedPercent / 2);
  });

  it("never scales for a steady load, and costs its needed replicas", () => {
    const steady = Array<number>(4 * day).fill(45);
    for (const { replicaHours, ...rest } of Object.values(
      scored(replayedOf(steady, { forecast: { historySize: 5 } })),
    )) {
      expect(rest).toEqual({ underProvisionedPercent: 0, scalings: 0 });
      expect(replicaHours).toBeCloseTo(5 * 24, 6);
    }
  });

  it("under-provisions at max_replicas", () => {
    const { mlscaler, hpa } = scored(replayedOf(rising(4), { bounds: { min: 1, max: 8 } }));
    expect(mlscaler.underProvisionedPercent).toBeCloseTo((100 * 56) / day, 0);
    expect(mlscaler.underProvisionedPercent).toBeLessThanOrEqual(hpa.underProvisionedPercent);
  });

  it("scales for the load with the highest count, in any unit", () => {
    const means = rising(2);
    const one = scored(replayedOf(means));
    const inMegabytes = { means: means.map(load => load * 1e6), capacity: 10e6 };
    const lower = { means: means.map(load => load / 2), capacity: 10 };
    expect(scored(replayedOf(means, { loads: [inMegabytes] })).hpa).toEqual(one.hpa);
    expect(scored(replayedOf(means, { loads: [{ means, capacity: 10 }, lower] })).hpa).toEqual(one.hpa);
    // A load with a longer history does not shift the other one.
    expect(
      scored(replayedOf(means, { loads: [{ means: [...rising(2), ...means], capacity: 10 }, lower] })).hpa,
    ).toEqual(one.hpa);
  });

  it("replays the line of the short form at its own period", () => {
    const means = rising(3);
    const shortForm = { metrics: [metricNamed("cpu", 10)], forecast: { historySize: 5 } };
    const { mlscaler, hpa, trusted } = scored(replayedOf(means, shortForm));
    expect(trusted).toBeUndefined();
    expect(mlscaler.underProvisionedPercent).toBeLessThanOrEqual(hpa.underProvisionedPercent);
    expect(mlscaler.scalings).toBeGreaterThan(0);
  });

  it("yields often", () => {
    const work = lastDay(replayedOf(rising(4)));
    let steps = 0;
    while (!work.next().done) steps++;
    expect(steps).toBeGreaterThan(2 * day);
  });

  it("is undefined for less than a day, and for a day with more than half unknown", () => {
    expect(run(replayedOf(rising(1)))).toBeUndefined();
    const gaps = rising(3).map((load, slot) => (slot > 2 * day + 100 ? NaN : load));
    expect(run(replayedOf(gaps))).toBeUndefined();
    expect(run(replayedOf(rising(3), { loads: [{ means: rising(3), capacity: NaN }] }))).toBeUndefined();
  });

  it("stays within the bounds, and equals HPA while the forecast does not act, for any load", () => {
    const load = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 300 }) }, fc.constant(NaN));
    const given = fc.record({
      means: fc.array(load, { minLength: day + 1, maxLength: day + 40 }),
      bounds: fc
        .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 20 }))
        .map(([min, more]) => ({ min, max: min + more })),
      startUpSeconds: fc.constantFrom(0, 40, 300, 1000),
      syncPeriodSeconds: fc.constantFrom(15, 60, 300, 3600),
    });
    fc.assert(
      fc.property(given, ({ means, ...change }) => {
        const found = run(
          replayedOf(means, { ...change, forecast: { ...forecast, model: "last", actAfter: 9 * day } }),
        );
        if (!found) return;
        const { mlscaler, hpa, trusted } = found;
        expect(trusted).toBe(0);
        expect(mlscaler).toEqual(hpa);
        expect(hpa.replicaHours).toBeGreaterThanOrEqual(24 * change.bounds.min - 1e-6);
        expect(hpa.replicaHours).toBeLessThanOrEqual(24 * change.bounds.max + 1e-6);
      }),
      { numRuns: 10 },
    );
  });
});
