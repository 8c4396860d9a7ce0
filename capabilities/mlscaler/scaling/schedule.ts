import * as z from "zod";
import { int32 } from "../../common/crd";
import { Fault } from "../../common/check";
import { distinct, ifGiven, NestedRules, oneOf, Rule, within } from "../../common/rules";
import { dnsLabel } from "../../common/selector";
import { faultOf, nextTime } from "./cron";

const scheduleSchema = z.strictObject({
  name: z.string().max(63).describe("What it is called, in status and events."),
  cron: z.string().max(128).describe("When its window begins: MINUTE HOUR DAY MONTH WEEKDAY, as in 0 9 * * MON-FRI."),
  timezone: z
    .string()
    .max(64)
    .default("UTC")
    .describe("The time zone of cron, a name of the tz database as Europe/Berlin."),
  duration_seconds: int32().describe("How long its window lasts, 60 to 604800 seconds (a week)."),
  min_replicas: int32()
    .optional()
    .describe("In place of spec.min_replicas within the window; this, max_replicas, or both."),
  max_replicas: int32().optional().describe("In place of spec.max_replicas within the window."),
});

export const schedulesSchema = z.array(scheduleSchema).max(32);

/** A window of bounds that comes again and again. */
export type Schedule = z.output<typeof scheduleSchema>;

/** The bounds of a spec, and the schedules that change them. */
interface Scheduled {
  min_replicas: number;
  max_replicas: number;
  schedules?: Schedule[];
}

/** The bounds of a moment. */
export interface BoundsNow {
  min: number;
  max: number;
  /** The schedule that each is of; absent where it is the spec's own. */
  minOf?: string;
  maxOf?: string;
  /** The schedules whose windows are open, in their order. */
  active: string[];
  /** When the next window opens or may close, epoch milliseconds; absent where there is none. */
  until?: number;
}

/**
 * The bounds at `now` (epoch milliseconds). A window lasts from its time, included, for its duration, of time that really
 * passes. Of many that are open the highest min_replicas and the highest max_replicas count, of those that give one; where
 * none does, the spec's. Where that leaves min above max, min counts: never fewer than any open window wants. A schedule
 * whose cron or time zone is not valid is left out.
 */
export function boundsAt({ min_replicas, max_replicas, schedules = [] }: Scheduled, now: number): BoundsNow {
  const windows = schedules.flatMap(schedule => {
    const duration = schedule.duration_seconds * 1000;
    const begins = nextTime(schedule, now - duration);
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

/** What is wrong with cron and timezone of schedules, which no rule of the CRD can see. */
export const faultsOfSchedules = ({ schedules = [] }: Pick<Scheduled, "schedules">): Fault[] =>
  schedules.flatMap((schedule, index) => {
    const { field, message } = faultOf(schedule) ?? {};
    if (field === undefined || message === undefined) return [];
    return [{ path: ["spec", "schedules", index, field], field: `spec.schedules[${index}].${field}`, message }];
  });

const cronFields = "^[A-Za-z0-9*,/#?+-]+( +[A-Za-z0-9*,/#?+-]+){4}$";
const zoneName = "^[A-Za-z][A-Za-z0-9_+/-]*$";

const rulesOfOne: Rule<Schedule>[] = [
  {
    path: "name",
    cel: `self.name.matches('^${dnsLabel}$')`,
    check: ({ name }) => new RegExp(`^${dnsLabel}$`).test(name),
    message: '"%s" is not a name, use lower case letters, digits and "-"',
    values: ["name"],
  },
  {
    path: "cron",
    cel: `self.cron.matches('${cronFields}')`,
    check: ({ cron }) => new RegExp(cronFields).test(cron),
    message: '"%s" has not five fields, use MINUTE HOUR DAY MONTH WEEKDAY as in "0 9 * * MON-FRI"',
    values: ["cron"],
  },
  {
    path: "timezone",
    cel: `self.timezone.matches('${zoneName}')`,
    check: ({ timezone }) => new RegExp(zoneName).test(timezone),
    message: '"%s" is not a time zone, use a name of the tz database as "Europe/Berlin"',
    values: ["timezone"],
  },
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

/** Each schedule has one more rule: what it gives must agree with the bound of the spec that stays. */
const agrees = (
  given: "min_replicas" | "max_replicas",
  stays: "max_replicas" | "min_replicas",
  message: string,
): Rule<Scheduled> => {
  const [low, high] = given === "min_replicas" ? ["item", "self"] : ["self", "item"];
  const fits = `${low}.min_replicas <= ${high}.max_replicas`;
  const wrong = ({ schedules = [], ...spec }: Scheduled): Schedule | undefined =>
    schedules.find(schedule => {
      const { min_replicas: min, max_replicas: max } = { ...spec, ...withoutUndefined(schedule) };
      return schedule[given] !== undefined && schedule[stays] === undefined && min > max;
    });
  const first = `self.schedules.filter(item, has(item.${given}) && !has(item.${stays}) && !(${fits}))[0]`;
  return {
    path: "schedules",
    cel: `!has(self.schedules) || self.schedules.all(item, !has(item.${given}) || has(item.${stays}) || ${fits})`,
    check: spec => wrong(spec) === undefined,
    message,
    values: [
      { cel: `${first}.name`, of: spec => wrong(spec)?.name },
      { cel: `${first}.${given}`, of: spec => wrong(spec)?.[given] },
      stays,
    ],
  };
};

const withoutUndefined = ({ min_replicas, max_replicas }: Schedule): Partial<Schedule> => ({
  ...(min_replicas !== undefined && { min_replicas }),
  ...(max_replicas !== undefined && { max_replicas }),
});

/** Rules over the schedules of a spec together, and with its bounds. */
export const schedulesRules: Rule<Scheduled>[] = [
  ifGiven(
    distinct("schedules", ["name"], "%s is there more than once, use a name of its own for each"),
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

/** Everything about one schedule that types do not say, but for what `faultsOfSchedules` looks at. */
export const scheduleRules: NestedRules[] = [{ at: "schedules[]", rules: rulesOfOne }];
