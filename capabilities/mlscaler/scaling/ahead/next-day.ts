import type { Tomorrow } from "../../forecast/tomorrow";
import { hourMilliseconds } from "../../history/retention";
import { countOf } from "./raise";

/** What the next 24 hours ask for. */
export interface NextDay {
  hours: HourAhead[];
  /** The lowest skill of its paths. */
  skill: number;
}

/** An hour of it. */
export interface HourAhead {
  /** Epoch milliseconds at which the hour begins. */
  at: number;
  /** Replicas for the upper quantile of the load. */
  replicas: number;
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
export const peakOf = ({ hours }: NextDay): HourAhead | undefined =>
  hours.reduce<HourAhead | undefined>(
    (peak, hour) => (peak && peak.replicas >= hour.replicas ? peak : hour),
    undefined,
  );
