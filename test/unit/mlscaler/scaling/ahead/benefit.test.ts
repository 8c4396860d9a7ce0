import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast, LoopSums } from "../../../../../capabilities/mlscaler/forecast/forecast";
import {
  atQuantile,
  BenefitDay,
  joinedBenefit,
  noTrial,
  Trial,
  verdictOf,
  withBenefit,
  withTrial,
} from "../../../../../capabilities/mlscaler/scaling/ahead/benefit";

const hour = 3_600_000;
const day = 24 * hour;
const monday = 20_000;

const short = (missing: number, replicas = 10): LoopSums => ({ replicas: replicas * hour, missing: missing * hour });

/** A trial of an hour: HPA alone, and with a margin that costs 20 % more. */
const trialOf = (hpa: LoopSums, margin: LoopSums, raised: Trial["raised"]): Trial => ({
  ...{ tried: hour, hpa, margin, raised },
});

/** A trial of an hour of one quantile that costs as much as the margin, by the replicas that each loop is short of. */
const short90 = (hpa: number, raised: number, margin: number): Trial =>
  trialOf(short(hpa), short(margin, 12), { 90: short(raised, 12) });

/** The days of trials, one an hour from Monday 00:00 on. */
const after = (hours: number, trialAt: (hour: number) => Trial): BenefitDay[] =>
  Array.from({ length: hours }, (_, index) => index).reduce<BenefitDay[]>(
    (days, index) => withTrial(days, trialAt(index), monday * day + index * hour),
    [],
  );

const forecast: Forecast = {
  ...{ model: "lags", load: 5, upper: 6, samples: 288, wanted: 288, horizonSeconds: 110, trusted: true },
  ...{ percent: 90, others: [{ percent: 60, upper: 5.5, nodesUpper: 7 }] },
  nodes: { horizonSeconds: 300, upper: 8 },
};

/** The quantile that acts after a day of such hours; undefined for HPA alone. */
const bestOf = (trial: Trial): number | undefined =>
  verdictOf(
    after(24, () => trial),
    Object.keys(trial.raised).map(Number),
  )?.percent;

describe("a forecast", () => {
  it("has no verdict without a day of trial", () => {
    expect(verdictOf([], [90])).toBeUndefined();
    expect(
      verdictOf(
        after(23, () => short90(0, 0, 0)),
        [90],
      ),
    ).toBeUndefined();
  });

  it("is worth its replicas where HPA for the same money misses more", () => {
    expect(bestOf(short90(5, 1, 2))).toBe(90);
    expect(bestOf(short90(5, 2, 1))).toBeUndefined();
    expect(bestOf(short90(5, 5, 5))).toBeUndefined();
    expect(bestOf(short90(5, 0, 0.1))).toBe(90);
  });

  it("gives way to a lower quantile that saves more for the same money, and to a higher one", () => {
    // Of HPA, 20 % more replicas lower what is missing to a half.
    const bursts = { 60: short(2, 11), 90: short(1.9, 14), 95: short(1.8, 20) };
    expect(bestOf(trialOf(short(4), short(2, 12), bursts))).toBe(60);
    const steady = { 60: short(2, 11), 90: short(1, 12), 95: short(0.1, 14) };
    expect(bestOf(trialOf(short(4), short(2, 12), steady))).toBe(95);
  });

  it("costs too much where nothing is missing, and where it saves next to nothing", () => {
    expect(bestOf(short90(0, 0, 0))).toBeUndefined();
    expect(bestOf(short90(0.0003, 0, 0.0003))).toBeUndefined();
    expect(bestOf(trialOf(short(0, 0), short(0, 0), { 90: short(0, 0) }))).toBeUndefined();
  });

  it("is worth its replicas over a calm weekend, for what it saved in the week, and not over two calm weeks", () => {
    const savesOnFriday = (at: number): Trial => (at === 4 * 24 + 9 ? short90(1000, 0, 1000) : short90(0, 0, 0));
    const after90 = (hours: number): number | undefined => verdictOf(after(hours, savesOnFriday), [90])?.percent;
    expect(after90(7 * 24)).toBe(90);
    expect(after90(11 * 24)).toBe(90);
    expect(after90(11 * 24 + 1)).toBeUndefined();
  });

  it("has another trial when the spec names another quantile", () => {
    const days = after(24, () => short90(5, 1, 2));
    expect(verdictOf(days, [85])).toBeUndefined();
    const [today] = withTrial(days, trialOf(short(1), short(1), { 85: short(1) }), monday * day + 23 * hour);
    expect(today).toMatchObject({ tried: hour, raised: { 85: short(1) } });
  });

  it("loses its trust with what each loop was short of, and others have none to lose", () => {
    const days = after(24, () => short90(0, 0, 0));
    const untrusted = { ...forecast, trusted: false };
    expect(withBenefit([forecast, undefined, untrusted], days, [90])).toMatchObject([
      { trusted: false, worthless: { hpa: { replicas: 240 * hour, missing: 0 }, raised: { replicas: 288 * hour } } },
      undefined,
      untrusted,
    ]);
    expect(withBenefit([forecast], [], [90])).toEqual([forecast]);
  });

  it("acts at the quantile that is worth most, with what it brought", () => {
    const bursts = { 60: short(2, 11), 90: short(1.9, 14) };
    const days = after(24, () => trialOf(short(4), short(2, 12), bursts));
    expect(withBenefit([forecast], days, [90, 60])).toMatchObject([
      {
        ...{ trusted: true, percent: 60, upper: 5.5, nodes: { horizonSeconds: 300, upper: 7 } },
        worth: { hpa: { replicas: 240 * hour }, raised: { replicas: 264 * hour } },
      },
    ]);
    expect(atQuantile(forecast, 90)).toBe(forecast);
  });
});

describe("the days of a benefit", () => {
  const sums = fc.record({ replicas: fc.nat(hour), missing: fc.nat(hour) });
  const trials = fc.array(
    fc.record({
      at: fc.integer({ min: monday * day, max: (monday + 20) * day }),
      trial: fc.record({
        ...{ tried: fc.integer({ min: 0, max: hour }), hpa: sums, margin: sums },
        raised: fc.record({ 90: sums }),
      }),
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
    const few = after(30, () => short90(1, 0, 0));
    const many = after(40, () => short90(1, 0, 0));
    expect(joinedBenefit(few, many)).toEqual(many);
    expect(joinedBenefit(many, few)).toEqual(many);
    expect(joinedBenefit(few, [])).toEqual(few);
    const later = withTrial([], { ...noTrial, tried: hour }, (monday + 3) * day);
    expect(joinedBenefit(later, few)).toEqual([...few, ...later]);
  });
});
