import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CoarseGrid, keptSlots, slotMilliseconds, slotOf } from "../../../../capabilities/mlscaler/history/coarse-grid";

const minute = 60_000;
/** The begin of a slot. */
const begin = 1_767_225_600_000;
const slot = slotOf(begin);
const at = (slots: number): number => begin + slots * slotMilliseconds;

/** A grid with one load a slot, from `begin` on, which stands for the slot; NaN leaves a slot out. */
function gridOf(loads: number[]): CoarseGrid {
  const grid = new CoarseGrid();
  loads.forEach((load, index) => grid.record(at(index), load));
  grid.record(at(loads.length));
  return grid;
}

const loadsOf = (grid: CoarseGrid): number[] => [...grid.loads()];
const float = fc.float({ min: 0, max: Math.fround(1e30), noNaN: true, noDefaultInfinity: true });
const floatOrGap = fc.oneof({ weight: 6, arbitrary: float }, fc.constant(NaN));

describe("a slot", () => {
  it("has the time-weighted mean of its loads", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 1);
    grid.record(at(0) + 4 * minute, 11);
    grid.record(at(1), 5);
    expect(loadsOf(grid)).toEqual([3]);
  });

  it("counts the load of the slot before until its own first", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 10, 2 * slotMilliseconds);
    grid.record(at(1) + minute, 5);
    grid.record(at(2));
    expect(loadsOf(grid)).toEqual([10, 6]);
  });

  it("is a gap, not 0, when less than half of it is known", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 4, 30_000);
    grid.record(at(1) + 2 * minute, 4, 2 * minute + 30_000);
    grid.record(at(2) + 2 * minute, 0, 2 * minute + 29_999);
    grid.record(at(3) - minute / 2, 0, 1);
    grid.record(at(4), 2);
    grid.record(at(5));
    expect(loadsOf(grid)).toEqual([4, 0, NaN, 2]);
    expect(grid.first).toBe(slot + 1);
  });

  it("is filled by a load that holds longer", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 3, 4 * slotMilliseconds);
    grid.record(at(3), 6, 4 * slotMilliseconds);
    grid.record(at(9));
    expect(loadsOf(grid)).toEqual([3, 3, 3, 6, 6, 6, 6, NaN, NaN]);
  });

  it("ignores numbers that are no loads: the reset of a counter is a gap", () => {
    const counter = [0, 300, 600, 900, 100, 400, 700];
    const grid = new CoarseGrid();
    counter.forEach((count, index) =>
      grid.record(at(index), index === 0 ? undefined : count - (counter[index - 1] ?? 0)),
    );
    for (const bad of [NaN, Infinity, -Infinity, -1e-9, 1e39, 1e308]) grid.record(at(counter.length) + 1, bad);
    grid.record(at(counter.length + 1));
    expect(loadsOf(grid)).toEqual([300, 300, 300, NaN, 300, 300, NaN]);
  });

  it("takes 0 as a load, and a number too small for a float as 0", () => {
    const grid = gridOf([0, -0, 1e-308]);
    expect(loadsOf(grid)).toEqual([0, 0, 0]);
    expect([grid.at(slot), grid.at(slot + 1), grid.at(slot - 1), grid.at(slot + 3)]).toEqual([0, 0, NaN, NaN]);
  });

  it("keeps the first of two loads at the same time", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 1);
    grid.record(at(0), 9);
    grid.record(at(1));
    expect(loadsOf(grid)).toEqual([1]);
  });

  it("takes a load at a time that was recorded without one", () => {
    const grid = new CoarseGrid();
    grid.record(at(0));
    grid.record(at(0), 7);
    grid.record(at(1));
    expect(loadsOf(grid)).toEqual([7]);
  });

  it("equals a naive reference, second by second", () => {
    const sample = fc.record({
      wait: fc.oneof(fc.nat(60), fc.nat(700)),
      late: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(250)),
      load: fc.oneof({ weight: 8, arbitrary: fc.nat(1000) }, fc.constantFrom(undefined, NaN, -1, Infinity)),
      lasting: fc.constantFrom(30, 60, 300, 900),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 40 }), samples => {
        const grid = new CoarseGrid();
        const accepted: { at: number; load: number; until: number }[] = [];
        let [second, now] = [0, -1];
        for (const { wait, late, load, lasting } of samples) {
          second += wait;
          const time = Math.max(0, second - late);
          grid.record(begin + time * 1000, load, lasting * 1000);
          if (time < now) continue;
          now = time;
          const isLoad = load !== undefined && load >= 0 && load < Infinity;
          if (isLoad && accepted.at(-1)?.at !== time) accepted.push({ at: time, load, until: time + lasting });
        }
        const firstSecond = Math.max(0, (samples[0]?.wait ?? 0) - (samples[0]?.late ?? 0));
        const loads: number[] = [];
        for (let from = Math.floor(firstSecond / 300) * 300; from + 300 <= now; from += 300) {
          const known = Array.from({ length: 300 }, (_, index) => accepted.findLast(each => each.at <= from + index))
            .map((each, index) => (each && from + index < each.until ? each.load : NaN))
            .filter(load => !Number.isNaN(load));
          const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
          loads.push(known.length >= 150 ? mean : NaN);
        }
        const expected = loads.slice(
          Math.max(
            0,
            loads.findIndex(load => !Number.isNaN(load)),
          ),
        );
        const got = loadsOf(grid);
        if (expected.every(Number.isNaN)) return void expect(got).toEqual([]);
        expect(got).toHaveLength(expected.length);
        got.forEach((load, index) => {
          const other = expected[index] ?? -1;
          if (Number.isNaN(other)) expect(load).toBeNaN();
          else expect(load).toBeCloseTo(other, 3);
        });
      }),
    );
  });
});

describe("the running slot", () => {
  it("is undefined before its first load", () => {
    const grid = new CoarseGrid();
    expect(grid.running).toBeUndefined();
    grid.record(at(0), 4, minute);
    expect(grid.running).toBeUndefined();
    grid.record(at(3));
    expect(grid.running).toBeUndefined();
  });

  it("is its mean so far, and the slot before for the rest of its time", () => {
    const grid = new CoarseGrid();
    grid.record(at(0), 4);
    grid.record(at(0) + 2 * minute, 8);
    expect(grid.running).toBe(4);
    grid.record(at(0) + 4 * minute, 8);
    expect(grid.running).toBe(6);
    grid.record(at(1), 16);
    grid.record(at(1) + minute, 16);
    // Of 6.4, as a float.
    expect(grid.running).toBeCloseTo((16 + 4 * 6.4) / 5, 5);
    expect(loadsOf(grid)).toHaveLength(1);
  });
});

describe("time", () => {
  it("that goes on without a load closes slots, as gaps", () => {
    const grid = gridOf([1, 2]);
    grid.record(at(5) + minute);
    expect(loadsOf(grid)).toEqual([1, 2, NaN, NaN, NaN]);
    expect(grid.place.next).toBe(slot + 5);
  });

  it("that jumps by more than four weeks empties the grid", () => {
    const grid = gridOf([1, 2, 3]);
    const { place } = grid;
    grid.record(at(keptSlots + 4), 7);
    expect(loadsOf(grid)).toEqual([]);
    expect(grid.closedSince(place)).toBeUndefined();
    grid.record(at(keptSlots + 5));
    expect(loadsOf(grid)).toEqual([7]);
  });

  it("that goes back a little is ignored", () => {
    const grid = gridOf([1, 2, 3, 4, 5]);
    grid.record(at(2), 99);
    grid.record(at(5) - 1, 99);
    expect(loadsOf(grid)).toEqual([1, 2, 3, 4, 5]);
    grid.record(at(5), 6);
    grid.record(at(6));
    expect(loadsOf(grid)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("that goes back by more makes the grid forget the later slots, and nothing else", () => {
    const grid = gridOf([1, 2, 3, 4, 5, 6, 7, 8]);
    const { place } = grid;
    grid.record(at(4), 50);
    expect(loadsOf(grid)).toEqual([1, 2, 3, 4]);
    expect(grid.closedSince(place)).toBeUndefined();
    grid.record(at(5));
    expect(loadsOf(grid)).toEqual([1, 2, 3, 4, 50]);
    grid.record(at(-1000), 9);
    expect(loadsOf(grid)).toEqual([]);
  });

  it("that is not finite is ignored", () => {
    const grid = gridOf([1, 2]);
    for (const time of [NaN, Infinity, -Infinity, 1e300]) grid.record(time, 5);
    expect(loadsOf(grid)).toEqual([1, 2]);
  });
});

describe("what is kept", () => {
  it("is the newest four weeks", () => {
    const loads = Array.from({ length: keptSlots + 500 }, (_, index) => index);
    const grid = gridOf(loads);
    expect(loadsOf(grid)).toEqual(loads.slice(-keptSlots));
  });

  const time = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: begin, max: at(3000) }) },
    { weight: 4, arbitrary: fc.nat(40).map(slots => at(slots)) },
    fc.double(),
  );
  const anything = fc.oneof({ weight: 3, arbitrary: fc.double({ min: 0 }) }, fc.double());

  it("is bounded, and holds only gaps and loads, for any input", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(time, anything, fc.double())), samples => {
        const grid = new CoarseGrid();
        for (const [when, load, lasting] of samples) {
          grid.record(when, load, lasting);
          const { running = 0 } = grid;
          expect(running >= 0 && running < Infinity, `running ${running}`).toBe(true);
        }
        const means = loadsOf(grid);
        expect(means.length).toBeLessThanOrEqual(keptSlots);
        for (const mean of means) {
          const isLoad = Object.is(Math.abs(mean), mean) && mean < Infinity;
          expect(isLoad || Number.isNaN(mean), `${mean}`).toBe(true);
        }
      }),
    );
  });

  it("equals a map of slots, for any times and any fills", () => {
    /** A reference grid: a map of slots by number. */
    class Reference {
      readonly closed = new Map<number, number>();
      running = -Infinity;
      newest?: { slot: number; load: number };

      record(to: number, load?: number): void {
        if (to < this.running - 3) {
          for (const each of [...this.closed.keys()]) if (each >= to) this.closed.delete(each);
          this.newest = undefined;
        } else if (to < this.running) return;
        if (this.newest && this.newest.slot < to) this.closed.set(this.newest.slot, this.newest.load);
        this.running = to;
        for (const each of [...this.closed.keys()]) if (each < to - keptSlots) this.closed.delete(each);
        if (load !== undefined && this.newest?.slot !== to) this.newest = { slot: to, load };
      }

      fill(from: number, loads: number[], now: number): void {
        this.record(now);
        loads.forEach((load, index) => {
          const to = from + index;
          const kept = to < this.running && to >= this.running - keptSlots;
          if (kept && !Number.isNaN(load) && !this.closed.has(to)) this.closed.set(to, load);
        });
      }

      get loads(): number[] {
        const first = Math.min(this.running, ...this.closed.keys());
        return Array.from(
          { length: Math.max(0, this.running - first) },
          (_, index) => this.closed.get(first + index) ?? NaN,
        );
      }
    }
    const turn = fc.record({
      wait: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }) },
        fc.integer({ min: -400, max: 1000 }),
        fc.constantFrom(keptSlots - 1, keptSlots, 2 * keptSlots),
      ),
      load: fc.option(float, { nil: undefined }),
      filled: fc.option(fc.tuple(fc.integer({ min: -9000, max: 5 }), fc.array(floatOrGap, { maxLength: 500 })), {
        freq: 4,
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 30 }), turns => {
        const [grid, reference] = [new CoarseGrid(), new Reference()];
        let now = 0;
        for (const { wait, load, filled } of turns) {
          now += wait;
          grid.record(at(now), load);
          reference.record(now, load);
          if (filled) {
            const [from, loads] = [now + filled[0], filled[1]];
            grid.fill(slot + from, loads, at(now));
            reference.fill(from, loads, now);
          }
        }
        expect(loadsOf(grid)).toEqual(reference.loads);
        expect(grid.place.next).toBe(slot + reference.running);
      }),
      { numRuns: 300 },
    );
  });

  it("does not change when it is read", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(time, anything)), samples => {
        const [plain, read] = [new CoarseGrid(), new CoarseGrid()];
        for (const [when, load] of samples) {
          plain.record(when, load);
          read.record(when, load);
          expect([read.loads(), read.at(slot), read.running, read.place, read.first, read.slots(0, 9)]).toHaveLength(6);
        }
        expect(read.loads()).toEqual(plain.loads());
        expect(read.running).toEqual(plain.running);
      }),
    );
  });
});

describe("a reader", () => {
  it("gets each closed slot once, gaps as NaN, or has to read the whole grid again", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 * slotMilliseconds }) },
      fc.constantFrom(-10, 30, keptSlots).map(slots => slots * slotMilliseconds),
    );
    let rereads = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(step, floatOrGap)), fc.nat(3), (steps, every) => {
        const grid = new CoarseGrid();
        let [now, place, seen] = [begin, grid.place, [] as number[]];
        for (const [index, [wait, load]] of steps.entries()) {
          now += wait;
          grid.record(now, load);
          if (index % (every + 1) !== 0) continue;
          const closed = grid.closedSince(place);
          if (!closed) rereads++;
          seen = closed ? [...seen, ...closed].slice(-keptSlots) : loadsOf(grid);
          place = grid.place;
          const all = loadsOf(grid);
          expect(seen.slice(seen.length - all.length)).toEqual(all);
          expect(seen.slice(0, seen.length - all.length).every(Number.isNaN)).toBe(true);
          expect(grid.closedSince(place)).toEqual(new Float32Array(0));
        }
      }),
    );
    expect(rereads).toBeGreaterThan(0);
  });
});

describe("backfill", () => {
  it("equals recording in order, for samples in any order", () => {
    const samples = fc.uniqueArray(fc.record({ at: fc.integer({ min: at(0), max: at(20) }), load: float }), {
      selector: sample => sample.at,
    });
    fc.assert(
      fc.property(samples, past => {
        const recorded = new CoarseGrid();
        for (const { at: when, load } of [...past].sort((one, other) => one.at - other.at))
          recorded.record(when, load, 2 * minute);
        recorded.record(at(21));
        const filled = new CoarseGrid();
        filled.backfill(past, 2 * minute, at(21));
        expect(filled.loads()).toEqual(recorded.loads());
      }),
    );
  });

  it("fills gaps and older slots, but no measured slot, the running slot or later ones", () => {
    const grid = new CoarseGrid();
    grid.record(at(4), 1);
    grid.record(at(6));
    grid.record(at(7) + minute, 9);
    const { place } = grid;
    const samples = [0, 1, 2, 4, 5, 6, 7, 8, 900].map(slots => ({ at: at(slots), load: 50 + slots }));
    grid.backfill([...samples, { at: NaN, load: 3 }], slotMilliseconds, at(7) + 2 * minute);
    expect(loadsOf(grid)).toEqual([50, 51, 52, NaN, 1, 55, 56]);
    expect(grid.running).toBeCloseTo((9 + 4 * 56) / 5, 5);
    expect(grid.closedSince(place)).toBeUndefined();
  });

  it("without a new load does not move a reader", () => {
    const grid = gridOf([1, 2, 3]);
    const { place } = grid;
    grid.backfill([{ at: at(1), load: 9 }], slotMilliseconds, at(3));
    expect(grid.closedSince(place)).toEqual(new Float32Array(0));
  });

  it("of more than four weeks keeps four", () => {
    const grid = gridOf([1]);
    const samples = Array.from({ length: keptSlots + 10 }, (_, index) => ({ at: at(-index), load: 2 }));
    grid.backfill(samples, slotMilliseconds, at(1));
    expect(loadsOf(grid)).toEqual([...Array<number>(keptSlots - 1).fill(2), 1]);
  });
});

describe("fill", () => {
  it("takes numbers that are no loads as gaps", () => {
    const grid = gridOf([NaN, NaN, NaN, 4]);
    grid.fill(slot, [-1, NaN, Infinity, 9, 9], at(4));
    expect(loadsOf(grid)).toEqual([4]);
    grid.fill(1e300, [1, 1], at(4));
    grid.fill(-1e300, [1, 1], at(4));
    grid.fill(NaN, [1, 1], at(4));
    expect(loadsOf(grid)).toEqual([4]);
  });

  it("keeps slots where they were", () => {
    fc.assert(
      fc.property(fc.array(floatOrGap, { maxLength: 700 }), fc.integer({ min: -500, max: 500 }), (loads, shift) => {
        fc.pre(shift <= loads.length);
        const grid = gridOf(loads);
        const [from, to] = [slot + shift, slot + loads.length];
        const slots = grid.slots(from, to);
        slots.forEach((load, index) => {
          const before = loads[index + shift] ?? NaN;
          expect(load).toBe(before + 0);
        });
      }),
    );
  });
});

describe("a full grid", () => {
  it("takes a thousandth of the memory that 1,000 of them may take", () => {
    const full = (): CoarseGrid => {
      const grid = new CoarseGrid();
      grid.fill(slot, Array<number>(keptSlots).fill(1), at(keptSlots));
      return grid;
    };
    const bytes = (): number => process.memoryUsage().arrayBuffers;
    const before = bytes();
    const grids = Array.from({ length: 100 }, full);
    expect(grids.map(grid => grid.loads().length)).toEqual(grids.map(() => keptSlots));
    expect((bytes() - before) / grids.length).toBeLessThan(150e6 / 1000);
  });
});
