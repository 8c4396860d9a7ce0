import * as z from "zod";
import { optionalInteger } from "../../../definition/fields";
import { Fault } from "../../../definition/check";
import { distinct, ifGiven, matching, NestedRules, oneOf, Rule, within } from "../../../definition/rules";
import { dnsLabel } from "../../../kubernetes/names";
import { longestZone, zoneMessage, zonePattern } from "../../history/time-zone";
import { isRead, longestCron, nextTime, recurrenceFault } from "./cron";

const scheduleSchema = z.strictObject({
  name: z.string().max(63).describe("Name in status and Events, unique in the list, for example office-hours."),
  cron: z
    .string()
    .max(longestCron)
    .describe("Begin of the window: MINUTE HOUR DAY MONTH WEEKDAY, for example 0 9 * * MON-FRI."),
  timezone: z
    .string()
    .max(longestZone)
    .default("UTC")
    .describe("Time zone of cron, a name of the tz database such as Europe/Berlin."),
  duration_seconds: z
    .int32()
    .describe("Length of the window in seconds, 60 to 604800 (a week), for example 36000 (ten hours)."),
  min_replicas: optionalInteger().describe(
    "Replaces spec.min_replicas within the window, in replicas. Give this, max_replicas, or both.",
  ),
  max_replicas: optionalInteger().describe("Replaces spec.max_replicas within the window, in replicas."),
});

export const schedulesSchema = z.array(scheduleSchema).max(32);

export type Schedule = z.output<typeof scheduleSchema>;

interface Scheduled {
  min_replicas: number;
  max_replicas?: number;
  schedules?: Schedule[];
}

export interface BoundsNow {
  min: number;
  max: number;
  /** The names of the schedules that set `min` and `max`; absent for bounds of the spec. */
  minOf?: string;
  maxOf?: string;
  active: string[];
  /** The next time when a window opens or may close, epoch milliseconds; absent without schedules. */
  until?: number;
}

/**
 * The bounds at `now` (epoch ms). Of several open windows the highest min_replicas and the highest max_replicas count. If
 * min is above max, min counts, so that each window has at least its min_replicas. Ignores invalid schedules.
 */
export function boundsAt(
  { min_replicas, max_replicas, schedules = [] }: Scheduled & { max_replicas: number },
  now: number,
): BoundsNow {
  const windows = schedules.flatMap(schedule => {
    const duration = schedule.duration_seconds * 1000;
    const begins = beginAfter(schedule, now - duration);
    return begins === undefined ? [] : [{ schedule, begins, open: begins <= now, ends: begins + duration }];
  });
  const active = windows.flatMap(({ schedule, open }) => (open ? [schedule] : []));
  const edges = windows.map(({ begins, open, ends }) => (open ? ends : begins));
  const highest = (field: "min_replicas" | "max_replicas"): Schedule | undefined =>
    active
      .filter(schedule => schedule[field] !== undefined)
      .reduce<Schedule | undefined>((most, one) => ((most?.[field] ?? 0) >= (one[field] ?? 0) ? most : one), undefined);
  const [least, most] = [highest("min_replicas"), highest("max_replicas")];
  const min = least?.min_replicas ?? min_replicas;
  const max = most?.max_replicas ?? max_replicas;
  const raised = min > max;
  return {
    min,
    max: raised ? min : max,
    minOf: least?.name,
    maxOf: raised ? least?.name : most?.name,
    active: active.map(({ name }) => name),
    until: edges.length > 0 ? Math.min(...edges) : undefined,
  };
}

/** The first begin of a window after a time, and that time. It is the first after all times in between, too. */
const firstBegins = new WeakMap<Schedule, { after: number; at: number | undefined }>();

function beginAfter(schedule: Schedule, after: number): number | undefined {
  const found = firstBegins.get(schedule);
  if (found && found.after <= after && (found.at === undefined || after < found.at)) return found.at;
  const at = nextTime(schedule, after);
  firstBegins.set(schedule, { after, at });
  return at;
}

/** Reads schedules, one a call, because an odd cron expression takes 10 ms. `boundsAt` then costs little. */
export const readings = ({ schedules = [] }: Pick<Scheduled, "schedules">): (() => void)[] =>
  schedules.filter(schedule => !isRead(schedule)).map(schedule => () => void recurrenceFault(schedule));

/** The faults of cron and timezone in schedules. The rules of the CRD cannot check them. */
export const faultsOfSchedules = ({ schedules = [] }: Pick<Scheduled, "schedules">): Fault[] =>
  schedules.flatMap((schedule, index) => {
    const { field, message } = recurrenceFault(schedule) ?? {};
    if (field === undefined || message === undefined) return [];
    return [{ path: ["spec", "schedules", index, field], field: `spec.schedules[${index}].${field}`, message }];
  });

const cronFields = "^[A-Za-z0-9*,/#?+-]+( +[A-Za-z0-9*,/#?+-]+){4}$";

const rulesOfOne: Rule<Schedule>[] = [
  matching("name", `^${dnsLabel}$`, '"%s" is not a name, use lower case letters, digits and "-"'),
  matching("cron", cronFields, '"%s" has not five fields, use MINUTE HOUR DAY MONTH WEEKDAY as in "0 9 * * MON-FRI"'),
  matching<Schedule>("timezone", zonePattern, zoneMessage),
  within("duration_seconds", 60, 604_800, "seconds"),
  oneOf<Schedule>(["min_replicas", "max_replicas"], "at least"),
  ifGiven(within<Schedule>("min_replicas", 1, 2 ** 31 - 1)),
  ifGiven(within<Schedule>("max_replicas", 1, 2 ** 31 - 1)),
  {
    path: "min_replicas",
    cel: "!has(self.min_replicas) || !has(self.max_replicas) || self.min_replicas <= self.max_replicas",
    check: ({ min_replicas: min, max_replicas: max }) => min === undefined || max === undefined || min <= max,
    message: "%s is above its max_replicas %s, use at most that",
    values: ["min_replicas", "max_replicas"],
  },
];

/** A rule on each schedule: the bound that it sets must agree with the bound of the spec that it does not set. */
const agrees = (
  given: "min_replicas" | "max_replicas",
  other: "max_replicas" | "min_replicas",
  message: string,
): Rule<Scheduled> => {
  const [low, high] = given === "min_replicas" ? ["item", "self"] : ["self", "item"];
  const fits = `!has(self.${other}) || ${low}.min_replicas <= ${high}.max_replicas`;
  const wrong = ({ schedules = [], ...spec }: Scheduled): Schedule | undefined =>
    schedules.find(schedule => {
      const { min_replicas: min = spec.min_replicas, max_replicas: max = spec.max_replicas ?? Infinity } = schedule;
      return schedule[given] !== undefined && schedule[other] === undefined && min > max;
    });
  const first = `self.schedules.filter(item, has(item.${given}) && !has(item.${other}) && !(${fits}))[0]`;
  return {
    path: "schedules",
    cel: `!has(self.schedules) || self.schedules.all(item, !has(item.${given}) || has(item.${other}) || (${fits}))`,
    check: spec => wrong(spec) === undefined,
    message,
    values: [
      { cel: `${first}.name`, of: spec => wrong(spec)?.name },
      { cel: `${first}.${given}`, of: spec => wrong(spec)?.[given] },
      other,
    ],
  };
};

export const schedulesRules: Rule<Scheduled>[] = [
  ifGiven(
    distinct("schedules", ["name"], "%s appears more than once, use a name of its own for each"),
  ) as Rule<Scheduled>,
  agrees(
    "min_replicas",
    "max_replicas",
    "min_replicas of %s, %s, is above spec.max_replicas %s, use at most that or give it max_replicas as well",
  ),
  agrees(
    "max_replicas",
    "min_replicas",
    "max_replicas of %s, %s, is below spec.min_replicas %s, use at least that or give it min_replicas as well",
  ),
];

/** The rules on one schedule beyond its types, except the checks of `faultsOfSchedules`. */
export const scheduleRules: NestedRules[] = [{ at: "schedules[]", rules: rulesOfOne }];
