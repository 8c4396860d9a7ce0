import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CoarseGrid, slotOf } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { codeOf, loadOfCode } from "../../../../capabilities/mlscaler/history/compact-loads";
import { keptSlots, slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";

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
/** Loads that a grid keeps as they are. */
const float = fc.nat(codeOf(1e19)).map(loadOfCode);
const floatOrGap = fc.oneof({ weight: 6, arbitrary: float }, fc.constant(NaN));

describe("a slot", () => {
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

  it("equals a naive reference, second by second", () => {
    const sample = fc.record({
      wait: fc.oneof(fc.nat(60), fc.nat(700)),
      late: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(60)),
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
          // Rounding in another order may put a mean on the border of two codes into either.
          else expect([1 - 1e-9, 1 + 1e-9].map(factor => loadOfCode(codeOf(factor * other)))).toContain(load);
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
  it("that is not finite is ignored", () => {
    const grid = gridOf([1, 2]);
    for (const time of [NaN, Infinity, -Infinity, 1e300]) grid.record(time, 5);
    expect(loadsOf(grid)).toEqual([1, 2]);
  });
});

describe("what is kept", () => {
  it("equals a map of slots, for any times and any fills", () => {
    /** A reference grid: a map of slots by number, of which the first load counts. */
    class Reference {
      readonly known = new Map<number, number>();
      running = -Infinity;
      newest?: { slot: number; load: number };

      record(to: number, load?: number): void {
        if (this.running === -Infinity) this.running = to;
        if (to < this.running || to - this.running > keptSlots) {
          this.newest = undefined;
          this.running = to;
        } else this.pass(to);
        this.forget();
        if (load !== undefined && this.newest?.slot !== to) this.newest = { slot: to, load };
      }

      pass(to: number): void {
        for (; this.running < to; this.running++)
          if (this.newest?.slot === this.running) this.known.set(this.running, this.newest.load);
      }

      forget(): void {
        for (const each of [...this.known.keys()]) if (!this.isInside(each)) this.known.delete(each);
      }

      fill(from: number, loads: number[], now: number): void {
        this.record(now);
        loads.forEach((load, index) => {
          const to = from + index;
          if (!Number.isNaN(load) && this.isInside(to) && !this.known.has(to)) this.known.set(to, load);
        });
      }

      isInside(to: number): boolean {
        return to < this.running && to >= this.running - keptSlots;
      }

      get loads(): number[] {
        const first = Math.min(this.running, ...this.known.keys());
        return Array.from({ length: this.running - first }, (_, index) => this.known.get(first + index) ?? NaN);
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
        expect(grid.cursor.next).toBe(slot + reference.running);
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
        let [now, cursor, seen] = [begin, grid.cursor, [] as number[]];
        for (const [index, [wait, load]] of steps.entries()) {
          now += wait;
          grid.record(now, load);
          if (index % (every + 1) !== 0) continue;
          const closed = grid.closedSince(cursor);
          if (!closed) rereads++;
          seen = closed ? [...seen, ...closed].slice(-keptSlots) : loadsOf(grid);
          cursor = grid.cursor;
          const all = loadsOf(grid);
          expect(seen.slice(seen.length - all.length)).toEqual(all);
          expect(seen.slice(0, seen.length - all.length).every(Number.isNaN)).toBe(true);
          expect(grid.closedSince(cursor)).toEqual(new Float32Array(0));
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
