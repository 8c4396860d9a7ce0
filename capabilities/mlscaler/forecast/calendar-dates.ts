import { dayMilliseconds } from "../history/time";

/** Days of the same name, which are a season of their own. */
export interface CalendarEntry {
  name: string;
  /** Days as YYYY-MM-DD, and ranges of days as YYYY-MM-DD/YYYY-MM-DD, both ends included. */
  dates: string[];
}

/** The most days of a range. */
const longestRange = 31;

/** The form of a day, or of a range of days. */
export const datesPattern = "^\\d{4}-\\d{2}-\\d{2}(/\\d{4}-\\d{2}-\\d{2})?$";

const form = new RegExp(datesPattern);

/** The message on what is no day and no range. %s stands for it. */
export const datesMessage = '"%s" is no date, use YYYY-MM-DD or a range as "2026-12-24/2026-12-26"';

/** The number of a day since the epoch; NaN for a day that no month has. */
function dayOf(date: string): number {
  const at = Date.parse(`${date}T00:00:00Z`);
  return new Date(at || 0).toISOString().startsWith(date) ? at / dayMilliseconds : NaN;
}

/** The numbers of the days of a date or a range; none for what is neither, and for a range that is too long. */
export function daysOf(dates: string): number[] {
  if (!form.test(dates)) return [];
  const [first = NaN, last = first] = dates.split("/").map(dayOf);
  const length = last - first + 1;
  return length >= 1 && length <= longestRange ? Array.from({ length }, (_, index) => first + index) : [];
}

/** A fault of a date in a calendar. */
interface CalendarFault {
  entry: number;
  index: number;
  message: string;
}

/** The faults of calendars, each found once. */
const faults = new WeakMap<readonly CalendarEntry[], CalendarFault[]>();

/** The faults of a calendar that the rules of the CRD cannot find. */
export function calendarFaults(calendar: readonly CalendarEntry[]): CalendarFault[] {
  const found = faults.get(calendar) ?? faultsIn(calendar);
  faults.set(calendar, found);
  return found;
}

function faultsIn(calendar: readonly CalendarEntry[]): CalendarFault[] {
  const known = new Map<number, string>();
  return calendar.flatMap(({ name, dates }, entry) =>
    dates.flatMap((text, index) => {
      const days = daysOf(text);
      if (days.length === 0) {
        const remedy = `use days that exist, the first one first, and at most ${longestRange} in a range`;
        return [{ entry, index, message: `"${text}" has no days, ${remedy}` }];
      }
      const other = days.map(day => known.get(day)).find(named => named !== undefined);
      for (const day of days) known.set(day, name);
      if (other === undefined) return [];
      return [{ entry, index, message: `"${text}" has a day that ${other} has already, name each day once` }];
    }),
  );
}
