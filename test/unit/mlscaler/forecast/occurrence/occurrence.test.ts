import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noiseOf } from "../../../../../capabilities/mlscaler/forecast/occurrence/noise";
import { Occurrence } from "../../../../../capabilities/mlscaler/forecast/occurrence/occurrence";

const step = 300_000;
const day = 288;

/** The chances of the next slot after each of the loads. */
function chancesAfter(loads: number[], ahead = 1): number[] {
  const occurrence = new Occurrence(ahead, step, 0);
  return loads.map(load => {
    occurrence.observe(load);
    return occurrence.chances[ahead - 1] ?? NaN;
  });
}

describe("the chance of load", () => {
  it("knows the time of the day", () => {
    const opens = (slot: number): boolean => slot % day >= 100 && slot % day < 200;
    const loads = Array.from({ length: 14 * day }, (_, slot) => (opens(slot) ? 5 : 0));
    const chances = chancesAfter(loads, 2);
    // From the slot before the last closed one: 99 forecasts 101, 90 forecasts 92.
    const morning = 13 * day;
    expect(chances[morning + 98]).toBeGreaterThan(0.5);
    expect(chances[morning + 50]).toBeLessThan(0.02);
    expect(chances[morning + 150]).toBeGreaterThan(0.95);
  });

  it("knows the idle time after which load returns, at whatever time of the day", () => {
    // One slot of load in each 17, which no day divides.
    const loads = Array.from({ length: 10 * day }, (_, slot) => (slot % 17 === 0 ? 3 : 0));
    const chances = chancesAfter(loads);
    const last = 17 * 160;
    expect(chances[last + 16]).toBeGreaterThan(0.9);
    for (const idle of [2, 5, 10, 14]) expect(chances[last + idle]).toBeLessThan(0.1);
  });

  it("knows which time of the day usually has load next, from the second day on", () => {
    const occurrence = new Occurrence(1, step, 0);
    const observe = (days: number): void => {
      for (let slot = 0; slot < days * day; slot++) occurrence.observe(slot % day >= 100 && slot % day < 110 ? 5 : 0);
    };
    observe(1);
    expect(occurrence.nextUsual).toBeUndefined();
    observe(1);
    // The newest slot is the last of its day.
    expect(occurrence.nextUsual).toEqual({ ahead: 101, chance: 1 });
    observe(5);
    expect(occurrence.nextUsual).toEqual({ ahead: 101, chance: 1 });
  });

  it("follows the rate of a load without a pattern", () => {
    // A fixed order without a period: the fractional parts of multiples of the golden ratio.
    const works = (slot: number, rate: number): number => ((slot * slot * 0.618_033_988_7) % 1 < rate ? 1 : 0);
    const mean = (rate: number): number => {
      const chances = chancesAfter(Array.from({ length: 6 * day }, (_, slot) => works(slot, rate))).slice(-day);
      return chances.reduce((sum, chance) => sum + chance, 0) / day;
    };
    expect(Math.abs(mean(0.1) - 0.1)).toBeLessThan(0.05);
    expect(Math.abs(mean(0.4) - 0.4)).toBeLessThan(0.1);
  });

  it("is a chance after any loads, and unknown in a gap", () => {
    const load = fc.oneof(fc.constant(0), fc.constant(NaN), fc.double({ min: 0, max: 1e30, noNaN: true }));
    fc.assert(
      fc.property(fc.array(load, { minLength: 1, maxLength: 400 }), fc.integer({ min: 1, max: 5 }), (loads, ahead) => {
        for (const [slot, chance] of chancesAfter(loads, ahead).entries())
          if (Number.isNaN(loads[slot])) expect(chance).toBeNaN();
          else expect(chance >= 0 && chance <= 1).toBe(true);
      }),
    );
  });

  it("depends on no later load, and only on whether there is load", () => {
    const given = fc.array(fc.double({ min: 0, max: 9, noNaN: true }), { minLength: 30, maxLength: 80 });
    fc.assert(
      fc.property(given, loads => {
        const chances = chancesAfter(loads);
        expect(chancesAfter(loads.slice(0, 20))).toEqual(chances.slice(0, 20));
        expect(chancesAfter(loads.map(load => (load > 0 ? 1 : 0)))).toEqual(chances);
      }),
    );
  });
});

it("the noise is a tenth of the mean load of what is known, idle slots included", () => {
  expect(noiseOf([0, NaN, 20])).toBeCloseTo(1, 12);
  expect(noiseOf([NaN])).toBe(0);
});
