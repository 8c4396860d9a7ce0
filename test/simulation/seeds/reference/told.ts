import {
  failedUpdateScale,
  replicasPending,
  clockSkewed,
  Report,
} from "../../../../capabilities/mlscaler/report/report";
import { worthWriting } from "../../../../capabilities/mlscaler/report/noise";
import { statusOf } from "../../../../capabilities/mlscaler/report/status";
import { warningsOf } from "../../../../capabilities/mlscaler/report/events";
import { Status } from "../../../../capabilities/mlscaler/schema";
import { Way } from "./controller";
import { Acted } from "./step";

/** How far times of one sync that are read at different places are apart, in milliseconds. */
const apartMilliseconds = 5_000;

/** Conditions that depend on more than a sync's way: on earlier syncs, clocks, and the line of the short form. */
const elsewhere = [replicasPending, clockSkewed, "ForecastReady"];

/** A sync whose way is known. */
export interface Gone {
  way: Way;
  acted: Acted;
  current: number;
  generation: number;
  /** The time of the process, epoch milliseconds. */
  now: number;
}

/** What a sync reports. The texts of failures are other than those of the module. */
function reportOf({ way, acted, current, generation, now }: Gone): Report {
  const { spec, bounds, decision, proposal } = way;
  const refusal = { type: "AbleToScale", status: "False", reason: failedUpdateScale, message: "" } as const;
  return {
    ...{ spec, bounds, decision, generation, current, now: new Date(now), scaled: acted === "written" },
    ...(proposal && { proposal }),
    failures: acted === "refused" ? [refusal] : [],
    lastScaled: way.after(acted).state.lastScaled,
  };
}

/** Whether a sync tells a failure by Events. */
export const warns = (gone: Gone): boolean => warningsOf(reportOf(gone)).length > 0;

/**
 * The first field in which a status differs from what the module writes after a sync, by its pure functions; undefined
 * when it is the same.
 * @param before the status before the sync
 */
export function differenceIn(status: Status, gone: Gone, before: Status): string | undefined {
  const expected = JSON.parse(JSON.stringify(statusOf(reportOf(gone), before))) as Status;
  const [seen, wanted] = [comparable(status), comparable(expected)];
  const keys = [...new Set([...Object.keys(seen), ...Object.keys(wanted)])] as (keyof Status)[];
  const key = keys.find(one => worthWriting({ [one]: seen[one] }, { [one]: wanted[one] }));
  if (key !== undefined) return `${key} is ${JSON.stringify(seen[key])}, not ${JSON.stringify(wanted[key])}`;
  const isNear = (one = "", other = ""): boolean =>
    one === other || Math.abs(Date.parse(one) - Date.parse(other)) <= apartMilliseconds;
  if (!isNear(status.last_scale_time, expected.last_scale_time))
    return `last_scale_time is ${status.last_scale_time}, not ${expected.last_scale_time}`;
  for (const { type, lastTransitionTime } of expected.conditions ?? []) {
    const time = status.conditions?.find(one => one.type === type)?.lastTransitionTime;
    if (!elsewhere.includes(type) && !isNear(time, lastTransitionTime))
      return `lastTransitionTime of ${type} is ${time}, not ${lastTransitionTime}`;
  }
  return undefined;
}

/** The parts of a status that follow from a sync's way, without times and without the texts of failures. */
function comparable({
  conditions = [],
  forecast: _forecast,
  shadow: _shadow,
  last_scale_time: _time,
  ...rest
}: Status): Status {
  const own = conditions
    .filter(({ type }) => !elsewhere.includes(type))
    .map(({ lastTransitionTime: _at, observedGeneration: _generation, ...condition }) => ({
      ...condition,
      message: condition.status === "True" && condition.type !== "Scaled" ? condition.message : "",
    }))
    .sort((one, other) => (one.type < other.type ? -1 : 1));
  return { ...rest, conditions: own as Status["conditions"] };
}
