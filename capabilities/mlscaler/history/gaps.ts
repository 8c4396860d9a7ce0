import { CoarseGrid, keptSlots, loadsPerSlot } from "./coarse";

/** Slots from number `from` up to, not including, `end`. */
export interface Slots {
  from: number;
  end: number;
}

/** Gaps up to so many slots, ten minutes, are left as they are. */
const shortGap = 2;

/** The gaps of a grid among its closed slots that end after slot number `since`, those of ten minutes and less left out; the newest first. */
export function gapsOf(grid: CoarseGrid, since: number): Slots[] {
  const { next: end } = grid.place;
  if (!Number.isFinite(end)) return [];
  const from = Math.max(since - shortGap, end - keptSlots);
  const slots = grid.slots(from, Math.max(from, end));
  const gaps: Slots[] = [];
  for (let slot = from; slot < end; slot++) {
    if (!Number.isNaN(slots[(slot - from) * loadsPerSlot])) continue;
    const newest = gaps[0];
    if (newest?.end === slot) newest.end++;
    else gaps.unshift({ from: slot, end: slot + 1 });
  }
  return gaps.filter(gap => gap.end - gap.from > shortGap);
}
