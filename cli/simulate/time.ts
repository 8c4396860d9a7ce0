import { DateTime } from "luxon";
import ms, { StringValue } from "ms";

/** The unit of an epoch number by its size. Each limit is the year 5138 in the next longer unit. */
const epochUnits = [
  { from: 1e17, milliseconds: 1e-6 },
  { from: 1e14, milliseconds: 1e-3 },
  { from: 1e11, milliseconds: 1 },
  { from: -Infinity, milliseconds: 1000 },
];

/**
 * Parsers of the accepted formats. The parsers of ISO 8601 and SQL would read a time without a year as one of today.
 */
const written = [
  (text: string, zone: string) => (/^\d{4}/.test(text) ? DateTime.fromISO(text, { zone }) : undefined),
  (text: string, zone: string) => (/^\d{4}/.test(text) ? DateTime.fromSQL(text, { zone }) : undefined),
  (text: string) => DateTime.fromRFC2822(text),
  (text: string) => DateTime.fromHTTP(text),
];

/**
 * Parses a time to epoch milliseconds; NaN when it is not a time. Accepts ISO 8601, "2024-05-01 10:00[:00]", RFC 2822,
 * HTTP, and a number since 1970 in s, ms, µs or ns, by its size.
 * @param zone time zone of a time without one
 */
export function parseTime(text: string, zone: string): number {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) {
    const { milliseconds } = epochUnits.find(({ from }) => Math.abs(number) >= from) ?? { milliseconds: 1000 };
    return number * milliseconds;
  }
  const dashed = text.replace(/^(\d{4})\/(\d{2})\/(\d{2})/, "$1-$2-$3");
  for (const parse of written) {
    const time = parse(dashed, zone);
    if (time?.isValid) return time.toMillis();
  }
  return NaN;
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

/** An ISO 8601 time in UTC, to the minute: "2024-05-01 10:00". */
export const minuteText = (time: string): string => time.slice(0, 16).replace("T", " ");
