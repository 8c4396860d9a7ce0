import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { lineForecast } from "../../../../capabilities/mlscaler/forecast/line";
import { ScoredLine } from "../../../../capabilities/mlscaler/forecast/scored-line";
import { emptySeries, recorded } from "../../../../capabilities/mlscaler/history/series";

const step = 30_000;
const historySize = 3;
/** The forecasts that a skill needs. */
const scoredForecasts = 288;

type Scored = Omit<Forecast, "horizonSeconds">;

/** The forecasts of a line that is given one load a step; undefined is a gap. */
function forecastsOf(loads: (number | undefined)[], line = new ScoredLine(), cautious?: number): Scored[] {
  let series = emptySeries(step, 0, 10);
  return loads.map((load, slot) => {
    const { last: previous } = series;
    if (load !== undefined) series = recorded(series, slot * step, load);
    return line.forecast(series, previous, historySize, slot * step, cautious);
  });
}

const lastOf = (forecasts: Scored[]): Scored => {
  const last = forecasts.at(-1);
  if (!last) throw new Error("there is no forecast");
  return last;
};

const repeated = (times: number, ...loads: number[]): number[] => Array<number[]>(times).fill(loads).flat();
/** Loads on a line that rises for a while and begins anew. */
const rises = repeated(scoredForecasts / 16, ...Array.from({ length: 50 }, (_, index) => index));
/** Loads that alternate: the line through them is worse than the last load of two steps before, and than the mean. */
const bursts = repeated(scoredForecasts, 0, 10, 10, 0);

describe("the line of a short form", () => {
  it("is the line through the newest loads, one step ahead, trusted from the start", () => {
    expect(forecastsOf([0.3, 0.4, 0.5])).toMatchObject([
      { samples: 1, wanted: 3, trusted: true },
      { samples: 2, wanted: 3, trusted: true },
      { samples: 3, load: expect.closeTo(0.6, 12) as number, lowest: expect.closeTo(0.6, 12) as number, trusted: true },
    ]);
  });

  it("gives the lowest forecast by the load in which pods without a sample count as 0", () => {
    const { load, lowest } = lastOf(forecastsOf([0.3, 0.4, 0.5], new ScoredLine(), 0.4));
    expect([load, lowest]).toEqual([
      expect.closeTo(0.6, 12),
      expect.closeTo(lineForecast([0.3, 0.4, 0.4], 3).load ?? 0),
    ]);
  });

  it("never gives a lowest forecast above the forecast", () => {
    const load = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(load, { minLength: 3, maxLength: 8 }), load, (loads, cautious) => {
        const found = lastOf(forecastsOf(loads, new ScoredLine(), cautious));
        expect(found.lowest).toBeLessThanOrEqual((found.load ?? NaN) + 1e-6);
      }),
    );
  });

  it.each<[string, (number | undefined)[], number | undefined]>([
    ["has no skill while too few of its forecasts were scored", bursts.slice(0, scoredForecasts), undefined],
    ["has skill where it is better than the last load", rises, 1],
    ["has none where it is worse than the last load", bursts, -1],
    // Every second slot is a gap, so no forecast has a load to be scored by.
    ["is not scored by the load after a gap", bursts.flatMap(load => [load, undefined]), undefined],
  ])("%s, and acts", (_, loads, sign) => {
    const { skill, ...found } = lastOf(forecastsOf(loads));
    expect([found.trusted, skill && Math.sign(skill)]).toEqual([true, sign]);
  });

  it("is scored once a slot, however often it is asked", () => {
    const line = new ScoredLine();
    let series = emptySeries(step, 0, 10);
    for (let slot = 0; slot < scoredForecasts; slot++) {
      const { last: previous } = series;
      series = recorded(series, slot * step, bursts[slot] ?? 0);
      line.forecast(series, previous, historySize, slot * step);
      const again = line.forecast(series, series.last, historySize, slot * step + 1000);
      expect(again.skill).toBeUndefined();
    }
  });
});
