import { nextTime } from "../../capabilities/mlscaler/scaling/cron";

/** The windows between the times of two cron expressions. */
export interface Windows {
  /** The length of the longest window in seconds; undefined when none opens. */
  seconds?: number;
  /** Whether all windows are equally long, and each start opens one. */
  even: boolean;
}

/** The limits on the starts that are looked at: a year of a daily window, and 29 February of a yearly one. */
const mostStarts = 400;
const mostMilliseconds = 9 * 366 * 24 * 3600 * 1000;

/**
 * The windows of a cron trigger by the rule of KEDA (pkg/scalers/cron_scaler.go): one is open while the next `end`
 * comes before the next `start`. Both are valid cron expressions. The lengths are those of the wall clock, so a change
 * to or from daylight saving time does not count.
 */
export function windowsOf(start: string, end: string): Windows {
  const next = (cron: string, after: number): number | undefined => nextTime({ cron, timezone: "UTC" }, after);
  const lengths = new Set<number>();
  let even = true;
  // Any reference time works, because cron expressions recur.
  const from = Date.UTC(2024, 0, 1) - 1;
  let begins = next(start, from);
  for (let starts = 0; starts < mostStarts && begins !== undefined && begins - from < mostMilliseconds; starts++) {
    const [ends, following] = [next(end, begins), next(start, begins)];
    if (ends !== undefined && (following === undefined || ends <= following)) lengths.add((ends - begins) / 1000);
    else even = false;
    begins = following;
  }
  if (lengths.size === 0) return { even };
  return { seconds: Math.max(...lengths), even: even && lengths.size === 1 };
}
