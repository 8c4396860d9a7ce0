import { LRUCache } from "lru-cache";

export const longestZone = 64;

export const zonePattern = "^[A-Za-z][A-Za-z0-9_+/-]*$";

export const zoneMessage = '"%s" is not a time zone, use a name of the tz database as "Europe/Berlin"';

/** The formats that tell the offset of a zone; undefined for what is no zone. One takes about 30 kB. */
const formats = new LRUCache<string, { format?: Intl.DateTimeFormat }>({
  max: 100,
  memoMethod: timeZone => {
    try {
      return { format: new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }) };
    } catch {
      return {};
    }
  },
});

const formatOf = (zone: string): Intl.DateTimeFormat | undefined =>
  zone === "" || zone.length > longestZone ? undefined : formats.memo(zone).format;

/** Whether a text is the name of a zone in the tz database. */
export const isTimeZone = (name: string): boolean => formatOf(name) !== undefined;

/** By how much the clocks of a zone are ahead of UTC at a time, both in ms; 0 for what is no zone or no time. */
export function zoneOffset(zone: string, at: number): number {
  const name =
    Number.isFinite(at) &&
    formatOf(zone)
      ?.formatToParts(at)
      .find(({ type }) => type === "timeZoneName");
  const [, sign, hours, minutes, seconds = "0"] =
    (name && /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name.value)) || [];
  const ahead = Number(hours ?? 0) * 3_600_000 + Number(minutes ?? 0) * 60_000 + Number(seconds) * 1000;
  return sign === "-" ? -ahead : ahead;
}
