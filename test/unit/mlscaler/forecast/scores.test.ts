import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Score, Scores } from "../../../../capabilities/mlscaler/forecast/scores";

interface Forecast {
  forecast: number;
  upper: number;
  upperOfLast: number;
}

/** The score of forecasts one step ahead from each load but the last. */
function scoreOf(loads: number[], ahead: (next: number, load: number) => Forecast, quantile = 0.9): Score {
  const scores = new Scores(1, 288, quantile);
  loads.forEach((load, slot) => {
    const { forecast, upper, upperOfLast } = ahead(loads[slot + 1] ?? NaN, load);
    scores.add(load, forecast, upper, upperOfLast);
  });
  return scores.score;
}

const waves = Array.from({ length: 200 }, (_, slot) => 100 + 50 * Math.sin(slot / 8));

describe("the skill of the upper quantile", () => {
  it("is 1 for the load itself, and 0 for what the last load gives", () => {
    const rising = Array.from({ length: 100 }, (_, slot) => slot);
    const perfect = (next: number, load: number): Forecast => ({ forecast: next, upper: next, upperOfLast: load + 9 });
    expect(scoreOf(rising, perfect).upperSkill).toBe(1);
    const last = (_: number, load: number): Forecast => ({ forecast: load, upper: load, upperOfLast: load + 99 });
    expect(scoreOf(waves, last).upperSkill).toBeCloseTo(0);
    expect(scoreOf([5, 5, 5], last).upperSkill).toBe(0);
  });

  it("is below 0 for a wide upper quantile, whatever the skill of the mean, also beside one as wide", () => {
    fc.assert(
      fc.property(fc.double({ min: 10, max: 1e9, noNaN: true }), fc.boolean(), (width, bothWide) => {
        const wide = (next: number, load: number): Forecast => ({
          ...{ forecast: next, upper: next + 5 * width, upperOfLast: load + (bothWide ? 5 * width : 5) },
        });
        const { skill, upperSkill } = scoreOf(waves, wide);
        expect(skill).toBeCloseTo(1);
        expect(upperSkill).toBeLessThan(0);
      }),
    );
  });

  it("weighs unserved load and idle replicas as q : 1 - q", () => {
    // Without the forecast 10 are not served. With it u more than needed are idle.
    const idle = (upper: number): Score => scoreOf([0, 10], () => ({ forecast: 10, upper, upperOfLast: 0 }), 0.9);
    expect(idle(10 + 89).upperSkill).toBeGreaterThan(0);
    expect(idle(10 + 91).upperSkill).toBeLessThan(0);
  });

  it("counts nothing that does not act: an upper quantile below the last load", () => {
    const falling = Array.from({ length: 100 }, (_, slot) => 200 - slot);
    const below = (next: number, load: number): Forecast => ({ forecast: next, upper: next, upperOfLast: load + 3 });
    expect(scoreOf(falling, below)).toMatchObject({ skill: 1, upperSkill: 0 });
  });

  it("is absent without upper quantiles", () => {
    const line = (next: number): Forecast => ({ forecast: next, upper: NaN, upperOfLast: NaN });
    expect(scoreOf(waves, line)).not.toHaveProperty("upperSkill");
  });
});
