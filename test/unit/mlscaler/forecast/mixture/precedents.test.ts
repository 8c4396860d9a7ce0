import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Precedents, type Verdict } from "../../../../../capabilities/mlscaler/forecast/mixture/precedents";

const day = 48;
/** A load that moves by at most 4 from one slot to the next. */
const usual = (slot: number): number => 100 + 2 * (slot % 3);

const judged = (loads: number[]): Verdict[] => {
  const precedents = new Precedents(day);
  return loads.map(load => precedents.take(load));
};
/** Two days of the usual load, and then these loads. */
const after = (...loads: number[]): Verdict[] =>
  judged([...Array.from({ length: 2 * day }, (_, slot) => usual(slot)), ...loads]).slice(2 * day);
const doubted = (verdicts: Verdict[]): boolean[] => verdicts.map(verdict => verdict.doubted);

describe("a load", () => {
  const garbage = fc.oneof(fc.double({ min: 0, max: 1e30, noNaN: true }), fc.constant(0), fc.constant(1e30));

  it("that jumps by more than any before is doubted once, and the loads after it are believed", () => {
    fc.assert(
      fc.property(garbage, value => {
        const verdicts = doubted(after(value, 102, 100, 104));
        expect(verdicts[0]).toBe(Math.abs(value - 104) > 0.05 * 104);
        if (verdicts[0]) expect(verdicts.slice(1)).toEqual([false, false, false]);
        // A load that is believed is the one that the next jumps from.
        else expect(verdicts[1]).toBe(Math.abs(102 - value) > Math.max(5, 0.05 * value));
      }),
    );
  });

  it("is believed from its third slot on, with the two before", () => {
    expect(after(100, 300, 301, 302, 303)).toEqual([
      { doubted: false },
      { doubted: true },
      { doubted: true },
      { doubted: false, provedFrom: 2 * day + 1 },
      { doubted: false },
    ]);
  });

  it("that lasts is believed within two hours, however much more it moves there", () => {
    const loads = fc.array(fc.double({ min: 1000, max: 1e6, noNaN: true }), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(loads, higher => {
        const verdicts = after(...higher);
        // No more than two are doubted at a time.
        for (let slot = 2; slot < 24; slot++)
          expect(doubted(verdicts.slice(slot - 2, slot + 1))).not.toEqual([true, true, true]);
        expect(verdicts.slice(0, 3).some(({ provedFrom }) => provedFrom !== undefined)).toBe(true);
      }),
    );
  });

  it("that comes every day is believed from the fourth day on", () => {
    const batch = Array.from({ length: 8 * day }, (_, slot) =>
      slot > 2 * day && slot % day === 20 ? 300 : usual(slot),
    );
    const verdicts = doubted(judged(batch));
    const days = verdicts.flatMap((doubt, slot) => (doubt ? [Math.floor(slot / day)] : []));
    expect(days).toEqual([2, 3, 4]);
  });

  it("is not doubted on the first day, nor by less than 5 %, nor because of what it was before four weeks", () => {
    expect(doubted(judged([1, 1000, 1, 1e30, 2]))).toEqual([false, false, false, false, false]);
    const flat = Array.from({ length: 2 * day }, () => 100);
    expect(doubted(judged([...flat, 104, 100, 106])).slice(2 * day)).toEqual([false, false, true]);
    const restless = Array.from({ length: day }, (_, slot) => (slot % 2 === 0 ? 100 : 900));
    const calm = (days: number): number[] => Array.from({ length: days * day }, () => 100);
    expect(doubted(judged([...restless, ...calm(26), 900])).at(-1)).toBe(false);
    expect(doubted(judged([...restless, ...calm(28), 900])).at(-1)).toBe(true);
  });

  it("after a gap may have moved as often as it was not known, which sets no precedent", () => {
    const gaps = Array.from({ length: 10 }, (_, index) => [NaN, NaN, NaN, NaN, index % 2 === 0 ? 120 : 100]).flat();
    const verdicts = doubted(after(...gaps, 100, 150));
    expect(verdicts.slice(0, -1)).not.toContain(true);
    expect(verdicts.at(-1)).toBe(true);
  });
});

describe("the highest load", () => {
  /** Days of the usual load that begin with these loads. */
  const highestAfter = (days: number, ...first: number[]): number => {
    const precedents = new Precedents(day);
    for (let slot = 0; slot < days * day; slot++) precedents.take(first[slot] ?? usual(slot));
    return precedents.highest;
  };

  it("is the third of four weeks: two garbage slots do not raise it, and three do for as long", () => {
    expect(highestAfter(1)).toBe(104);
    expect(highestAfter(20, 1e5, 1e5)).toBe(104);
    expect(highestAfter(28, 1e5, 1e5, 1e5)).toBe(1e5);
    expect(highestAfter(29, 1e5, 1e5, 1e5)).toBe(104);
  });

  it("follows a level that lasts, as soon as it is believed", () => {
    const precedents = new Precedents(day);
    for (let slot = 0; slot < 2 * day; slot++) precedents.take(usual(slot));
    const seen = [300, 301, 302].map(load => (precedents.take(load), precedents.highest));
    expect(seen).toEqual([104, 104, 302]);
  });
});
