import * as z from "zod";
import { CoarseGrid, loadsPerSlot, slotMilliseconds } from "./coarse";

const slotsPerDay = 86_400_000 / slotMilliseconds;
const bytesPerLoad = Float32Array.BYTES_PER_ELEMENT;

/** Slots in base64: mean and maximum of each in turn, as floats, lowest byte first. */
const slotsSchema = z
  .base64()
  .transform(text => Buffer.from(text, "base64"))
  .refine(({ length }) => length % (loadsPerSlot * bytesPerLoad) === 0, "is cut off")
  .transform(loadsOf)
  .refine(areSlots, "holds what is no load");

const daySchema = slotsSchema.refine(({ length }) => length === slotsPerDay * loadsPerSlot, "is no day");

const tailsSchema = z.array(z.object({ of: z.string(), from: z.int(), slots: slotsSchema }));

/** The newest slots of a grid: what its days do not hold yet. */
export interface Tail {
  /** What the grid is of. */
  of: string;
  /** Number of the first slot. */
  from: number;
  slots: Float32Array;
}

/** The closed slots of a grid by their day in UTC, "2026-01-31", a whole day each; days without a load are left out. */
export function daysOf(grid: CoarseGrid): Record<string, string> {
  const days: Record<string, string> = {};
  const { next } = grid.place;
  for (let day = Math.floor(grid.first / slotsPerDay); day * slotsPerDay < next; day++) {
    const slots = grid.slots(day * slotsPerDay, (day + 1) * slotsPerDay);
    if (slots.some(load => !Number.isNaN(load))) days[nameOf(day)] = base64Of(slots);
  }
  return days;
}

/**
 * Fills a grid with days as `daysOf` gives them, those of the future left out.
 * @param now epoch milliseconds
 * @returns the number of the slot after the newest that was read, and what is wrong with those days that are none
 */
export function fillDays(
  grid: CoarseGrid,
  days: Record<string, unknown>,
  now: number,
): { next: number; faults: string[] } {
  const faults: string[] = [];
  let next = -Infinity;
  for (const [name, text] of Object.entries(days)) {
    const from = firstSlotOf(name);
    const day = daySchema.safeParse(text);
    if (from === undefined) faults.push(`${name}: is no date`);
    else if (!day.success) faults.push(`${name}: ${day.error.issues[0]?.message}`);
    else {
      grid.fill(from, day.data, now);
      const newest = day.data.findLastIndex(load => !Number.isNaN(load));
      next = Math.max(next, from + Math.ceil(newest / loadsPerSlot));
    }
  }
  return { next: Math.min(next, grid.place.next), faults };
}

/** Tails as JSON. */
export const tailsText = (tails: Tail[]): string =>
  JSON.stringify(tails.map(({ of, from, slots }) => ({ of, from, slots: base64Of(slots) })));

/** Tails from JSON. Throws ZodError or SyntaxError when it is not what `tailsText` gives. */
export const tailsFrom = (text: string): Tail[] => tailsSchema.parse(JSON.parse(text));

const nameOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

/** Number of the first slot of a day. */
function firstSlotOf(name: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(`${name}T00:00:00Z`) : NaN;
  return Number.isNaN(at) ? undefined : at / slotMilliseconds;
}

function base64Of(loads: Float32Array): string {
  const bytes = Buffer.alloc(loads.length * bytesPerLoad);
  loads.forEach((load, index) => bytes.writeFloatLE(load, index * bytesPerLoad));
  return bytes.toString("base64");
}

function loadsOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / bytesPerLoad }, (_, index) =>
    bytes.readFloatLE(index * bytesPerLoad),
  );
}

/** Whether each is a gap, or a mean that is a load and no more than its maximum. */
function areSlots(loads: Float32Array): boolean {
  for (let at = 0; at < loads.length; at += loadsPerSlot) {
    const mean = loads[at] ?? NaN;
    const maximum = loads[at + 1] ?? NaN;
    const isGap = Number.isNaN(mean) && Number.isNaN(maximum);
    if (!isGap && !(mean >= 0 && mean <= maximum && maximum < Infinity)) return false;
  }
  return true;
}
