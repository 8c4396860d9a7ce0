import { nextTime } from "../../capabilities/mlscaler/scaling/schedule/cron";

/** The windows between the times of two cron expressions. */
interface Windows {
  /** The length of the longest window in seconds; undefined when none opens. */
  seconds?: number;
  /** Whether all windows are equally long, and each start opens one. */
  even: boolean;
  /** The lengths by the weekday on which a window opens, 0 is Sunday, where those of each weekday are equally long. */
  byWeekday?: Map<number, number>;
}

/** The limits on the starts that are looked at: a year of a daily window, and 29 February of a yearly one. */
const mostStarts = 400;
const mostMilliseconds = 9 * 366 * 24 * 3600 * 1000;
const weekMilliseconds = 7 * 24 * 3600 * 1000;

/** A cron expression of every day of the month and every month: its times are the same in each week. */
const weekly = /^\S+ \S+ \* \* \S+$/;

/** How far before the next start the last end is searched, in milliseconds, from the shortest on. */
const lookBack = [1, 24, 8 * 24, 40 * 24, 400 * 24, 9 * 366 * 24].map(hours => hours * 3_600_000);

/** The next time of a cron expression after another one. Any zone works for lengths by the wall clock. */
const next = (cron: string, after: number): number | undefined => nextTime({ cron, timezone: "UTC" }, after);

/**
 * The windows of a cron trigger by the rule of KEDA (pkg/scalers/cron_scaler.go): one is open while the next `end`
 * comes before the next `start`, so it lasts until the last `end` before the next `start`. Both are valid cron
 * expressions. The lengths are those of the wall clock, so a change to or from daylight saving time does not count.
 */
export function windowsOf(start: string, end: string): Windows {
  const lengths = new Set<number>();
  const byWeekday = new Map<number, Set<number>>();
  let even = true;
  // Any reference time works, because cron expressions recur.
  const from = Date.UTC(2024, 0, 1) - 1;
  const longest = weekly.test(start) && weekly.test(end) ? weekMilliseconds : mostMilliseconds;
  let begins = next(start, from);
  for (let starts = 0; starts < mostStarts && begins !== undefined && begins - from <= longest; starts++) {
    const following = next(start, begins);
    const ends = following === undefined ? next(end, begins) : lastBefore(end, begins, following);
    const length = ends === undefined ? undefined : (ends - begins) / 1000;
    if (length === undefined) even = false;
    else {
      lengths.add(length);
      const weekday = new Date(begins).getUTCDay();
      byWeekday.set(weekday, (byWeekday.get(weekday) ?? new Set()).add(length));
    }
    begins = following;
  }
  if (lengths.size === 0) return { even };
  const ofDays = [...byWeekday].flatMap(([day, those]): [number, number][] =>
    those.size === 1 ? [...those].map(length => [day, length]) : [],
  );
  return {
    seconds: Math.max(...lengths),
    even: even && lengths.size === 1,
    ...(even && ofDays.length === byWeekday.size && { byWeekday: new Map(ofDays) }),
  };
}

/** The last time of a cron expression after `after`, and not after `until`; undefined when there is none. */
function lastBefore(cron: string, after: number, until: number): number | undefined {
  for (const back of lookBack) {
    let found: number | undefined;
    for (
      let time = next(cron, Math.max(after, until - back));
      time !== undefined && time <= until;
      time = next(cron, time)
    )
      found = time;
    if (found !== undefined || until - back <= after) return found;
  }
  return undefined;
}
