import * as z from "zod";
import { CoarseGrid, slotMilliseconds } from "./coarse";

const slotsPerDay = 86_400_000 / slotMilliseconds;
const bytesPerLoad = Float32Array.BYTES_PER_ELEMENT;

/** Loads of one slot each in base64, as floats, lowest byte first; NaN is a gap. */
const loadsSchema = z
  .base64()
  .transform(text => Buffer.from(text, "base64"))
  .refine(({ length }) => length % bytesPerLoad === 0, "is cut off")
  .transform(loadsOf)
  .refine(loads => loads.every(load => Number.isNaN(load) || (load >= 0 && load < Infinity)), "holds what is no load");

/** As version 1 stored them: the mean and the maximum of each slot in turn. */
const pairsSchema = loadsSchema
  .refine(({ length }) => length % 2 === 0, "is cut off")
  .transform(pairs => pairs.filter((_, index) => index % 2 === 0));

const isDay = ({ length }: Float32Array): boolean => length === slotsPerDay;

/** A day by the version of what stores it. */
const daySchemas = { "1": pairsSchema.refine(isDay, "is no day"), "2": loadsSchema.refine(isDay, "is no day") };

export const versionSchema = z.enum(["1", "2"]);
export type Version = z.infer<typeof versionSchema>;

const ofSchema = { of: z.string(), from: z.int() };
const tailsSchema = z.array(
  z.union([
    z.object({ ...ofSchema, loads: loadsSchema }),
    z.object({ ...ofSchema, slots: pairsSchema }).transform(({ slots, ...rest }) => ({ ...rest, loads: slots })),
  ]),
);

/** The newest slots of a grid: what its days do not hold yet. */
export interface Tail {
  /** What the grid is of. */
  of: string;
  /** Number of the first slot. */
  from: number;
  loads: Float32Array;
}

/** The closed slots of a grid by their day in UTC, "2026-01-31", a whole day each, as version 2; days without a load are left out. */
export function daysOf(grid: CoarseGrid): Record<string, string> {
  const days: Record<string, string> = {};
  const { next } = grid.place;
  for (let day = Math.floor(grid.first / slotsPerDay); day * slotsPerDay < next; day++) {
    const loads = grid.slots(day * slotsPerDay, (day + 1) * slotsPerDay);
    if (loads.some(load => !Number.isNaN(load))) days[nameOf(day)] = base64Of(loads);
  }
  return days;
}

/**
 * Fills a grid with days as `daysOf` gives them or once gave them, those of the future left out.
 * @param now epoch milliseconds
 * @returns the number of the slot after the newest that was read, and what is wrong with those days that are none
 */
export function fillDays(
  grid: CoarseGrid,
  days: Record<string, unknown>,
  version: Version,
  now: number,
): { next: number; faults: string[] } {
  const faults: string[] = [];
  let next = -Infinity;
  for (const [name, text] of Object.entries(days)) {
    const from = firstSlotOf(name);
    const day = daySchemas[version].safeParse(text);
    if (from === undefined) faults.push(`${name}: is no date`);
    else if (!day.success) faults.push(`${name}: ${day.error.issues[0]?.message}`);
    else {
      grid.fill(from, day.data, now);
      const newest = day.data.findLastIndex(load => !Number.isNaN(load));
      next = Math.max(next, from + newest + 1);
    }
  }
  return { next: Math.min(next, grid.place.next), faults };
}

/** Tails as JSON. */
export const tailsText = (tails: Tail[]): string =>
  JSON.stringify(tails.map(({ of, from, loads }) => ({ of, from, loads: base64Of(loads) })));

/** Tails from JSON. Throws ZodError or SyntaxError when it is not what `tailsText` gives or once gave. */
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
