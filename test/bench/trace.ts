import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readTrace } from "../../cli/simulate/trace";
import { dayMilliseconds } from "../../capabilities/mlscaler/history/retention";

/** A recorded load on a regular grid. */
export interface Trace {
  name: string;
  /** Time of the first value, in epoch milliseconds. */
  startedAt: number;
  /** Milliseconds from one value to the next, in the trace's own time. */
  stepMilliseconds: number;
  values: number[];
}

const slotMilliseconds = 15 * 60_000;

/** The fractions of its multiples spread evenly over a day, however many there are. */
const golden = (Math.sqrt(5) - 1) / 2;

/**
 * A trace from several starts in its first day; the first is that of the trace. From each, the days of the engine and
 * its refits are at other slots, and so are slots that are means of finer ones.
 */
export function startsOf(trace: Trace, count: number): Trace[] {
  const { startedAt, stepMilliseconds: step, values } = trace;
  return Array.from({ length: count }, (_, start) => {
    const dropped = Math.floor((((start * golden) % 1) * dayMilliseconds) / step);
    return { ...trace, startedAt: startedAt + dropped * step, values: values.slice(dropped) };
  });
}

/**
 * US flight departures per quarter of an hour, January to June 2001, with a strong daily and weekly season. The data
 * comes from the Bureau of Transportation Statistics (public domain), through the package vega-datasets. Throws when
 * the package is not installed.
 */
export async function flights(): Promise<Trace> {
  const { asyncBufferFromFile, parquetRead } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  const file = await asyncBufferFromFile(join(__dirname, "../../node_modules/vega-datasets/data/flights-3m.parquet"));
  const startedAt = Date.UTC(2001, 0, 1);
  const values: number[] = [];
  await parquetRead({
    file,
    compressors,
    columns: ["date"],
    onComplete: rows => {
      for (const [date] of rows) {
        if (!(date instanceof Date)) throw new Error(`flights-3m.parquet: ${String(date)} is not a date`);
        const slot = Math.floor((date.getTime() - startedAt) / slotMilliseconds);
        values[slot] = (values[slot] ?? 0) + 1;
      }
    },
  });
  // The last slot contains only midnight.
  const full = Array.from({ length: values.length - 1 }, (_, slot) => values[slot] ?? 0);
  return {
    name: "US flight departures, January to June 2001",
    startedAt,
    stepMilliseconds: slotMilliseconds,
    values: full,
  };
}

/**
 * Reads a load from a CSV in the format of `mlscaler simulate`. Interpolates gaps, and reports repairs on standard
 * error. Throws with the numbers of the invalid lines.
 */
export function traceFromCsv(path: string): Trace {
  const { startedAt, step, loads, notes } = readTrace(path, readFileSync(path, "utf8"), { zone: "UTC" });
  for (const note of notes) console.error(`${path}: ${note}`);
  return { name: path, startedAt, stepMilliseconds: step, values: bridged(loads) };
}

/** Replaces each NaN by linear interpolation between its neighbours. */
function bridged(loads: number[]): number[] {
  const known = [...loads.keys()].filter(slot => !Number.isNaN(loads[slot]));
  let next = 0;
  return loads.map((load, slot) => {
    while ((known[next] ?? Infinity) < slot) next++;
    const [before, after] = [known[next - 1] ?? known[next] ?? NaN, known[next] ?? known[next - 1] ?? NaN];
    const [from = NaN, to = NaN] = [loads[before], loads[after]];
    return Number.isNaN(load) ? from + ((to - from) * (slot - before)) / (after - before || 1) : load;
  });
}
