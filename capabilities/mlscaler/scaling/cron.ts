import { Cron } from "croner";
import { LRUCache } from "lru-cache";
import { isTimeZone, longestZone, zoneMessage } from "../history/time-zone";

/** Recurring times: a cron expression in a time zone. */
interface Recurrence {
  /** MINUTE HOUR DAY MONTH WEEKDAY. */
  cron: string;
  /** A name of the tz database. */
  timezone: string;
}

/** Why a recurrence is invalid: the field, and a message with the problem and the remedy. */
export interface RecurrenceFault {
  field: keyof Recurrence;
  message: string;
}

/** The longest cron expression, in characters. */
export const longestCron = 128;

const known = new LRUCache<string, { cron: Cron } | { fault: RecurrenceFault }>({ max: 1000 });

/** Any reference time works. A valid expression recurs within 8 years (29 February), independent of the clock. */
const anyTime = new Date(Date.UTC(2024, 0, 1));

/**
 * The first time after `after`, both epoch milliseconds. Undefined for an invalid recurrence. Daylight saving time
 * affects a fixed time of day and an expression with a step or "*" in minute or hour differently:
 * - When clocks go forward, a skipped fixed time occurs right after the change. Other skipped times do not occur.
 * - When clocks go back, a repeated fixed time occurs once, the first time. Other repeated times occur twice.
 */
export function nextTime(recurrence: Recurrence, after: number): number | undefined {
  const read = readOf(recurrence);
  return "cron" in read ? read.cron.nextRun(new Date(after))?.getTime() : undefined;
}

/** The fault of a recurrence; undefined for a valid one. */
export function recurrenceFault(recurrence: Recurrence): RecurrenceFault | undefined {
  const read = readOf(recurrence);
  return "fault" in read ? read.fault : undefined;
}

/** Parses a recurrence. Caches the result, because the check for an expression without any time takes 10 ms. */
function readOf(recurrence: Recurrence): { cron: Cron } | { fault: RecurrenceFault } {
  const { cron: text, timezone } = recurrence;
  const fault = tooLong("cron", text, longestCron) ?? tooLong("timezone", timezone, longestZone);
  if (fault) return { fault };
  const id = `${timezone} ${text}`;
  const before = known.get(id);
  if (before) return before;
  const read = reading({ cron: text, timezone });
  known.set(id, read);
  return read;
}

function tooLong(field: keyof Recurrence, text: string, longest: number): RecurrenceFault | undefined {
  if (text.length <= longest) return undefined;
  return { field, message: `has ${text.length} characters, use at most ${longest}` };
}

function reading({ cron: text, timezone }: Recurrence): { cron: Cron } | { fault: RecurrenceFault } {
  if (!isTimeZone(timezone)) {
    return { fault: { field: "timezone", message: zoneMessage.replace("%s", () => timezone) } };
  }
  try {
    const cron = new Cron(text, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
    if (cron.nextRun(anyTime)) return { cron };
    return { fault: { field: "cron", message: `"${text}" never comes, use a day that its months have` } };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    const message =
      `"${text}" is no cron expression (${why}), ` + 'use MINUTE HOUR DAY MONTH WEEKDAY as in "0 9 * * MON-FRI"';
    return { fault: { field: "cron", message } };
  }
}
