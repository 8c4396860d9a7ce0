export type Seasonality = "Daily" | "Weekly";

/** Seasons in slots; absent where a season is not to be used. */
export interface Seasons {
  day?: number;
  week?: number;
}

export const dayMilliseconds = 86_400_000;

/** A season of fewer slots than this has no shape, and one of which not two are kept cannot be learnt. */
const fewest = 4;

/**
 * The seasons on a grid of `step` ms, of which `kept` slots are kept. Slots are counted, not dated: where clocks are put forward or back, the load moves
 * by an hour against its season, until the models have moved too.
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
