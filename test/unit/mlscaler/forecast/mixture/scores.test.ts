import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Score, Scores } from "../../../../../capabilities/mlscaler/forecast/mixture/scores";

/** The score of forecasts one step ahead from each load but the last, with an upper quantile `width` above. */
function scoreOf(loads: number[], forecast: (next: number, load: number) => number, width = 0): Score {
  const scores = new Scores(1, 288);
  loads.forEach((load, slot) => {
    const ahead = forecast(loads[slot + 1] ?? NaN, load);
    scores.add(load, ahead, ahead + width);
  });
  return scores.score;
}

const waves = Array.from({ length: 200 }, (_, slot) => 100 + 50 * Math.sin(slot / 8));

describe("a score", () => {
  it("is 1 for the load itself, 0 for the last load, and below for what is farther off", () => {
    const perfect = scoreOf(waves, next => next);
    expect([perfect.origins, perfect.coverage]).toEqual([199, 1]);
    expect(perfect.skill).toBeCloseTo(1);
    expect(scoreOf(waves, (_, load) => load).skill).toBeCloseTo(0);
    expect(scoreOf(waves, (next, load) => load + 2 * (load - next)).skill).toBeLessThan(-0.9);
    expect(scoreOf([5, 5, 5], (_, load) => load).skill).toBe(0);
    expect(scoreOf([5, 5, 5], () => 6).skill).toBe(-1);
  });

  it("has the share of loads at or under the upper quantile, whatever the skill", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e3, noNaN: true }), width => {
        const below = waves.slice(1).filter(load => load <= Math.fround(90 + width)).length;
        expect(scoreOf(waves, () => 90, width).coverage).toBeCloseTo(below / 199, 1);
      }),
    );
  });

  it("has no figures before a forecast is scored, and none of a gap", () => {
    expect(scoreOf([5], load => load)).toEqual({ origins: 0 });
    expect(scoreOf([5, NaN, 5], () => 5)).toEqual({ origins: 0 });
  });
});
