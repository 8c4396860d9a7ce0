import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boost, valueOfTrees } from "../../../../capabilities/mlscaler/forecast/boost";
import type { Expert } from "../../../../capabilities/mlscaler/forecast/expert";
import { Holt } from "../../../../capabilities/mlscaler/forecast/holt";
import { HoltWinters } from "../../../../capabilities/mlscaler/forecast/holt-winters";
import { columnsOf, writeFeatures } from "../../../../capabilities/mlscaler/forecast/lag-features";
import { Interval } from "../../../../capabilities/mlscaler/forecast/interval";
import { Lags } from "../../../../capabilities/mlscaler/forecast/lags";
import { last } from "../../../../capabilities/mlscaler/forecast/last";
import { line } from "../../../../capabilities/mlscaler/forecast/linear";
import { Loads } from "../../../../capabilities/mlscaler/forecast/loads";
import { polynomial } from "../../../../capabilities/mlscaler/forecast/polynomial";
import { Profile } from "../../../../capabilities/mlscaler/forecast/profile";
import { RecentErrors } from "../../../../capabilities/mlscaler/forecast/recent-errors";
import { ridge, valueOf, type Table } from "../../../../capabilities/mlscaler/forecast/ridge";
import { Seasonal } from "../../../../capabilities/mlscaler/forecast/seasonal";
import { theilSen } from "../../../../capabilities/mlscaler/forecast/theil-sen";
import { finished } from "../../../../capabilities/mlscaler/forecast/work";

const horizon = 4;

/** All loads that are kept, oldest first. */
const allOf = (loads: Loads): number[] =>
  Array.from({ length: loads.length }, (_, index) => loads.ago(loads.length - 1 - index));

function refit(expert: Expert, loads: Loads): void {
  const work = expert.refit?.(loads, "live");
  if (work) finished(work);
}

/** What an expert forecasts after it has seen `values`. */
function after(expert: Expert, values: number[]): number[] {
  const loads = new Loads(1000);
  for (const value of values) {
    loads.append(value);
    expert.learn?.(loads, "live");
    refit(expert, loads);
  }
  const into = new Float64Array(horizon);
  expert.predict(loads, into);
  return [...into];
}

const series = (length: number, load: (slot: number) => number): number[] =>
  Array.from({ length }, (_, slot) => load(slot));

function expectClose(actual: number[], load: (step: number) => number, tolerance: number): void {
  actual.forEach((value, index) => expect(Math.abs(value - load(index + 1))).toBeLessThan(tolerance));
}

/** A load with a season of 24 slots. */
const season = (slot: number): number => 100 + 40 * Math.sin((2 * Math.PI * slot) / 24);

describe("models", () => {
  it("last: stays", () => expect(after(last, [1, 2, 3])).toEqual([3, 3, 3, 3]));

  it.each([line(), theilSen(), polynomial()])("$name: goes on along a line", model => {
    const rising = series(40, slot => 10 + 2 * slot);
    expectClose(after(model, rising), step => 10 + 2 * (39 + step), 1e-3);
    expectClose(
      after(model, [...rising.slice(0, 35), NaN, NaN, NaN, NaN, ...rising.slice(39)]),
      step => 88 + 2 * step,
      1e-3,
    );
    expect(after(model, [5])).toEqual([NaN, NaN, NaN, NaN]);
  });

  it("linear: at half its slope goes half as far", () => {
    expectClose(
      after(
        line(0.5),
        series(30, slot => slot),
      ),
      step => 29 + step / 2,
      1e-4,
    );
  });

  it("theil_sen: a burst does not bend it", () => {
    const burst = series(30, slot => (slot === 20 ? 1000 : slot));
    expectClose(after(theilSen(), burst), step => 29 + step, 0.5);
    expect(Math.abs((after(line(), burst)[3] ?? NaN) - 33)).toBeGreaterThan(20);
  });

  it("polynomial: goes on along a parabola", () => {
    expectClose(
      after(
        polynomial(),
        series(40, slot => slot * slot),
      ),
      step => (39 + step) ** 2,
      0.01,
    );
  });

  it("holt: finds a trend", () => {
    const [next = NaN] = after(
      new Holt(horizon, 60),
      series(300, slot => 5 * slot),
    );
    expect(Math.abs(next - 1500)).toBeLessThan(2);
  });

  it.each([
    new HoltWinters(24, horizon, 60),
    new Profile(24, horizon, 48),
    new Seasonal("day", 24, horizon, 48),
    new Lags({ day: 24 }, horizon, 12),
    new Lags({ day: 24, week: 168 }, horizon, 12),
  ])("$name: knows a season that it has seen", model => {
    expectClose(after(model, series(700, season)), step => season(699 + step), 8);
  });

  it("seasonal: further ahead than its season, the last season", () => {
    expect(after(new Seasonal("short", 3, horizon, 10), [1, 2, 3, 1, 2, 3])).toEqual([1, 2, 3, 1]);
  });

  it("lags: without a season, what loads do after each other", () => {
    // Each load is the mean of the last two, and some noise.
    const values = [10, 20];
    for (let slot = 2; slot < 400; slot++) {
      values.push(((values[slot - 1] ?? 0) + (values[slot - 2] ?? 0)) / 2 + 5 * Math.sin(slot * slot));
    }
    values.push(200);
    const [next = NaN] = after(new Lags({}, horizon, 1), values);
    expect(next).toBeLessThan(150);
  });

  it("lags: are fitted anew every so many slots, each with its phase in slots of its own", () => {
    const refits = (phase: number): number[] => {
      const [lags, loads] = [new Lags({}, 1, 12, false, phase), new Loads(1000)];
      const into = new Float64Array(1);
      return series(300, slot => season(slot) + Math.sin(slot * slot)).flatMap((load, slot) => {
        loads.append(load);
        lags.predict(loads, into);
        const [before] = into;
        refit(lags, loads);
        lags.predict(loads, into);
        return slot > 200 && into[0] !== before ? [slot] : [];
      });
    };
    const [first = NaN, ...others] = refits(0);
    expect(others.map((slot, index) => slot - first - 12 * index)).toEqual(others.map(() => 12));
    for (const phase of [1, 5, 11]) {
      const shifted = refits(phase);
      expect(shifted.length).toBeGreaterThan(5);
      for (const slot of shifted) expect((slot + phase - first) % 12).toBe(0);
    }
  });

  it("lags: one burst changes little", () => {
    const noisy = series(700, slot => season(slot) + 3 * Math.sin(slot * slot));
    const burst = noisy.map((load, slot) => (slot === 500 ? 5000 : load));
    expectClose(after(new Lags({ day: 24 }, horizon, 12), burst), step => season(699 + step), 25);
  });
});

describe("features", () => {
  it("are as many as there are columns, and none is of a load after the origin", () => {
    const seasons = fc.record({ day: fc.constantFrom(undefined, 24), week: fc.constantFrom(undefined, 168) });
    fc.assert(
      fc.property(
        seasons,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 400, max: 699 }),
        (seasons, steps, index) => {
          const features = (slots: number): number[] => {
            const loads = new Loads(700);
            series(slots, season).forEach(load => loads.append(load));
            const into = new Float64Array(64).fill(-1234);
            writeFeatures(loads, index, steps, seasons, 100, into, 0);
            return [...into];
          };
          const before = features(700);
          expect(before.indexOf(-1234)).toBe(columnsOf(seasons));
          expect(features(index + 1)).toEqual(before);
        },
      ),
    );
  });
});

describe("Loads", () => {
  it("bridge gaps of up to three slots, and no longer ones", () => {
    const loads = new Loads(100);
    [1, NaN, NaN, NaN, 5, NaN, NaN, NaN, NaN, 6].forEach(value => loads.append(value));
    expect(allOf(loads)).toEqual([1, 2, 3, 4, 5, NaN, NaN, NaN, NaN, 6]);
  });

  it("are the same where they are kept elsewhere", () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(NaN), fc.constant(1e38));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), value, (values, running) => {
        const own = new Loads(20);
        const kept: number[] = [];
        const elsewhere = new Loads(20, { at: slot => kept[slot] ?? NaN });
        for (const value of values) {
          kept.push(Math.fround(value));
          own.append(value);
          elsewhere.append(value);
          expect(allOf(elsewhere)).toEqual(allOf(own));
          expect(elsewhere.while(running, () => allOf(elsewhere))).toEqual(own.while(running, () => allOf(own)));
        }
      }),
    );
  });

  it("keep the newest, and are as before after looking at a running slot", () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(NaN), fc.constant(-1));
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        value,
        (values, capacity, running) => {
          const loads = new Loads(capacity);
          values.forEach(one => loads.append(one));
          const before = { all: allOf(loads), count: loads.count, largest: loads.largest, gap: loads.gap };
          expect(before.all).toHaveLength(Math.min(capacity, values.length));
          loads.while(running, () => expect(loads.count).toBe(values.length + 1));
          expect({ all: allOf(loads), count: loads.count, largest: loads.largest, gap: loads.gap }).toEqual(before);
        },
      ),
    );
  });
});

describe("RecentErrors", () => {
  it("know an error when the load is known, and not before", () => {
    const errors = new RecentErrors(2, 2, 10);
    errors.add(1, Float64Array.from([2, 3, 5, 5]));
    expect(errors.of(0, 1)).toBeNaN();
    errors.add(4, Float64Array.from([0, 0, 0, 0]));
    expect([errors.of(0, 1), errors.of(1, 1)]).toEqual([2, 1]);
    expect(errors.of(0, 2)).toBeNaN();
    expect(errors.best(1)).toBe(1);
    errors.add(4, Float64Array.from([0, 0, 0, 0]));
    expect([errors.of(0, 2), errors.of(1, 2)]).toEqual([1, 1]);
  });
});

describe("Interval", () => {
  it("covers what it says, and expects a batch at its time of the day", () => {
    const day = 48;
    const interval = new Interval(1, day, 0.9);
    let state = 7;
    const chance = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    let [covered, upper] = [0, NaN];
    const slots = 40 * day;
    const above = { batch: 0, quiet: 0 };
    for (let slot = 0; slot < slots; slot++) {
      const time = slot % day;
      // A forecast of 100 does not know of the batch.
      const load = 100 + 10 * chance() + (time === 20 ? 200 : 0);
      if (slot >= slots / 2 && load <= upper) covered++;
      interval.add(load, Float64Array.of(100), 5);
      upper = 100 + interval.above(1, 0.9, 5);
      if (time === 19) above.batch = upper - 100;
      if (time === 40) above.quiet = upper - 100;
    }
    expect(covered / (slots / 2)).toBeGreaterThan(0.85);
    expect(covered / (slots / 2)).toBeLessThan(0.97);
    expect(above.quiet).toBeLessThan(12);
    expect(above.batch).toBeGreaterThan(90);
  });
});

/** Rows of two features, of which targets are made; without noise. */
function tableOf(rows: number, target: (one: number, other: number) => number): Table {
  const values = new Float64Array((rows + 3) * 4);
  for (let row = 0; row < rows; row++) {
    const [one, other] = [Math.sin(row), Math.cos(3 * row)];
    values.set([one, other, target(one, other), 1], row * 4);
  }
  return { columns: 2, rows, values };
}

describe("ridge", () => {
  it("finds the function that made the targets, however far from 0 it is, and past outliers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 99 }), fc.integer({ min: -1e6, max: 1e6 }), (rows, shift) => {
        const table = tableOf(rows, (one, other) => 2 * one - 3 * other + shift);
        table.values[2] = 20 + shift;
        const fit = finished(ridge(table, 0, 1));
        const again = finished(ridge(table, 0, 1, fit));
        for (const { weights, intercept } of [fit, again]) {
          expect(weights[0]).toBeCloseTo(2, 0);
          expect(weights[1]).toBeCloseTo(-3, 0);
          expect(Math.abs(intercept - shift)).toBeLessThan(0.5);
        }
      }),
    );
  });

  it("shrinks to the mean with the penalty", () => {
    const fit = finished(
      ridge(
        tableOf(50, one => one),
        1e6,
        2,
      ),
    );
    expect(Math.abs(valueOf(fit, Float64Array.from([1, 1])))).toBeLessThan(0.1);
  });

  it("has no use for a feature that never changes", () => {
    const table = tableOf(50, one => 5 * one);
    for (let row = 0; row < 50; row++) table.values[row * 4 + 1] = 1e6;
    const fit = finished(ridge(table, 1e-6, 2));
    expect(fit.weights[1]).toBe(0);
    expect(fit.weights[0]).toBeCloseTo(5, 3);
  });
});

describe("boost", () => {
  it("finds what no line is", () => {
    const product = (one: number, other: number): number => (one > 0 && other > 0.3 ? 10 : 0);
    const table = tableOf(2000, product);
    const residuals = Float64Array.from({ length: 2000 }, (_, row) => (table.values[row * 4 + 2] ?? 0) - 2);
    const trees = finished(boost(table, residuals));
    const errors = Array.from({ length: 2000 }, (_, row) =>
      Math.abs(valueOfTrees(trees, table.values, row * 4) + 2 - (table.values[row * 4 + 2] ?? 0)),
    );
    expect(errors.reduce((sum, error) => sum + error, 0) / 2000).toBeLessThan(2);
  });
});
