import { Cron } from "croner";
import { LRUCache } from "lru-cache";
import { isTimeZone, longestZone, zoneMessage } from "../../history/time-zone";

interface Recurrence {
  /** MINUTE HOUR DAY MONTH WEEKDAY. */
  cron: string;
  /** A name of the tz database. */
  timezone: string;
}

interface RecurrenceFault {
  field: keyof Recurrence;
  message: string;
}

export const longestCron = 128;

type Read = { cron: Cron } | { fault: RecurrenceFault };

/** What was read, by the recurrence itself and by its text. Other objects of the same text share it. */
const read = new WeakMap<Recurrence, Read>();
const known = new LRUCache<string, Read>({ max: 1000 });

/** Any reference time works. A valid expression recurs within 8 years (29 February), independent of the clock. */
const anyTime = new Date(Date.UTC(2024, 0, 1));

/**
 * The first time after `after`, both epoch milliseconds. Undefined for an invalid recurrence. When clocks go forward, a
 * skipped fixed time of day occurs right after; when they go back, a repeated one occurs once. Others, with a step or "*"
 * in minute or hour, do not occur, and occur twice.
 */
export function nextTime(recurrence: Recurrence, after: number): number | undefined {
  const found = readOf(recurrence);
  return "cron" in found ? found.cron.nextRun(new Date(after))?.getTime() : undefined;
}

/** Whether a recurrence was read before. To read one may take 10 ms. */
export const isRead = (recurrence: Recurrence): boolean => read.has(recurrence);

/** The fault of a recurrence; undefined for a valid one. */
export function recurrenceFault(recurrence: Recurrence): RecurrenceFault | undefined {
  const found = readOf(recurrence);
  return "fault" in found ? found.fault : undefined;
}

function readOf(recurrence: Recurrence): Read {
  const found = read.get(recurrence) ?? reading(recurrence);
  read.set(recurrence, found);
  return found;
}

function tooLong(field: keyof Recurrence, text: string, longest: number): RecurrenceFault | undefined {
  if (text.length <= longest) return undefined;
  return { field, message: `has ${text.length} characters, use at most ${longest}` };
}

function reading({ cron: text, timezone }: Recurrence): Read {
  const fault = tooLong("cron", text, longestCron) ?? tooLong("timezone", timezone, longestZone);
  if (fault) return { fault };
  const id = `${timezone} ${text}`;
  const found = known.get(id) ?? parsed({ cron: text, timezone });
  known.set(id, found);
  return found;
}

function parsed({ cron: text, timezone }: Recurrence): Read {
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
      `"${text}" is not a cron expression (${why}), ` + 'use MINUTE HOUR DAY MONTH WEEKDAY as in "0 9 * * MON-FRI"';
    return { fault: { field: "cron", message } };
  }
}
