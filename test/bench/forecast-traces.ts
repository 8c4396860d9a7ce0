import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { flights, traceFromCsv, type Trace } from "./trace";

const minute = 60_000;

/**
 * All CSV files of a folder: a time and a load per line, on a regular grid. Throws without files and on an invalid
 * one.
 */
export function tracesIn(folder: string): Trace[] {
  const files = readdirSync(folder).filter(file => file.endsWith(".csv"));
  if (files.length === 0) throw new Error(`${folder}: there is no .csv`);
  return files.sort().map(file => ({ ...traceFromCsv(join(folder, file)), name: basename(file, ".csv") }));
}

/** The traces that need no download: flights, and four kinds of synthetic loads that are the same in every run. */
export async function ownTraces(): Promise<Trace[]> {
  return [{ ...(await flights()), name: "flights_15m" }, ...kinds.map(madeUp)];
}

/** Synthetic loads of an office at steps of 5 min, with a daily and a weekly season and noise. */
export const madeUpLoads = (days: number): number[] => loadsOf(office, days);

/** A kind of synthetic load: its value in a slot, from the time of day (0 to 1), the day, and random numbers. */
interface Kind {
  name: string;
  load: (time: number, day: number, chance: Chance) => number;
}

/** Random numbers that are the same in every run. */
export interface Chance {
  /** Uniform between 0 and 1. */
  uniform: () => number;
  /** Nearly normal with mean 0 and deviation 1: a sum of twelve uniform numbers. */
  normal: () => number;
}

const office: Kind = {
  name: "made_up_office_5m",
  load: (time, day, chance) => 20 + (day % 7 < 5 ? 100 : 30) * hill(time, 0.55, 0.16) + 4 * chance.normal(),
};

const kinds: Kind[] = [
  office,
  {
    name: "made_up_batch_5m",
    load: (time, _day, chance) => (time > 0.1 && time < 0.16 ? 90 : 12) + 2 * chance.normal(),
  },
  {
    name: "made_up_shift_5m",
    load: (time, day, chance) => (day < 22 ? 60 : 95) + 20 * hill(time, 0.5, 0.2) + 5 * chance.normal(),
  },
  {
    name: "made_up_bursts_5m",
    load: (time, _day, chance) =>
      (30 + 30 * hill(time, 0.7, 0.15)) * (chance.uniform() < 0.01 ? 4 : 1) * (1 + 0.2 * chance.normal()),
  },
];

const slotsADay = 288;

function madeUp(kind: Kind): Trace {
  return { name: kind.name, startedAt: Date.UTC(2001, 0, 1), stepMilliseconds: 5 * minute, values: loadsOf(kind, 28) };
}

function loadsOf({ load }: Kind, days: number): number[] {
  const chance = chanceFrom(20_010_101);
  return Array.from({ length: days * slotsADay }, (_, slot) =>
    Math.max(0, load((slot % slotsADay) / slotsADay, Math.floor(slot / slotsADay), chance)),
  );
}

const hill = (time: number, top: number, width: number): number => Math.exp(-0.5 * ((time - top) / width) ** 2);

/** The minimal standard generator (Park and Miller 1988). */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const normal = (): number => Array.from({ length: 12 }, uniform).reduce((sum, number) => sum + number, -6);
  return { uniform, normal };
}
