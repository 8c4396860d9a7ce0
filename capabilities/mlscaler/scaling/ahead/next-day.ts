import type { Instant } from "../../../kubernetes/time";
import type { Tomorrow } from "../../forecast/tomorrow";
import { hourMilliseconds } from "../../history/retention";
import { countOf } from "./raise";

/** What the next 24 hours ask for. */
export interface NextDay {
  /** When each hour begins, and the replicas for the upper quantile of its load. */
  hours: { at: Instant; replicas: number }[];
  /** The lowest skill of its paths. */
  skill: number;
}

/** A path, with the load that one replica serves. */
export interface LoadAhead {
  path: Tomorrow;
  capacity: number;
}

/**
 * The replicas that paths of loads ask for by hour, within bounds. A path counts only while it is better than the day
 * before and the week before. Undefined without one that counts.
 */
export function nextDayOf(loads: LoadAhead[], { min, max }: { min: number; max: number }): NextDay | undefined {
  const counted = loads.filter(({ path, capacity }) => capacity > 0 && (path.skill ?? 0) > 0);
  const [first] = counted;
  if (!first) return undefined;
  const hours = first.path.uppers.map((_, hour) => {
    const counts = counted.map(({ path, capacity }) => countOf(path.uppers[hour], capacity) ?? 0);
    const at = first.path.begins + hour * hourMilliseconds;
    return { at, replicas: Math.min(max, Math.max(min, ...counts)) };
  });
  return { hours, skill: Math.min(...counted.map(({ path }) => path.skill ?? 0)) };
}

/** The first of the hours with the most replicas. */
export const peakOf = ({ hours }: NextDay): NextDay["hours"][number] | undefined =>
  hours.toSorted((one, other) => other.replicas - one.replicas)[0];
