import type { Tomorrows } from "../forecast/live-tomorrow";
import { type NextDay, nextDayOf } from "../scaling/ahead/next-day";
import type { Spec } from "../schema";
import type { Gathered } from "./gather";

/**
 * What the next 24 hours ask for; undefined while a path is not calculated or the metrics are not read, null where none
 * counts. Never throws.
 */
export function nextDayIn(
  { forecast }: Spec,
  { world, histories }: Gathered,
  tomorrows: Tomorrows,
  now: number,
): NextDay | null | undefined {
  if (!forecast || forecast.model === "off") return null;
  const paths = world.totals.flatMap(({ capacity }, index) => {
    const history = world.forecasts[index] && histories.grids[index];
    return history ? { capacity, path: tomorrows.of(history.grid, forecast?.timezone, now) } : [];
  });
  if (paths.length === 0 || paths.some(({ path }) => path === undefined)) return undefined;
  const found = paths.flatMap(({ path, capacity }) => (path ? { path, capacity } : []));
  return nextDayOf(found, world.bounds) ?? null;
}
