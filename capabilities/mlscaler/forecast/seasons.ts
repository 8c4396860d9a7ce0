import { dayMilliseconds } from "../history/retention";

export type Seasonality = "Daily" | "Weekly";

/** The lengths of the seasons in slots; absent for a season that is not used. */
export interface Seasons {
  day?: number;
  week?: number;
}

/** The fewest slots of a season: a shorter one has no shape. */
const fewest = 4;

/**
 * The seasons of a grid of `step` ms that keeps `kept` slots, enough for two of each season. A season has as many slots
 * on the days when clocks change; `LocalTime` says which of its places a slot has.
 */
export function seasonsOf(step: number, kept: number, wanted: readonly Seasonality[] = ["Daily", "Weekly"]): Seasons {
  const slots = (days: number): number | undefined => {
    const count = Math.round((days * dayMilliseconds) / step);
    return count >= fewest && 2 * count <= kept ? count : undefined;
  };
  return {
    day: wanted.includes("Daily") ? slots(1) : undefined,
    week: wanted.includes("Weekly") ? slots(7) : undefined,
  };
}
