import type { Forecast } from "../../forecast/forecast";
import { dayMilliseconds } from "../../history/retention";

export interface LoopSums {
  /** Replicas, times ms. */
  replicas: number;
  /** Replicas that a load needed beyond the ready ones, times ms. */
  missing: number;
}

/** The control loops of a trial: HPA alone, HPA raised by trusted forecasts, and HPA raised by a fixed margin. */
export const loops = ["hpa", "raised", "margin"] as const;

export interface Trial extends Record<(typeof loops)[number], LoopSums> {
  /** The time with a trusted forecast, in ms. */
  tried: number;
}

export interface BenefitDay extends Trial {
  /** The day, in days since the epoch. */
  day: number;
}

/** The newest days that count: a week, so that a calm weekend alone says nothing. */
const countedDays = 7;

/** The shortest trial for a verdict, in ms. */
const shortestTrial = dayMilliseconds;

/** How many times the missing replicas of a fixed margin the forecasts may miss. */
const doubt = 2;

const nothing = { replicas: 0, missing: 0 };

export const noTrial: Trial = { tried: 0, hpa: nothing, raised: nothing, margin: nothing };

const added = (one: LoopSums, other: LoopSums): LoopSums => ({
  replicas: one.replicas + other.replicas,
  missing: one.missing + other.missing,
});

const sumOf = (trials: Trial[]): Trial =>
  trials.reduce(
    (sum, trial) => ({
      tried: sum.tried + trial.tried,
      hpa: added(sum.hpa, trial.hpa),
      raised: added(sum.raised, trial.raised),
      margin: added(sum.margin, trial.margin),
    }),
    noTrial,
  );

/** Adds the trial of a sync at `now` (epoch ms), and drops days that are over a week ago, or in the future. */
export function withTrial(days: BenefitDay[], trial: Trial, now: number): BenefitDay[] {
  if (trial.tried === 0) return days;
  const today = Math.floor(now / dayMilliseconds);
  const others = days.filter(({ day }) => day < today && day > today - countedDays);
  const before = days.filter(({ day }) => day === today);
  return [...others, { day: today, ...sumOf([...before, trial]) }];
}

/** The days of two processes. Of a day that both have, the longer trial counts. */
export function joinedBenefit(one: BenefitDay[], other: BenefitDay[]): BenefitDay[] {
  const days = new Map(one.map(entry => [entry.day, entry]));
  for (const entry of other) if (!(entry.tried < (days.get(entry.day)?.tried ?? 0))) days.set(entry.day, entry);
  return [...days.values()].sort((before, after) => before.day - after.day);
}

/** The factor on the load with which HPA costs as much as the forecasts do, corrected by what it cost so far. */
export function marginOf(days: BenefitDay[]): number {
  const { hpa, raised, margin } = sumOf(days);
  if (!(hpa.replicas > 0 && margin.replicas > 0)) return 1;
  return Math.max(1, (raised.replicas / hpa.replicas) * (raised.replicas / margin.replicas));
}

/** Whether HPA misses less with forecasts than alone, and no more than twice what a margin of their cost misses. */
export function isWorth(days: BenefitDay[]): boolean {
  const { tried, hpa, raised, margin } = sumOf(days);
  return tried < shortestTrial || (raised.missing < hpa.missing && raised.missing <= doubt * margin.missing);
}

/** The forecasts that may raise the count. They lose their trust when they are not worth their replicas. */
export function withBenefit(forecasts: (Forecast | undefined)[], days: BenefitDay[]): (Forecast | undefined)[] {
  if (isWorth(days)) return forecasts;
  const worthless = sumOf(days);
  return forecasts.map(forecast => (forecast?.trusted ? { ...forecast, trusted: false, worthless } : forecast));
}
