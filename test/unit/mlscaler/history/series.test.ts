import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { continuous, emptySeries, joined, recorded, Series } from "../../../../capabilities/mlscaler/history/series";
import { cpuMilliseconds } from "../../time";

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
  waitMilliseconds: fc.oneof(fc.nat(step * 2), fc.nat(step * 10), fc.constant(-step)),
  load: fc.oneof({ weight: 8, arbitrary: load }, fc.constantFrom(NaN, Infinity, -Infinity, -1)),
});

describe("recorded and continuous", () => {
  it("give back, oldest first, what came one a slot", () => {
    fc.assert(fc.property(fc.array(load, { maxLength: 50 }), loads => void expect(loadsOf(loads)).toEqual(loads)));
  });

  it("keep the newest of what fits", () => {
    fc.assert(
      fc.property(
        fc.array(load, { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 20 }),
        (loads, capacity) => {
          expect(loadsOf(loads, capacity)).toEqual(loads.slice(-capacity));
        },
      ),
    );
  });

  it("keep the first sample of a slot, so that they are evenly spaced whatever woke a sync in between", () => {
    let series = emptySeries(step, 0, 5);
    series = recorded(series, 0, 1);
    series = recorded(series, step, 2);
    series = recorded(series, step + 10_000, 3);
    series = recorded(series, 2 * step - 1, 4);
    expect(continuous(series, 2 * step - 1)).toEqual([1, 2]);
    series = recorded(series, 2 * step, 5);
    expect(continuous(series, 2 * step)).toEqual([1, 2, 5]);
  });

  it("fill a slot by a retry, when there was no sample at its begin", () => {
    let series = emptySeries(step, 0, 5);
    series = recorded(series, 0, 1);
    series = recorded(series, step, NaN);
    series = recorded(series, step + 10_000, 3);
    expect(continuous(series, step + 10_000)).toEqual([1, 3]);
  });

  it("bridge up to three missing slots by a line", () => {
    expect(loadsOf([1, gap, 3])).toEqual([1, 2, 3]);
    expect(loadsOf([1, 2, gap, gap, gap, 10, 11])).toEqual([1, 2, 4, 6, 8, 10, 11]);
    expect(loadsOf([4, gap, 2, gap, gap, 8])).toEqual([4, 3, 2, 4, 6, 8]);
  });

  it("are cut at a longer gap, which is never 0", () => {
    expect(loadsOf([1, 2, gap, gap, gap, gap, 10, 11])).toEqual([10, 11]);
    expect(loadsOf([1, gap, gap, gap, gap, gap, gap, gap, gap, 5, gap, 7])).toEqual([5, 6, 7]);
  });

  it("start again after a gap longer than the capacity", () => {
    let { series } = seriesOf([1, 2, 3], 3);
    series = recorded(series, 1e9 * step, 7);
    expect(continuous(series, 1e9 * step)).toEqual([7]);
    expect(series.values.length).toBeLessThanOrEqual(3);
  });

  it("hold at most their capacity, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (samples, capacity) => {
        let series = emptySeries(step, 0, capacity);
        let now = 0;
        for (const { waitMilliseconds, load: value } of samples)
          series = recorded(series, (now += waitMilliseconds), value);
        expect(series.values.length).toBeLessThanOrEqual(capacity);
      }),
    );
  });

  it("never give a NaN, an infinity or a load below 0, nor one outside what came", () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (samples, capacity) => {
        let series = emptySeries(step, 12_345, capacity);
        let now = 1e12;
        const good: number[] = [];
        for (const { waitMilliseconds, load: value } of samples) {
          series = recorded(series, (now += waitMilliseconds), value);
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

  it("ignore numbers that are no loads", () => {
    const { series, now } = seriesOf([1, 2]);
    for (const bad of [NaN, Infinity, -Infinity, -0.001])
      for (const at of [now, now + step]) expect(recorded(series, at, bad)).toBe(series);
    expect(continuous(series, now)).toEqual([1, 2]);
    expect(series.last).toBe(1);
  });

  it("take 0 for a load", () => {
    expect(loadsOf([1, 0, 0])).toEqual([1, 0, 0]);
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

  it("do not change the series that they are given", () => {
    const { series, now } = seriesOf([1, gap, 3]);
    const before = structuredClone(series);
    continuous(series, now);
    recorded(series, now + step, 4);
    expect(series).toEqual(before);
  });

  it("do not depend on where the grid begins nor on what time it is", () => {
    fc.assert(
      fc.property(fc.array(fc.option(load), { maxLength: 30 }), fc.nat(1e9), fc.nat(1e9), (samples, origin, slots) => {
        let shifted = emptySeries(step, origin, 100);
        let plain = emptySeries(step, 0, 100);
        samples.forEach((value, slot) => {
          if (value === null) return;
          plain = recorded(plain, slot * step, value);
          shifted = recorded(shifted, origin + (slots + slot) * step, value);
        });
        const last = samples.length - 1;
        expect(continuous(shifted, origin + (slots + last) * step)).toEqual(continuous(plain, last * step));
      }),
    );
  });

  it("serve the longest history in a moment", () => {
    const values = Array.from({ length: 20160 }, (_, slot) => (slot % 4 === 3 ? NaN : slot)).slice(0, -1);
    const series = { ...emptySeries(step, 0, 20160), last: 20158, values };
    expect(cpuMilliseconds(() => continuous(series, 20159 * step))).toBeLessThan(200);
    expect(continuous(series, 20159 * step)).toHaveLength(20159);
  });
});

describe("a clock that jumps", () => {
  const day = 86_400_000;
  const hour = 3_600_000;
  /** The load that counts of every slot that is kept: that of the newest run, or else the first. */
  const kept = ({ before, last, values }: Series): Map<number, number> =>
    new Map(
      [...before.toReversed(), { last, values }].flatMap(run =>
        run.values.flatMap((load, index): [number, number][] =>
          Number.isNaN(load) ? [] : [[run.last - run.values.length + 1 + index, load]],
        ),
      ),
    );
  const full = (size: number, slots = step): { series: Series; now: number } => {
    const values = Array.from({ length: size }, (_, index) => index);
    return { series: { ...emptySeries(slots, 0, size), last: size - 1, values }, now: (size - 1) * slots };
  };

  it("by 25 s back, at a period of 5 s, takes nothing of 20,000 loads", () => {
    let { series, now } = full(20_000, 5000);
    for (now -= 20_000; now < 20_010 * 5000; now += 5000) {
      series = recorded(series, now, 7);
      expect(continuous(series, now).length).toBeGreaterThan(19_900);
    }
  });

  it("for one sync by any offset changes no load that the capacity has room for", () => {
    const offset = fc.oneof(
      fc.integer({ min: -400 * day, max: 400 * day }),
      fc.integer({ min: -2 * hour, max: 2 * hour }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 60 }), offset, fc.integer({ min: 1, max: 4 }), (size, by, slots) => {
        const { series, now } = full(size);
        const jumped = recorded(series, now + step + by, 999);
        const after = recorded(jumped, now + slots * step, 5);
        // The jump may take the room of the gap that it makes.
        for (let each = slots + 5; each < size; each++) expect(kept(after).get(each)).toBe(each);
        if (Math.abs(by) > 10 * step) expect(continuous(after, now + slots * step)).toContain(size - 1);
      }),
    );
  });

  it("within an hour loses no slot that was seen with the right time", () => {
    const block = fc.record({
      slots: fc.integer({ min: 1, max: 40 }),
      offset: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -hour, max: hour }),
        fc.integer({ min: -5 * step, max: 5 * step }),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 50, max: 400 }),
        (blocks, size) => {
          let series = emptySeries(step, 0, size);
          let slot = 1000;
          const right: number[] = [];
          for (const { slots, offset } of blocks)
            for (let each = 0; each < slots; each++, slot++) {
              series = recorded(series, slot * step + offset, 1);
              if (offset === 0) right.push(slot);
            }
          const there = kept(series);
          // A jump may take the room of the gap that it makes.
          const window = size - 4 * blocks.length;
          const missing = right.filter(each => each > slot - window && !there.has(each));
          expect(missing).toEqual([]);
        },
      ),
    );
  });

  it("for good is believed from the first load on, and what was before it leaves as new loads come", () => {
    for (const by of [-28 * day, -hour, hour, 28 * day]) {
      let { series, now } = full(10);
      for (let each = 1; each <= 4; each++) series = recorded(series, (now += step) + by, 100 + each);
      expect(continuous(series, now + by)).toEqual([101, 102, 103, 104]);
      expect(kept(series).size).toBe(10);
      for (let each = 5; each <= 10; each++) series = recorded(series, (now += step) + by, 100 + each);
      expect(continuous(series, now + by)).toHaveLength(10);
      expect(series.before).toEqual([]);
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
        expect(joined(one, other)).toEqual(all);
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
