import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import {
  BenefitDay,
  isWorth,
  joinedBenefit,
  Trial,
  withBenefit,
  withTrial,
} from "../../../../capabilities/mlscaler/scaling/benefit";

const hour = 3_600_000;
const day = 24 * hour;
const monday = 20_000;

/** The days of trials, one an hour from Monday 00:00 on. */
const after = (hours: number, trialAt: (hour: number) => Partial<Trial>): BenefitDay[] =>
  Array.from({ length: hours }, (_, index) => index).reduce<BenefitDay[]>(
    (days, index) =>
      withTrial(days, { ...{ tried: hour, saved: 0, added: 0 }, ...trialAt(index) }, monday * day + index * hour),
    [],
  );

const forecast: Forecast = {
  ...{ model: "lags", load: 5, upper: 6, samples: 288, wanted: 288, horizonSeconds: 110, trusted: true },
};

describe("a forecast", () => {
  it("is worth its replicas without a day of trial", () => {
    expect(isWorth([])).toBe(true);
    expect(isWorth(after(23, () => ({ added: hour })))).toBe(true);
    expect(isWorth(after(24, () => ({ added: hour })))).toBe(false);
  });

  it("is worth 200 added replicas for each missing one that it saves", () => {
    const saving = (added: number): BenefitDay[] =>
      after(24, at => (at === 8 ? { saved: hour } : { added: added * hour }));
    expect(isWorth(saving(200 / 23))).toBe(true);
    expect(isWorth(saving(201 / 23))).toBe(false);
    expect(isWorth(after(24, () => ({})))).toBe(true);
  });

  it("is worth its replicas over a calm weekend, for what it saved in the week, and not over two calm weeks", () => {
    const savesOnFriday = (at: number): Partial<Trial> => ({ added: hour, ...(at === 4 * 24 + 9 && { saved: hour }) });
    expect(isWorth(after(7 * 24, savesOnFriday))).toBe(true);
    expect(isWorth(after(11 * 24 - 1, savesOnFriday))).toBe(true);
    expect(isWorth(after(11 * 24 + 1, savesOnFriday))).toBe(false);
  });

  it("is not tried while none is trusted", () => {
    expect(after(100, () => ({ tried: 0, added: hour }))).toEqual([]);
  });

  it("loses its trust with what it saved and added, and others have none to lose", () => {
    const days = after(24, () => ({ saved: 1, added: hour }));
    const untrusted = { ...forecast, trusted: false };
    expect(withBenefit([forecast, undefined, untrusted], days)).toEqual([
      { ...forecast, trusted: false, worthless: { saved: 24, added: 24 * hour } },
      undefined,
      untrusted,
    ]);
    expect(withBenefit([forecast], [])).toEqual([forecast]);
  });
});

describe("the days of a benefit", () => {
  const trials = fc.array(
    fc.record({
      at: fc.integer({ min: monday * day, max: (monday + 20) * day }),
      trial: fc.record({ tried: fc.integer({ min: 0, max: hour }), saved: fc.nat(hour), added: fc.nat(hour) }),
    }),
    { maxLength: 60 },
  );

  it("are those of the last week, one entry each, whatever the clock does", () => {
    fc.assert(
      fc.property(trials, given => {
        let days: BenefitDay[] = [];
        for (const { at, trial } of given) {
          days = withTrial(days, trial, at);
          const today = Math.floor(at / day);
          if (trial.tried === 0) continue;
          expect(days.every(entry => entry.day <= today && entry.day > today - 7)).toBe(true);
          expect(new Set(days.map(entry => entry.day)).size).toBe(days.length);
          expect(days.at(-1)?.day).toBe(today);
        }
      }),
    );
  });

  it("of two processes count once, the longer trial of a day", () => {
    const short = after(30, () => ({ added: 1 }));
    const long = after(40, () => ({ added: 1 }));
    expect(joinedBenefit(short, long)).toEqual(long);
    expect(joinedBenefit(long, short)).toEqual(long);
    expect(joinedBenefit(short, [])).toEqual(short);
    const later = withTrial([], { tried: hour, saved: 0, added: 0 }, (monday + 3) * day);
    expect(joinedBenefit(later, short)).toEqual([...short, ...later]);
  });
});
