import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { continuous, emptySeries, joined, recorded, Series } from "../../../../capabilities/mlscaler/history/series";

const step = 30_000;
const gap = Symbol("gap");

/** A series of one sample a slot; `gap` leaves a slot out. */
function seriesOf(samples: (number | typeof gap)[], capacity = 100): { series: Series; now: number } {
  let series = emptySeries(step, 0, capacity);
  samples.forEach((sample, slot) => {
    if (sample !== gap) series = recorded(series, slot * step, sample);
  });
  return { series, now: (samples.length - 1) * step };
}

const loadsOf = (samples: (number | typeof gap)[], capacity = 100): number[] => {
  const { series, now } = seriesOf(samples, capacity);
  return continuous(series, now);
};

const load = fc.double({ min: 0, max: 1000, noNaN: true });
const sample = fc.record({
  waitMilliseconds: fc.oneof(fc.nat(step * 2), fc.nat(step * 10), fc.constantFrom(-step, 1e9 * step)),
  load: fc.oneof({ weight: 8, arbitrary: load }, fc.constantFrom(NaN, Infinity, -Infinity, -1)),
});

describe("recorded and continuous", () => {
  it("give back, oldest first, the newest of what fits", () => {
    fc.assert(
      fc.property(fc.array(load, { maxLength: 50 }), fc.integer({ min: 1, max: 60 }), (loads, capacity) => {
        expect(loadsOf(loads, capacity)).toEqual(loads.slice(-capacity));
      }),
    );
  });

  it("keep the first sample of a slot, so that they are evenly spaced whatever woke a sync in between", () => {
    const samples = [
      [0, 1],
      [step, 2],
      [step + 10_000, 3],
      [2 * step - 1, 4],
    ];
    const series = samples.reduce((of, [at = NaN, value = NaN]) => recorded(of, at, value), emptySeries(step, 0, 5));
    expect(continuous(series, 2 * step - 1)).toEqual([1, 2]);
    expect(continuous(recorded(series, 2 * step, 5), 2 * step)).toEqual([1, 2, 5]);
  });

  it.each<[string, (number | typeof gap)[], number[]]>([
    ["bridge a missing slot by a line", [1, gap, 3], [1, 2, 3]],
    ["bridge three missing slots", [1, 2, gap, gap, gap, 10, 11], [1, 2, 4, 6, 8, 10, 11]],
    ["bridge each gap by itself", [4, gap, 2, gap, gap, 8], [4, 3, 2, 4, 6, 8]],
    ["are cut at a longer gap, which is never 0", [1, 2, gap, gap, gap, gap, 10, 11], [10, 11]],
    ["bridge what is after that", [1, gap, gap, gap, gap, gap, 5, gap, 7], [5, 6, 7]],
  ])("%s", (_, samples, expected) => {
    expect(loadsOf(samples)).toEqual(expected);
  });

  it("fill a slot by a retry, when there was no sample at its begin", () => {
    let series = emptySeries(step, 0, 5);
    series = recorded(series, 0, 1);
    series = recorded(series, step, NaN);
    series = recorded(series, step + 10_000, 3);
    expect(continuous(series, step + 10_000)).toEqual([1, 3]);
  });

  it("hold at most their capacity, and never give a NaN, an infinity or a load below 0, nor one outside what came", () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (samples, capacity) => {
        let series = emptySeries(step, 12_345, capacity);
        let now = 1e12;
        const good: number[] = [];
        for (const { waitMilliseconds, load: value } of samples) {
          series = recorded(series, (now += waitMilliseconds), value);
          expect(series.values.length).toBeLessThanOrEqual(capacity);
          if (value >= 0 && Number.isFinite(value)) good.push(value);
          for (const each of continuous(series, now)) {
            expect(Number.isFinite(each)).toBe(true);
            expect(each).toBeGreaterThanOrEqual(Math.min(...good) - 1e-9);
            expect(each).toBeLessThanOrEqual(Math.max(...good) + 1e-9);
          }
        }
      }),
    );
  });

  it("leave out what is older than the newest slot: the clock stepped back", () => {
    const { series, now } = seriesOf([1, 2, 3]);
    for (const at of [0, now - step]) expect(recorded(series, at, 99)).toBe(series);
    expect(continuous(series, now)).toEqual([1, 2, 3]);
  });

  it("are stale, and so empty, when nothing came for more than three slots", () => {
    const { series, now } = seriesOf([1, 2, 3]);
    expect(continuous(series, now + 3 * step)).toEqual([1, 2, 3]);
    expect(continuous(series, now + 4 * step)).toEqual([]);
    expect(continuous(emptySeries(step, 0, 5), now)).toEqual([]);
  });
});

describe("a clock that jumps", () => {
  it("begins the series anew, and moves no load to another slot", () => {
    for (const by of [-400 * 86_400_000, -5 * step, 5 * step, 28 * 86_400_000]) {
      const { series, now } = seriesOf([1, 2, 3]);
      const jumped = recorded(series, now + by, 4);
      expect(continuous(jumped, now + by)).toEqual([4]);
      expect(continuous(recorded(jumped, now + by + step, 5), now + by + step)).toEqual([4, 5]);
    }
  });
});

describe("joined", () => {
  it("is as if all had been recorded by one", () => {
    const waits = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), load), { maxLength: 40 });
    fc.assert(
      fc.property(waits, waits, fc.integer({ min: 1, max: 30 }), (first, second, capacity) => {
        const begin = emptySeries(step, 0, capacity);
        let [now, one, all] = [0, begin, begin];
        for (const [wait, value] of first) one = all = recorded(one, (now += wait * step), value);
        let other = begin;
        for (const [wait, value] of second) {
          now += wait * step;
          [other, all] = [recorded(other, now, value), recorded(all, now, value)];
        }
        expect(continuous(joined(one, other), now)).toEqual(continuous(all, now));
      }),
    );
  });

  it("has what both recorded of one process once, whatever each of the two has recorded since", () => {
    const values = fc.array(load, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, values, values, fc.integer({ min: 1, max: 30 }), (common, late, own, capacity) => {
        // Else nothing is left of what both have.
        fc.pre(late.length < capacity);
        const both = seriesOf(common, capacity).series;
        const add = (to: Series, slot: number, loads: number[]): Series =>
          loads.reduce((series, value, index) => recorded(series, (slot + index) * step, value), to);
        const from = common.length + late.length + 8;
        const stored = add(both, common.length, late);
        expect(joined(stored, add(both, from, own))).toEqual(add(stored, from, own));
      }),
    );
  });
});
