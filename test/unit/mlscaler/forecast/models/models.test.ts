import { describe, expect, it } from "vitest";
import type { Expert } from "../../../../../capabilities/mlscaler/forecast/models/expert";
import { Holt } from "../../../../../capabilities/mlscaler/forecast/models/holt";
import { HoltWinters } from "../../../../../capabilities/mlscaler/forecast/models/holt-winters";
import { Lags } from "../../../../../capabilities/mlscaler/forecast/regression/lags";
import { last } from "../../../../../capabilities/mlscaler/forecast/models/last";
import { Loads } from "../../../../../capabilities/mlscaler/forecast/loads";
import { Usual } from "../../../../../capabilities/mlscaler/forecast/models/usual";
import { line, polynomial, theilSen } from "../../../../../capabilities/mlscaler/forecast/models/window";
import { runSlices } from "../../../../../capabilities/mlscaler/forecast/sliced";
import { season, series } from "../loads-by-slot";

const horizon = 4;

function refit(expert: Expert, loads: Loads): void {
  const slices = expert.refit?.(loads, "live");
  if (slices) runSlices(slices);
}

/** The forecast of an expert after `values`. */
function after(expert: Expert, values: number[]): number[] {
  const loads = new Loads(1000);
  for (const value of values) {
    loads.append(value);
    expert.learn?.(loads);
    refit(expert, loads);
  }
  const into = new Float64Array(horizon);
  expert.predict(loads, into);
  return [...into];
}

function expectClose(actual: number[], load: (step: number) => number, tolerance: number): void {
  actual.forEach((value, index) => expect(Math.abs(value - load(index + 1))).toBeLessThan(tolerance));
}

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
    new Usual("day", 24, 1, horizon, 48),
    new Usual("usual_day", 24, 7, horizon, 48),
    new Lags({ day: 24 }, horizon, 12),
    new Lags({ day: 24, week: 168 }, horizon, 12),
  ])("$name: learns a season", model => {
    expectClose(after(model, series(700, season)), step => season(699 + step), 8);
  });

  it("usual: repeats the last season beyond one season", () => {
    expect(after(new Usual("short", 3, 1, horizon, 10), [1, 2, 3, 1, 2, 3])).toEqual([1, 2, 3, 1]);
  });

  it("usual: a holiday leaves no trace, and what today differs lasts as long as usual", () => {
    const holiday = (slot: number): number => (slot >= 25 * 24 && slot < 26 * 24 ? 20 : season(slot));
    const usual = (): Usual => new Usual("usual_day", 24, 7, horizon, 48);
    expectClose(after(usual(), series(26 * 24 + 10, holiday)), step => season(26 * 24 + 9 + step), 1);
    expect(Math.abs((after(new Usual("day", 24, 1, 1, 48), series(26 * 24, holiday))[0] ?? NaN) - 100)).toBeGreaterThan(
      50,
    );
    // Every fifth day has 30 more all day long.
    const higher = (slot: number): number => season(slot) + (Math.floor(slot / 24) % 5 === 4 ? 30 : 0);
    expectClose(
      after(
        usual(),
        series(24 * 24 + 10, slot => season(slot)),
      ),
      step => season(585 + step),
      1,
    );
    expectClose(after(usual(), series(24 * 24 + 250, higher)), step => higher(825 + step), 8);
  });

  it("usual: is silent without a season, and in the middle of an even number of loads", () => {
    const usual = (): Usual => new Usual("short", 4, 2, horizon, 10);
    expect(after(usual(), [1, 2, 3])).toEqual([NaN, 1, 2, 3].map(() => NaN));
    const [next] = after(usual(), [1, 2, 3, 4, 3, 2, 3, 4]);
    expect(next).toBe(2);
  });

  it("lags: learns without a season", () => {
    // Each load is the mean of the last two, and some noise.
    const values = [10, 20];
    for (let slot = 2; slot < 400; slot++) {
      values.push(((values[slot - 1] ?? 0) + (values[slot - 2] ?? 0)) / 2 + 5 * Math.sin(slot * slot));
    }
    values.push(200);
    const [next = NaN] = after(new Lags({}, horizon, 1), values);
    expect(next).toBeLessThan(150);
  });

  it("lags: refit once a period, shifted by the phase", () => {
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
