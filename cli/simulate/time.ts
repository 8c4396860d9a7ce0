import { DateTime } from "luxon";
import ms, { StringValue } from "ms";

/** The unit of an epoch number by its size. Each limit is the year 5138 in the next longer unit. */
const epochUnits = [
  { from: 1e17, milliseconds: 1e-6 },
  { from: 1e14, milliseconds: 1e-3 },
  { from: 1e11, milliseconds: 1 },
  { from: -Infinity, milliseconds: 1000 },
];

/** The locale of names in a format. That of the machine would read the same file in another way elsewhere. */
const locale = "en-US";

/**
 * Parsers of the accepted formats. The parsers of ISO 8601 and SQL would read a time without a year as one of today.
 */
const written = [
  (text: string, zone: string) => (/^\d{4}/.test(text) ? DateTime.fromISO(text, { zone }) : undefined),
  (text: string, zone: string) => (/^\d{4}/.test(text) ? DateTime.fromSQL(text, { zone }) : undefined),
  (text: string) => DateTime.fromRFC2822(text),
  (text: string) => DateTime.fromHTTP(text),
  // Kibana: Oct 5, 2026 @ 12:00:00.000
  (text: string, zone: string) =>
    text.includes(" @ ") ? DateTime.fromFormat(text, "MMM d, yyyy '@' H:mm:ss.u", { zone, locale }) : undefined,
  // Apache and nginx: 05/Oct/2026:12:00:00 +0200
  (text: string) =>
    /^\d\d\/[a-z]/i.test(text) ? DateTime.fromFormat(text, "dd/MMM/yyyy:HH:mm:ss ZZZ", { locale }) : undefined,
  // Go: 2026-10-05 12:00:00.5 +0200 CEST
  (text: string) => {
    const [, time = "", offset = ""] =
      /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?) ([+-]\d{4}) \S{1,6}$/.exec(text) ?? [];
    return time === "" ? undefined : DateTime.fromSQL(`${time} ${offset}`);
  },
];

/** The form of times that is read without luxon, which takes far longer. */
const quick = /^(\d{4}-\d\d-(\d\d))[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

const hour = 3_600_000;

/**
 * A parser of times to epoch milliseconds; it returns NaN for what is not a time. Without a format it accepts ISO 8601,
 * "2024-05-01 10:00[:00]", RFC 2822, HTTP, and a number since 1970 in s, ms, µs or ns, by its size.
 * @param zone time zone of a time without one
 * @param format luxon tokens of the only accepted format: "MM/dd/yyyy HH:mm"
 */
export function timeParser(zone: string, format?: string): (text: string) => number {
  const offsetOf = offsets(zone);
  if (format !== undefined) {
    const parser = DateTime.buildFormatParser(format, { locale });
    const parse = (text: string, as: string): number => {
      const time = DateTime.fromFormatParser(text, parser, { zone: as, locale });
      return time.isValid ? time.toMillis() : NaN;
    };
    if (namesZone(format)) return text => parse(text, "UTC");
    return text => {
      const at = parse(text, "UTC");
      const offset = offsetOf(at);
      return offset === undefined ? parse(text, zone) : at - offset;
    };
  }
  return text => {
    const number = Number(text);
    if (text !== "" && Number.isFinite(number)) {
      const { milliseconds } = epochUnits.find(({ from }) => Math.abs(number) >= from) ?? { milliseconds: 1000 };
      return number * milliseconds;
    }
    const [form, date, day, ownZone] = quick.exec(text) ?? [];
    // Date takes February 30 for March 1.
    if (form !== undefined && (Number(day) <= 28 || new Date(`${date}T00:00Z`).getUTCDate() === Number(day))) {
      const iso = form.replace(" ", "T");
      const at = Date.parse(ownZone === undefined ? `${iso}Z` : iso);
      const offset = ownZone === undefined ? offsetOf(at) : 0;
      if (!Number.isNaN(at) && offset !== undefined) return at - offset;
    }
    const dashed = text.replace(/^(\d{4})\/(\d{2})\/(\d{2})/, "$1-$2-$3");
    for (const parse of written) {
      const time = parse(dashed, zone);
      if (time?.isValid) return time.toMillis();
    }
    return NaN;
  };
}

/**
 * Returns a function from a local time, in milliseconds as if it were UTC, to its distance from UTC in milliseconds. It
 * is undefined in an hour in which the distance changes.
 */
function offsets(zone: string): (local: number) => number | undefined {
  const at = (local: number): number =>
    local - DateTime.fromMillis(local, { zone: "UTC" }).setZone(zone, { keepLocalTime: true }).toMillis();
  const byHour = new Map<number, number | undefined>();
  return local => {
    const begin = Math.floor(local / hour);
    if (Number.isNaN(begin)) return undefined;
    if (!byHour.has(begin)) {
      const [offset, next] = [at(begin * hour), at((begin + 1) * hour)];
      byHour.set(begin, offset === next ? offset : undefined);
    }
    return byHour.get(begin);
  };
}

/**
 * Tells the two hours apart in which clocks are set back, by the order of the lines: a time of that hour that does not
 * come after the line before is in the second one.
 * @param written the times as they are written
 * @param times epoch milliseconds of the same times
 * @param zone the time zone of those without one
 */
export function inTurn(written: string[], times: number[], zone: string): { times: number[]; notes: string[] } {
  const elsewhere = timeParser("UTC");
  const offsetAt = (at: number): number => DateTime.fromMillis(at, { zone }).offset * 60_000;
  const changes = new Map<number, boolean>();
  const isNearChange = (at: number): boolean => {
    const begin = Math.floor(at / hour);
    const known = changes.get(begin) ?? offsetAt(at - 3 * hour) > offsetAt(at + 3 * hour);
    changes.set(begin, known);
    return known;
  };
  /** The two times at which a clock shows the same as at this one; undefined where there is only one. */
  const twice = (at: number, text: string): [number, number] | undefined => {
    if (Number.isNaN(at) || !isNearChange(at) || elsewhere(text) === at) return undefined;
    const back = offsetAt(at - 3 * hour) - offsetAt(at + 3 * hour);
    return [at - back, at]
      .map((one): [number, number] => [one, one + back])
      .find(([one, other]) => offsetAt(one) - offsetAt(other) === back);
  };
  const falling = times.filter((at, index) => at < (times[index - 1] ?? -Infinity)).length > times.length / 2;
  const turned = [...times];
  let count = 0;
  let before = -Infinity;
  for (const index of falling ? [...times.keys()].reverse() : times.keys()) {
    const at = times[index] ?? NaN;
    const [first, second] = twice(at, written[index] ?? "") ?? [at, at];
    turned[index] = first > before ? first : second;
    if (second !== first && turned[index] === second) count++;
    if (!Number.isNaN(at)) before = turned[index] ?? at;
  }
  const notes = count > 0 ? [`the clocks of ${zone} go back: ${count} lines are in the second of two equal hours`] : [];
  return { times: turned, notes };
}

/** Whether luxon reads back the day of a time that it writes in this format. */
export function namesDay(format: string): boolean {
  const time = DateTime.utc(2001, 2, 3, 4, 5, 6);
  const read = DateTime.fromFormat(time.toFormat(format, { locale }), format, { zone: "UTC", locale });
  return read.isValid && read.toISODate() === time.toISODate();
}

/** Whether times in this format hold their distance from UTC. */
function namesZone(format: string): boolean {
  const time = DateTime.fromObject({ year: 2001, month: 2, day: 3, hour: 4 }, { zone: "UTC+5" });
  const text = time.toFormat(format, { locale });
  return DateTime.fromFormat(text, format, { zone: "UTC", locale }).toMillis() === time.toMillis();
}

/** The formats in luxon tokens of a date with slashes, dots or dashes that does not begin with the year. */
export function formatsOf(text: string): string[] {
  const [, first, mark, second, year, time = ""] =
    /^(\d\d?)([/.-])(\d\d?)\2(\d{4}|\d\d)((?:,? {1,3}\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: ?[AP]M)?)?)$/i.exec(text) ??
    [];
  if (first === undefined || mark === undefined || second === undefined || year === undefined) return [];
  // One letter stands for one or two digits.
  const letters = (digits: string, letter: string): string => (digits.startsWith("0") ? letter.repeat(2) : letter);
  const [hours = "", minutes, seconds] = time.replace(/[^\d:.]/g, "").split(":");
  const half = /[AP]M$/i.test(time);
  const second_ = seconds?.includes(".") ? "ss.u" : "ss";
  const clock = [letters(hours, half ? "h" : "H"), ...(minutes ? ["mm"] : []), ...(seconds ? [second_] : [])].join(":");
  const [before = ""] = /^,? */.exec(time) ?? [];
  const rest = time === "" ? "" : `${before}${clock}${half ? `${/ .M$/i.test(time) ? " " : ""}a` : ""}`;
  const years = "y".repeat(year.length);
  return [
    ...(Number(first) <= 12 ? [`${letters(first, "M")}${mark}${letters(second, "d")}${mark}${years}${rest}`] : []),
    ...(Number(second) <= 12 ? [`${letters(first, "d")}${mark}${letters(second, "M")}${mark}${years}${rest}`] : []),
  ];
}

/** The milliseconds of a duration such as 30s, 3m or "2 hours"; NaN for other text, and for one below 0. */
export function parseDuration(text: string): number {
  const duration = /[a-z]/i.test(text) && text.length <= 100 ? ms(text as StringValue) : NaN;
  return duration >= 0 ? duration : NaN;
}

/** A duration in whole seconds as text: "2 h 5 min", "45 s". */
export function durationText(seconds: number): string {
  const rounded = Math.round(seconds);
  const parts = [
    [Math.floor(rounded / 86_400), "d"],
    [Math.floor((rounded % 86_400) / 3600), "h"],
    [Math.floor((rounded % 3600) / 60), "min"],
    [rounded % 60, "s"],
  ].filter(([count]) => count !== 0);
  // Two units are precise enough.
  return parts.length === 0
    ? "0 s"
    : parts
        .slice(0, 2)
        .map(part => part.join(" "))
        .join(" ");
}

/** An ISO 8601 time in UTC, to the minute in a time zone: "2024-05-01 10:00". */
export const minuteText = (time: string, zone = "UTC"): string =>
  DateTime.fromISO(time, { zone }).toFormat("yyyy-MM-dd HH:mm");
