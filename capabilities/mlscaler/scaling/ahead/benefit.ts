import type { Forecast, LoopSums } from "../../forecast/forecast";
import { dayMilliseconds } from "../../history/retention";

/** The control loops of a trial beside those that forecasts raise: HPA alone, and HPA raised by a fixed margin. */
export const plainLoops = ["hpa", "margin"] as const;

export interface Trial extends Record<(typeof plainLoops)[number], LoopSums> {
  /** The time with a trusted forecast, in ms. */
  tried: number;
  /** HPA raised by trusted forecasts, by the upper quantile in percent. */
  raised: Record<string, LoopSums>;
}

export interface BenefitDay extends Trial {
  /** The day, in days since the epoch. */
  day: number;
}

/** The newest days that count: a week, so that a calm weekend alone says nothing. */
const countedDays = 7;

/** The shortest trial for a verdict, in ms. */
const shortestTrial = dayMilliseconds;

/** The load of the loop with a margin, over the current one. */
export const marginFactor = 1.2;

/** Missing replicas up to this share of HPA's replicas are no difference. */
const negligible = 2e-4;

const nothing: LoopSums = { replicas: 0, missing: 0 };

export const noTrial: Trial = { tried: 0, hpa: nothing, margin: nothing, raised: {} };

const added = (one: LoopSums, other: LoopSums = nothing): LoopSums => ({
  replicas: one.replicas + other.replicas,
  missing: one.missing + other.missing,
});

/** The sum of trials with the same loops. */
const sumOf = ([first = noTrial, ...others]: Trial[]): Trial =>
  others.reduce(
    (sum, { tried, hpa, margin, raised }) => ({
      tried: sum.tried + tried,
      hpa: added(sum.hpa, hpa),
      margin: added(sum.margin, margin),
      raised: Object.fromEntries(
        Object.entries(sum.raised).map(([percent, one]) => [percent, added(one, raised[percent])]),
      ),
    }),
    first,
  );

const hasLoopsOf = (other: Trial, percents: readonly (string | number)[]): boolean =>
  Object.keys(other.raised).length === percents.length && percents.every(percent => percent in other.raised);

/** Adds the trial of a sync at `now` (epoch ms), and drops days that are over a week ago, or in the future. */
export function withTrial(days: BenefitDay[], trial: Trial, now: number): BenefitDay[] {
  if (trial.tried === 0) return days;
  const today = Math.floor(now / dayMilliseconds);
  const others = days.filter(({ day }) => day < today && day > today - countedDays);
  // Sums of other quantiles, before a change of the spec, cannot be compared.
  const before = days.filter(one => one.day === today && hasLoopsOf(one, Object.keys(trial.raised)));
  return [...others, { day: today, ...sumOf([...before, trial]) }];
}

/** The days of two processes. Of a day that both have, the longer trial counts. */
export function joinedBenefit(one: BenefitDay[], other: BenefitDay[]): BenefitDay[] {
  const days = new Map(one.map(entry => [entry.day, entry]));
  for (const entry of other) if (!(entry.tried < (days.get(entry.day)?.tried ?? 0))) days.set(entry.day, entry);
  return [...days.values()].sort((before, after) => before.day - after.day);
}

/** What the days of a trial say. */
export interface Verdict {
  sum: Trial;
  /** The upper quantile that is worth its replicas most, in percent; absent where HPA alone does as well. */
  percent?: number;
}

/**
 * Compares HPA alone and HPA raised by each of the quantiles for the same money. The margin says by how many percent
 * one percent more replicas lowers the missing ones without a forecast; it counts as 1 at least. Undefined before a
 * day of trial.
 * @param percents the quantiles that may act
 */
export function verdictOf(days: BenefitDay[], percents: readonly number[]): Verdict | undefined {
  const sum = sumOf(days.filter(day => hasLoopsOf(day, percents)));
  const { tried, hpa, margin, raised } = sum;
  if (tried < shortestTrial) return undefined;
  // A millisecond, so that no logarithm is infinite.
  const missing = (loop: LoopSums): number => Math.log(loop.missing + negligible * hpa.replicas + 1);
  const cost = ({ replicas }: LoopSums): number => Math.log(replicas + 1);
  const rate = Math.max(1, (missing(hpa) - missing(margin)) / Math.max(0.01, cost(margin) - cost(hpa)));
  const loss = (loop: LoopSums): number => missing(loop) + rate * cost(loop);
  let least = loss(hpa);
  let best: number | undefined;
  for (const percent of percents) {
    const found = loss(raised[percent] ?? hpa);
    if (found < least) [least, best] = [found, percent];
  }
  return { sum, percent: best };
}

/** The forecasts that may raise the count, at the quantile that is worth most. They lose their trust without one. */
export function withBenefit(
  forecasts: (Forecast | undefined)[],
  days: BenefitDay[],
  percents: readonly number[],
): (Forecast | undefined)[] {
  const verdict = verdictOf(days, percents);
  if (!verdict) return forecasts;
  const { percent, sum } = verdict;
  const { hpa, raised: all } = sum;
  const raised = all[percent ?? percents[0] ?? ""] ?? nothing;
  const judged = (forecast: Forecast): Forecast =>
    percent === undefined
      ? { ...forecast, trusted: false, worthless: { hpa, raised } }
      : { ...atQuantile(forecast, percent), worth: { hpa, raised } };
  return forecasts.map(forecast => (forecast?.trusted ? judged(forecast) : forecast));
}

/** The forecast with the upper quantile `percent`; its own where it has no other. */
export function atQuantile(forecast: Forecast, percent: number): Forecast {
  const other = forecast.others?.find(one => one.percent === percent);
  if (!other) return forecast;
  const { upper, nodesUpper } = other;
  const nodes = forecast.nodes && nodesUpper !== undefined && { nodes: { ...forecast.nodes, upper: nodesUpper } };
  return { ...forecast, percent, upper, ...nodes };
}
