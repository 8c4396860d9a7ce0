import { Cron } from "croner";
import { LRUCache } from "lru-cache";

/** Times that come again: a cron expression in a time zone. */
export interface Recurrence {
  /** MINUTE HOUR DAY MONTH WEEKDAY. */
  cron: string;
  /** A name of the tz database. */
  timezone: string;
}

/** Why a recurrence has no times: the field at fault, and what is wrong with it and allowed. */
export interface Fault {
  field: keyof Recurrence;
  message: string;
}

const known = new LRUCache<string, { cron: Cron } | { fault: Fault }>({ max: 1000 });

/** Any time will do: what comes at all comes within 8 years (29 February) of it, whatever the clock says. */
const anyTime = new Date(Date.UTC(2024, 0, 1));

/**
 * The first time after `after`, both epoch milliseconds; undefined where there is a fault. A time of day that a change of
 * the clocks leaves out comes right after it, one that it brings twice comes once, the first time; of those that an
 * expression with a step or a "*" in minute or hour names, those left out are left out and those doubled come twice.
 */
export function nextTime(recurrence: Recurrence, after: number): number | undefined {
  const read = readOf(recurrence);
  return "cron" in read ? read.cron.nextRun(new Date(after))?.getTime() : undefined;
}

/** What is wrong with a recurrence; undefined when nothing is. */
export function faultOf(recurrence: Recurrence): Fault | undefined {
  const read = readOf(recurrence);
  return "fault" in read ? read.fault : undefined;
}

/** Read once: to see that an expression never comes takes 10 ms. */
function readOf(recurrence: Recurrence): { cron: Cron } | { fault: Fault } {
  const { cron: text, timezone } = recurrence;
  const id = `${timezone} ${text}`;
  const before = known.get(id);
  if (before) return before;
  const read = reading({ cron: text, timezone });
  known.set(id, read);
  return read;
}

function reading({ cron: text, timezone }: Recurrence): { cron: Cron } | { fault: Fault } {
  if (!isTimeZone(timezone)) {
    const message = `"${timezone}" is not a time zone, use a name of the tz database as "Europe/Berlin"`;
    return { fault: { field: "timezone", message } };
  }
  try {
    const cron = new Cron(text, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
    if (cron.nextRun(anyTime)) return { cron };
    return { fault: { field: "cron", message: `"${text}" never comes, use a day that its months have` } };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    const message = `"${text}" is no cron expression (${why}), use MINUTE HOUR DAY MONTH WEEKDAY as in "0 9 * * MON-FRI"`;
    return { fault: { field: "cron", message } };
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name !== "";
  } catch {
    return false;
  }
}
