import type { Forecast } from "../forecast/forecast";
import { dayMilliseconds } from "../history/time";

/** What the trusted forecast of a target brought and cost on one day. */
export interface BenefitDay {
  /** The day, in days since the epoch. */
  day: number;
  /** The time with a trusted forecast, in ms. */
  tried: number;
  /** The replicas that were missing with HPA alone and were there with the forecast, times ms. */
  saved: number;
  /** The replicas that the forecast added to those of HPA alone, times ms. */
  added: number;
}

/** What a trusted forecast brought and cost since the sync before, in ms and replicas times ms. */
export type Trial = Omit<BenefitDay, "day">;

/** The newest days that count: a week, so that a calm weekend alone says nothing. */
const countedDays = 7;

/** The shortest trial for a verdict, in ms. */
const shortestTrial = dayMilliseconds;

/** How many added replicas a missing one is worth, over the same time. */
export const worthOfMissing = 200;

/** Adds the trial of a sync at `now` (epoch ms), and drops days that are over a week ago, or in the future. */
export function withTrial(days: BenefitDay[], trial: Trial, now: number): BenefitDay[] {
  if (trial.tried === 0) return days;
  const today = Math.floor(now / dayMilliseconds);
  const others = days.filter(({ day }) => day < today && day > today - countedDays);
  const before = days.find(({ day }) => day === today) ?? { tried: 0, saved: 0, added: 0 };
  return [
    ...others,
    {
      day: today,
      tried: before.tried + trial.tried,
      saved: before.saved + trial.saved,
      added: before.added + trial.added,
    },
  ];
}

/** The days of two processes. Of a day that both have, the longer trial counts. */
export function joinedBenefit(one: BenefitDay[], other: BenefitDay[]): BenefitDay[] {
  const days = new Map(one.map(entry => [entry.day, entry]));
  for (const entry of other) if (!(entry.tried < (days.get(entry.day)?.tried ?? 0))) days.set(entry.day, entry);
  return [...days.values()].sort((before, after) => before.day - after.day);
}

/** The sums of all days. */
const benefitOf = (days: BenefitDay[]): Trial =>
  days.reduce(
    (sum, { tried, saved, added }) => ({
      tried: sum.tried + tried,
      saved: sum.saved + saved,
      added: sum.added + added,
    }),
    { tried: 0, saved: 0, added: 0 },
  );

/**
 * Whether forecasts are worth their replicas: unless the replicas that they added in the last week outweigh the missing
 * replicas that they saved. Without a day of trial they are.
 */
export function isWorth(days: BenefitDay[]): boolean {
  const { tried, saved, added } = benefitOf(days);
  return tried < shortestTrial || worthOfMissing * saved >= added;
}

/** The forecasts that may raise the count. They lose their trust when they are not worth their replicas. */
export function withBenefit(forecasts: (Forecast | undefined)[], days: BenefitDay[]): (Forecast | undefined)[] {
  if (isWorth(days)) return forecasts;
  const { saved, added } = benefitOf(days);
  return forecasts.map(forecast =>
    forecast?.trusted ? { ...forecast, trusted: false, worthless: { saved, added } } : forecast,
  );
}
