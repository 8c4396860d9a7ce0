import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../../capabilities/mlscaler/forecast/forecast";
import {
  BenefitDay,
  isWorth,
  joinedBenefit,
  LoopSums,
  marginOf,
  noTrial,
  Trial,
  withBenefit,
  withTrial,
} from "../../../../../capabilities/mlscaler/scaling/ahead/benefit";

const hour = 3_600_000;
const day = 24 * hour;
const monday = 20_000;

const short = (missing: number, replicas = 10): LoopSums => ({ replicas: replicas * hour, missing: missing * hour });

/** A trial of an hour, by the replicas that each loop is short of. */
const trialOf = (hpa: number, raised: number, margin: number): Trial => ({
  ...{ tried: hour, hpa: short(hpa), raised: short(raised, 12), margin: short(margin, 12) },
});

/** The days of trials, one an hour from Monday 00:00 on. */
const after = (hours: number, trialAt: (hour: number) => Trial): BenefitDay[] =>
  Array.from({ length: hours }, (_, index) => index).reduce<BenefitDay[]>(
    (days, index) => withTrial(days, trialAt(index), monday * day + index * hour),
    [],
  );

const forecast: Forecast = {
  ...{ model: "lags", load: 5, upper: 6, samples: 288, wanted: 288, horizonSeconds: 110, trusted: true },
};

describe("a forecast", () => {
  it("is worth its replicas without a day of trial", () => {
    expect(isWorth([])).toBe(true);
    expect(isWorth(after(23, () => trialOf(0, 0, 0)))).toBe(true);
    expect(isWorth(after(24, () => trialOf(0, 0, 0)))).toBe(false);
  });

  it("is worth its replicas where HPA alone misses more, and a margin no less than half", () => {
    const worth = (hpa: number, raised: number, margin: number): boolean =>
      isWorth(after(24, () => trialOf(hpa, raised, margin)));
    expect(worth(5, 1, 2)).toBe(true);
    expect(worth(5, 2, 1)).toBe(true);
    expect(worth(5, 2.1, 1)).toBe(false);
    expect(worth(5, 5, 5)).toBe(false);
    expect(worth(5, 0, 0)).toBe(true);
  });

  it("is worth its replicas over a calm weekend, for what it saved in the week, and not over two calm weeks", () => {
    const savesOnFriday = (at: number): Trial => (at === 4 * 24 + 9 ? trialOf(1, 0, 1) : trialOf(0, 0, 0));
    expect(isWorth(after(7 * 24, savesOnFriday))).toBe(true);
    expect(isWorth(after(11 * 24, savesOnFriday))).toBe(true);
    expect(isWorth(after(11 * 24 + 1, savesOnFriday))).toBe(false);
  });

  it("loses its trust with what each loop was short of, and others have none to lose", () => {
    const days = after(24, () => trialOf(0, 0, 0));
    const untrusted = { ...forecast, trusted: false };
    expect(withBenefit([forecast, undefined, untrusted], days)).toMatchObject([
      { trusted: false, worthless: { hpa: { replicas: 240 * hour, missing: 0 }, raised: { replicas: 288 * hour } } },
      undefined,
      untrusted,
    ]);
    expect(withBenefit([forecast], [])).toEqual([forecast]);
  });
});

describe("the margin", () => {
  it("is 1 without a trial, and where the forecast adds nothing", () => {
    expect(marginOf([])).toBe(1);
    expect(marginOf(after(24, () => ({ ...trialOf(0, 0, 0), raised: short(0, 9) })))).toBe(1);
  });

  it("costs as much as the forecast, and corrects what it was off", () => {
    expect(marginOf(after(24, () => trialOf(1, 0, 0)))).toBeCloseTo(1.2, 9);
    // It had 11 replicas where the forecast had 12.
    expect(marginOf(after(24, () => ({ ...trialOf(1, 0, 0), margin: short(0, 11) })))).toBeCloseTo(1.2 * (12 / 11), 9);
  });
});

describe("the days of a benefit", () => {
  const sums = fc.record({ replicas: fc.nat(hour), missing: fc.nat(hour) });
  const trials = fc.array(
    fc.record({
      at: fc.integer({ min: monday * day, max: (monday + 20) * day }),
      trial: fc.record({ tried: fc.integer({ min: 0, max: hour }), hpa: sums, raised: sums, margin: sums }),
    }),
    { maxLength: 60 },
  );

  it("are those of the last week, one entry each, whatever the clock does", () => {
    fc.assert(
      fc.property(trials, given => {
        let days: BenefitDay[] = [];
        for (const { at, trial } of given) {
          const before = days;
          days = withTrial(days, trial, at);
          const today = Math.floor(at / day);
          if (trial.tried === 0) continue;
          expect(days.every(entry => entry.day <= today && entry.day > today - 7)).toBe(true);
          expect(new Set(days.map(entry => entry.day)).size).toBe(days.length);
          const tried = (of: BenefitDay[]): number => of.find(entry => entry.day === today)?.tried ?? 0;
          expect(tried(days)).toBe(tried(before) + trial.tried);
        }
      }),
    );
  });

  it("of two processes count once, the longer trial of a day", () => {
    const few = after(30, () => trialOf(1, 0, 0));
    const many = after(40, () => trialOf(1, 0, 0));
    expect(joinedBenefit(few, many)).toEqual(many);
    expect(joinedBenefit(many, few)).toEqual(many);
    expect(joinedBenefit(few, [])).toEqual(few);
    const later = withTrial([], { ...noTrial, tried: hour }, (monday + 3) * day);
    expect(joinedBenefit(later, few)).toEqual([...few, ...later]);
  });
});
