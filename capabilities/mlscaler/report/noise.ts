import { isDeepStrictEqual } from "node:util";
import { parseQuantity } from "../../kubernetes/quantity";
import { defaultTolerance } from "../hpa-defaults";
import type { Replaying } from "../forecast/forecast";
import { Status } from "../schema";

type NextDay = NonNullable<Status["forecast"]>["next_24h"];

const noisePoints = 5;

/** The noise threshold of loads, as a ratio. Changes below it cause no status write. */
const noise = defaultTolerance / 2;

/** The noise threshold of times that pods take, in seconds: the step of the horizon. */
const noiseSeconds = 10;

/** Whether `next` differs from `previous` by more than noise. */
export const worthWriting = (previous: Status, next: Status): boolean =>
  !isDeepStrictEqual(compared(previous), compared(withoutNoise(next, previous)));

/**
 * The status to write: that of before while a replay has begun and changes figures alone. Most replays end soon, and each
 * write costs the API server as much as four reads.
 */
export const settled = (previous: Status, next: Status, replaying: Replaying | undefined): Status =>
  replaying === "Begun" && !worthWriting(withoutForecast(previous), withoutForecast(next)) ? previous : next;

/** What the absence of a forecast leaves as it is. */
const withoutForecast = ({ conditions = [], ...status }: Status): Status => ({
  ...status,
  ...{ load: undefined, forecast: undefined, metrics: undefined, decision: undefined, lead: undefined },
  shadow: undefined,
  conditions: conditions.flatMap(one => (one.type === "ForecastReady" ? [] : { ...one, message: "" })),
});

// The messages of failures count without the words that have a digit: foreign counters, times and ids would make each
// sync a write.
function compared({ conditions = [], ...status }: Status): unknown {
  const reduced = conditions.map(({ message, ...condition }) => {
    const isWhole = condition.status === "True" || condition.type === "ForecastReady";
    return { ...condition, message: isWhole ? message : message.split(/\s/).filter(word => !/\d/.test(word)) };
  });
  return JSON.parse(JSON.stringify({ ...status, conditions: reduced }));
}

/** `next` with the values of `previous` that it only differs from by noise, and the texts and times that follow. */
function withoutNoise(next: Status, previous: Status): Status {
  const { load, forecast, metrics, decision } = previous;
  return {
    ...next,
    load: loadOf(next.load, load),
    forecast: next.forecast && {
      ...next.forecast,
      load: loadOf(next.forecast.load, forecast?.load),
      upper: loadOf(next.forecast.upper, forecast?.upper),
      at: next.forecast.at && (forecast?.at ?? next.forecast.at),
      skill_percent: percentOf(next.forecast.skill_percent, forecast?.skill_percent),
      coverage_percent: percentOf(next.forecast.coverage_percent, forecast?.coverage_percent),
      replica_hours_added: hoursOf(next.forecast.replica_hours_added, forecast?.replica_hours_added),
      missing_replica_hours_saved: hoursOf(
        next.forecast.missing_replica_hours_saved,
        forecast?.missing_replica_hours_saved,
      ),
      next_24h: nextDayOf(next.forecast.next_24h, forecast?.next_24h),
    },
    lead: next.lead && leadOf(next.lead, previous.lead),
    metrics: next.metrics?.map((metric, index) => ({
      ...metric,
      current: loadOf(metric.current, metrics?.[index]?.current),
      forecast: loadOf(metric.forecast, metrics?.[index]?.forecast),
    })),
    decision: next.decision && { ...next.decision, reason: decision?.reason ?? next.decision.reason },
  };
}

function loadOf(next: string | undefined, previous: string | undefined): string | undefined {
  const [one = NaN, other = NaN] = [next, previous].map(text => parseQuantity(text?.replace("%", "") ?? ""));
  return Math.abs(one - other) <= noise * Math.max(one, other) ? previous : next;
}

function leadOf(next: NonNullable<Status["lead"]>, previous: Status["lead"]): Status["lead"] {
  const isNear = (["start_up_seconds", "node_seconds"] as const).every(
    part => Math.abs((next[part] ?? 0) - (previous?.[part] ?? 0)) < noiseSeconds,
  );
  return previous && isNear ? previous : next;
}

/** The skill alone is noise as in a forecast; the peak is not. */
const nextDayOf = (next: NextDay, previous: NextDay): NextDay =>
  next && { ...next, skill_percent: percentOf(next.skill_percent, previous?.skill_percent) ?? next.skill_percent };

const hoursOf = (next?: number, previous?: number): number | undefined =>
  Math.abs((next ?? NaN) - (previous ?? NaN)) <= noise * Math.abs(next ?? NaN) ? previous : next;

const percentOf = (next?: number, previous?: number): number | undefined =>
  Math.abs((next ?? NaN) - (previous ?? NaN)) < noisePoints ? previous : next;
