import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";

/** A load on a regular grid, as it happened once. */
export interface Trace {
  name: string;
  /** When the first value was, epoch milliseconds. */
  startedAt: number;
  /** Milliseconds from one value to the next, in the trace's own time. */
  stepMilliseconds: number;
  values: number[];
}

const slotMilliseconds = 15 * 60_000;

/**
 * US flight departures by quarter of an hour, January to June 2001 (Bureau of Transportation Statistics, public domain,
 * from the package vega-datasets): a strong daily and weekly season. Throws when the package is not installed.
 */
export async function flights(): Promise<Trace> {
  const { asyncBufferFromFile, parquetRead } = await import("hyparquet");
  const { compressors } = await import("hyparquet-compressors");
  const file = await asyncBufferFromFile(join(__dirname, "../node_modules/vega-datasets/data/flights-3m.parquet"));
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
  // The last slot holds midnight only.
  const full = Array.from({ length: values.length - 1 }, (_, slot) => values[slot] ?? 0);
  return {
    name: "US flight departures, January to June 2001",
    startedAt,
    stepMilliseconds: slotMilliseconds,
    values: full,
  };
}

/**
 * One's own load from a CSV of two columns, a time (ISO 8601, or epoch in s or ms) and a value, with or without a
 * header line, at equal distances. Throws with the number of the line when one cannot be read.
 */
export function traceFromCsv(path: string): Trace {
  const rows: string[][] = parse(readFileSync(path), { skip_empty_lines: true, relax_column_count: true, trim: true });
  // A first line of which neither part is a value is a header.
  const headed = rows[0]?.every(cell => Number.isNaN(Number(cell)) && Number.isNaN(parseTime(cell))) ?? false;
  const points = rows.slice(headed ? 1 : 0).map(([time = "", value = ""], index) => {
    const line = index + (headed ? 2 : 1);
    const at = parseTime(time);
    const load = value === "" ? NaN : Number(value);
    if (!Number.isFinite(at))
      throw new Error(`${path}: line ${line}: "${time}" is not a time (ISO 8601, or epoch in s or ms)`);
    if (!(load >= 0 && Number.isFinite(load)))
      throw new Error(`${path}: line ${line}: "${value}" is not a load of 0 or more`);
    return { at, load, line };
  });
  const [first, second] = points;
  if (!first || !second) throw new Error(`${path}: at least 2 lines of time,value are needed`);
  const stepMilliseconds = second.at - first.at;
  for (const [index, { at, line }] of points.entries()) {
    const expected = first.at + index * stepMilliseconds;
    if (!(stepMilliseconds > 0 && Math.abs(at - expected) <= stepMilliseconds / 10)) {
      throw new Error(
        `${path}: line ${line}: times must grow by the step of the first two, ${stepMilliseconds / 1000} s`,
      );
    }
  }
  return { name: path, startedAt: first.at, stepMilliseconds, values: points.map(({ load }) => load) };
}

function parseTime(text: string): number {
  const number = Number(text);
  if (text !== "" && Number.isFinite(number)) return number < 1e11 ? number * 1000 : number;
  return Date.parse(text);
}

/** The load at `position` (in steps from the start, fractions between two values), as a share of the trace's maximum; begins anew at its end. */
export function shareAt({ values }: Trace, position: number): number {
  const highest = values.reduce((most, value) => Math.max(most, value), 0) || 1;
  const at = Math.floor(position);
  const before = values[at % values.length] ?? 0;
  const after = values[(at + 1) % values.length] ?? 0;
  return (before + (after - before) * (position - at)) / highest;
}
