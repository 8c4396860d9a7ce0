import * as z from "zod";
import { encodedLoads, encodeLoads } from "./base64";
import { CoarseGrid } from "./coarse-grid";
import { dayMilliseconds, daySlots, slotMilliseconds } from "./retention";

const daySchema = encodedLoads("compact").refine(({ length }) => length === daySlots, "is no day");

const tailsSchema = z.array(
  z.object({
    of: z.string(),
    from: z.int(),
    loads: encodedLoads("float").transform(loads => Float32Array.from(loads)),
  }),
);

/** The newest slots of a grid, which its stored days do not hold yet. */
export interface Tail {
  of: string;
  from: number;
  loads: Float32Array;
}

/** The known slots of a grid by day in UTC, "2026-01-31", without days that have no load. */
export function daysOf(grid: CoarseGrid): Record<string, string> {
  const days: Record<string, string> = {};
  for (let day = Math.floor(grid.first / daySlots); day * daySlots < grid.cursor.next; day++) {
    const loads = grid.slots(day * daySlots, (day + 1) * daySlots);
    if (loads.some(load => !Number.isNaN(load)))
      days[new Date(day * dayMilliseconds).toISOString().slice(0, 10)] = encodeLoads(loads, "compact");
  }
  return days;
}

/** Fills a grid with days of `daysOf` at `now`. Returns the first slot that they lack, and a fault for each bad day. */
export function fillDays(
  grid: CoarseGrid,
  days: Record<string, unknown>,
  now: number,
): { next: number; faults: string[] } {
  const faults: string[] = [];
  const stored = new Map<number, Float64Array>();
  for (const [name, text] of Object.entries(days)) {
    const from = firstSlotOf(name);
    const day = daySchema.safeParse(text);
    if (from === undefined) faults.push(`${name}: is no date`);
    else if (!day.success) faults.push(`${name}: ${day.error.issues[0]?.message}`);
    else {
      grid.fill(from, day.data, now);
      stored.set(from, day.data);
    }
  }
  const { next: end } = grid.cursor;
  const lacks = (slot: number): boolean => {
    const from = daySlots * Math.floor(slot / daySlots);
    return Number.isNaN(stored.get(from)?.[slot - from] ?? NaN) && !Number.isNaN(grid.at(slot));
  };
  let next = Math.min(grid.first, end);
  while (next < end && !lacks(next)) next++;
  return { next, faults };
}

/** Tails as JSON. */
export const tailsText = (tails: Tail[]): string =>
  JSON.stringify(tails.map(({ of, from, loads }) => ({ of, from, loads: encodeLoads(loads, "float") })));

/** Tails from the JSON that `tailsText` returned. Throws ZodError or SyntaxError for other text. */
export const tailsFrom = (text: string): Tail[] => tailsSchema.parse(JSON.parse(text));

/** Name of a day, counted from the epoch. */
function firstSlotOf(name: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(`${name}T00:00:00Z`) : NaN;
  return Number.isNaN(at) ? undefined : at / slotMilliseconds;
}
