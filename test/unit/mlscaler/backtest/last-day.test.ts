import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LastDay, lastDay, Replayed } from "../../../../capabilities/mlscaler/backtest/last-day";
import { Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";

const day = 288;

const forecast: Settings = { model: "auto", step: 300_000, horizon: 1, quantile: 0.9 };

/** So many days of a load that leaps at noon, with a little noise that does not repeat. */
const leaping = (days: number, high = 100, low = 40): number[] =>
  Array.from({ length: days * day }, (_, slot) => {
    const time = slot % day;
    return (time >= 144 && time < 200 ? high : low) + ((slot * 7919) % 13) / 2;
  });

const replayedOf = (means: number[], change: Partial<Replayed> = {}): Replayed => ({
  loads: [{ means, capacity: 10 }],
  rule: "hpa",
  forecast,
  maxExtraPercent: 300,
  bounds: { min: 1, max: 100 },
  startUpSeconds: 60,
  syncPeriodSeconds: 30,
  ...change,
});

function run(replayed: Replayed): LastDay | undefined {
  const work = lastDay(replayed);
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}

function judged(replayed: Replayed): LastDay {
  const found = run(replayed);
  if (!found) throw new Error("nothing was judged");
  return found;
}

describe("lastDay", { timeout: 60_000 }, () => {
  it("shows what a forecast is worth for a load that leaps every day", () => {
    const { mlscaler, hpa, trusted } = judged(replayedOf(leaping(9)));
    expect(trusted).toBe(1);
    expect(hpa.underProvisionedPercent).toBeGreaterThan(0);
    expect(mlscaler.underProvisionedPercent).toBeLessThan(hpa.underProvisionedPercent);
    expect(mlscaler.replicaHours).toBeGreaterThan(hpa.replicaHours);
  });

  it("has learnt nothing of the day that is judged: a leap that is new finds it as it finds an HPA", () => {
    const calm = leaping(8, 40);
    const { mlscaler, hpa } = judged(replayedOf([...calm, ...leaping(1, 200)]));
    expect(hpa.underProvisionedPercent).toBeGreaterThan(0);
    expect(mlscaler.underProvisionedPercent).toBeGreaterThan(hpa.underProvisionedPercent / 2);
  });

  it("costs a steady load what it needs, and scales nothing", () => {
    const steady = Array<number>(4 * day).fill(45);
    for (const { replicaHours, ...rest } of Object.values(
      judged(replayedOf(steady, { forecast: { historySize: 5 } })),
    )) {
      expect(rest).toEqual({ underProvisionedPercent: 0, scalings: 0 });
      expect(replicaHours).toBeCloseTo(5 * 24, 6);
    }
  });

  it("shows what too few replicas leave", () => {
    const { mlscaler, hpa } = judged(replayedOf(leaping(4), { bounds: { min: 1, max: 8 } }));
    expect(mlscaler.underProvisionedPercent).toBeCloseTo((100 * 56) / day, 0);
    expect(mlscaler.underProvisionedPercent).toBeLessThanOrEqual(hpa.underProvisionedPercent);
  });

  it("scales for the load that asks for the most, whatever it is counted in", () => {
    const means = leaping(4);
    const one = judged(replayedOf(means));
    const inMegabytes = { means: means.map(load => load * 1e6), capacity: 10e6 };
    const lower = { means: means.map(load => load / 2), capacity: 10 };
    expect(judged(replayedOf(means, { loads: [inMegabytes] })).hpa).toEqual(one.hpa);
    expect(judged(replayedOf(means, { loads: [{ means, capacity: 10 }, lower] })).hpa).toEqual(one.hpa);
    // What is older on one side does not move the other.
    expect(
      judged(replayedOf(means, { loads: [{ means: [...leaping(2), ...means], capacity: 10 }, lower] })).hpa,
    ).toEqual(one.hpa);
  });

  it("replays the line of the short form at its own period", () => {
    const means = leaping(3);
    const shortForm = { rule: "short form", forecast: { historySize: 5 } } as const;
    const { mlscaler, hpa, trusted } = judged(replayedOf(means, shortForm));
    expect(trusted).toBeUndefined();
    expect(mlscaler.underProvisionedPercent).toBeLessThanOrEqual(hpa.underProvisionedPercent);
    expect(mlscaler.scalings).toBeGreaterThan(0);
  });

  it("gives way often", () => {
    const work = lastDay(replayedOf(leaping(9)));
    let steps = 0;
    while (!work.next().done) steps++;
    expect(steps).toBeGreaterThan(2 * day);
  });

  it("says nothing of less than a day, or of one of which half is not known", () => {
    expect(run(replayedOf(leaping(1)))).toBeUndefined();
    const gaps = leaping(3).map((load, slot) => (slot > 2 * day + 100 ? NaN : load));
    expect(run(replayedOf(gaps))).toBeUndefined();
    expect(run(replayedOf(leaping(3), { loads: [{ means: leaping(3), capacity: NaN }] }))).toBeUndefined();
  });

  it("stays within the bounds, and does as an HPA where the forecast is no better than the last value, whatever the load", () => {
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
        const found = run(replayedOf(means, { ...change, forecast: { ...forecast, model: "last" } }));
        if (!found) return;
        const { mlscaler, hpa, trusted } = found;
        // The last value is never better than itself: it raises nothing.
        expect(trusted).toBe(0);
        expect(mlscaler).toEqual(hpa);
        expect(hpa.replicaHours).toBeGreaterThanOrEqual(24 * change.bounds.min - 1e-6);
        expect(hpa.replicaHours).toBeLessThanOrEqual(24 * change.bounds.max + 1e-6);
      }),
      { numRuns: 20 },
    );
  });
});
