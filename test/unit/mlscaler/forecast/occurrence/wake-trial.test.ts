import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  WakeSettings,
  WakeTrial,
  WakeVerdict,
} from "../../../../../capabilities/mlscaler/forecast/occurrence/wake-trial";

const settings: WakeSettings = { threshold: 0, coolDown: 1, wake: 2, idle: 3, least: 0.1 };

/** One slot of load in each 20. */
const loads = Array.from({ length: 2000 }, (_, slot) => (slot % 20 === 0 ? 1 : 0));

/** The verdict after loads of which the chances of load are told by `chanceAt`. */
function verdictOf(of: number[], chanceAt: (slot: number) => number): WakeVerdict | undefined {
  const trial = new WakeTrial(settings);
  for (const [slot, load] of of.entries())
    trial.observe(
      load,
      [1, 2, 3].map(ahead => chanceAt(slot + ahead)),
    );
  return trial.verdict;
}

describe("the trial of waking by a chance", () => {
  it("trusts chances that know the load", () => {
    expect(verdictOf(loads, slot => (loads[slot] ? 0.9 : 0.01))).toMatchObject({ trusted: true });
  });

  it("does not trust chances that say nothing, or the opposite", () => {
    expect(verdictOf(loads, () => 0.05)).toMatchObject({ trusted: false });
    expect(verdictOf(loads, slot => (slot % 20 >= 5 && slot % 20 < 10 ? 0.9 : 0.01))).toMatchObject({ trusted: false });
  });

  it("does not trust chances that spare cold starts and miss most of the load", () => {
    // Two of three starts are known ahead, and the third has 20 times their load, soon after the one before.
    const starts = new Map([
      [0, 1],
      [30, 1],
      [34, 20],
    ]);
    const uneven = loads.map((_, slot) => starts.get(slot % 60) ?? 0);
    expect(verdictOf(uneven, slot => (uneven[slot] === 1 ? 0.9 : 0.01))).toMatchObject({ trusted: false });
    expect(verdictOf(uneven.map(Math.sign), slot => (uneven[slot] === 1 ? 0.9 : 0.01))).toMatchObject({
      trusted: true,
    });
  });

  it("wakes from the chance on that misses the least for its hours", () => {
    // A chance of 0.15 is there all the time and means nothing; from 0.25 on it is right.
    const found = verdictOf(loads, slot => (loads[slot] ? 0.9 : 0.15));
    expect(found?.trusted).toBe(true);
    expect(found?.chance).toBeGreaterThanOrEqual(0.15);
  });

  it("ends the trust in chances that are wrong from then on", () => {
    const trial = new WakeTrial(settings);
    const chanceAt = (slot: number): number => (loads[slot] ? 0.9 : 0);
    for (const [slot, load] of loads.entries())
      trial.observe(
        load,
        [1, 2, 3].map(ahead => chanceAt(slot + ahead)),
      );
    expect(trial.verdict?.trusted).toBe(true);
    for (let round = 0; round < 8; round++)
      for (const [slot, load] of loads.entries()) trial.observe(load, Array(3).fill(slot % 20 === 8 ? 0.95 : 0));
    expect(trial.verdict?.trusted).toBe(false);
  });

  it("has no verdict before the cool-down has met load three times, and learns nothing in a gap", () => {
    expect(verdictOf(loads.slice(0, 45), () => 0.9)).toBeUndefined();
    expect(verdictOf(Array<number>(2000).fill(NaN), () => 0.9)).toBeUndefined();
  });

  it("never asks for a lower chance than the least one, nor for certainty", () => {
    const given = fc.array(
      fc.record({ load: fc.integer({ min: 0, max: 2 }), chance: fc.double({ min: 0, max: 1, noNaN: true }) }),
      {
        minLength: 100,
        maxLength: 300,
      },
    );
    fc.assert(
      fc.property(given, fc.constantFrom(0.03, 0.1, 0.25, 0.49), (slots, least) => {
        const trial = new WakeTrial({ ...settings, least });
        for (const { load, chance } of slots) trial.observe(load, [chance, chance, chance]);
        const { chance = least } = trial.verdict ?? {};
        expect(chance).toBeGreaterThanOrEqual(least);
        expect(chance).toBeLessThanOrEqual(0.9);
      }),
    );
  });
});
