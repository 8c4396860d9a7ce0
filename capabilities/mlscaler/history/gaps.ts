import { CoarseGrid } from "./coarse-grid";
import { keptSlots } from "./retention";

/** The slots from number `from` up to, not including, `end`. */
export interface Slots {
  from: number;
  end: number;
}

/** The longest gap in slots that is ignored: ten minutes. */
const shortGap = 2;

/** The gaps longer than ten minutes in the closed slots of a grid that end after slot `since`, newest first. */
export function gapsOf(grid: CoarseGrid, since: number): Slots[] {
  const { next: end } = grid.cursor;
  if (!Number.isFinite(end)) return [];
  const from = Math.max(since - shortGap, end - keptSlots);
  const gaps: Slots[] = [];
  for (let slot = from; slot < end; slot++) {
    if (!Number.isNaN(grid.at(slot))) continue;
    const newest = gaps[0];
    if (newest?.end === slot) newest.end++;
    else gaps.unshift({ from: slot, end: slot + 1 });
  }
  return gaps.filter(gap => gap.end - gap.from > shortGap);
}
