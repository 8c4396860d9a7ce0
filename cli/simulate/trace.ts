import { InputError } from "../manifests";
import { Columns, select, Selection, seriesColumn } from "./columns";
import { Grid, onGrid, Sample } from "./grid";
import { Decimal, readLoads } from "./load";
import { sheetOf } from "./sheet";
import { formatsOf, inTurn, timeParser } from "./time";

/** A recorded load on a regular grid. */
export interface Trace extends Grid {
  /** The name of the column of loads; absent without a header. */
  column?: string;
  /** The unit of the loads in the file: "req/s"; absent without one. */
  unit?: string;
  /** Corrections of the input, a sentence each. */
  notes: string[];
}

/** How a file is read. */
export interface Reading extends Columns {
  /** Time zone of times without one. */
  zone: string;
  /** Format of times in tokens of luxon; by default that of ISO 8601 and others that are not ambiguous. */
  dateFormat?: string;
  /** The decimal mark; by default what the column tells. */
  decimal?: Decimal;
}

/** The most faults that are listed one by one. */
const mostFaults = 10;

/** The share of lines at the time of another from which on they are not an accident, and their least number. */
const severalSeries = { share: 0.03, lines: 3 };

/**
 * Reads a trace from CSV with a column of times and one of loads, separated by comma, semicolon or tab, with or without
 * a header, or from JSON of Prometheus or CloudWatch. Throws InputError with a line for each fault.
 * @param source name of the file, for messages
 * @param step milliseconds of the grid; by default the most common distance of two times, a minute at least
 */
export function readTrace(source: string, text: string, reading: Reading, step?: number): Trace {
  const { delimiter, rows, notes } = sheetOf(source, text);
  const parse = timeParser(reading.zone, reading.dateFormat);
  // In a file without commas between cells a comma is a decimal one: 1714557600,5.
  const timeOf = (cell: string): number => parse(delimiter === "," ? cell : cell.replace(/^(\d+),(\d+)$/, "$1.$2"));
  const selection = select(source, rows, reading, timeOf);
  const { body, times, loads: columns, called, hasHeader } = selection;
  const written = body.map(({ cells }) => times.map(column => cells[column] ?? "").join(" "));
  const ats = inTurn(written, written.map(timeOf), reading.zone);
  const faults = new Map<number, string>();
  for (const [index, at] of ats.times.entries())
    if (Number.isNaN(at)) faults.set(index, faultOfTime(written[index] ?? "", reading.dateFormat));
  const series = reading.sum ? seriesOf(selection) : () => "";
  const samples: Sample[] = [];
  let unit: string | undefined;
  for (const column of columns) {
    const cells = body.map(({ line, cells }) => ({ line, text: cells[column] ?? "" }));
    const read = readLoads(cells, delimiter === ",", reading.decimal);
    for (const [index, fault] of read.faults) if (!faults.has(index)) faults.set(index, fault);
    if (unit !== undefined && unit !== read.unit)
      throw new InputError(`${source}: the column ${called(column)} has another unit than ${called(columns[0] ?? 0)}`);
    unit = read.unit;
    notes.push(...read.notes.filter(note => !notes.includes(note)));
    for (const [index, load] of read.loads.entries())
      samples.push({
        ...{ at: ats.times[index] ?? NaN, load, line: body[index]?.line ?? 0 },
        series: `${column} ${series(index)}`,
      });
  }
  fail(
    source,
    [...faults].sort(([one], [other]) => one - other).map(([index, fault]) => `line ${body[index]?.line}: ${fault}`),
  );
  if (columns.length === 1 && !reading.sum) checkSeries(source, selection, ats.times);
  if (columns.length > 1 && !reading.sum) notes.push(`the sum of ${columns.map(called).join(", ")}`);
  const grid = onGrid(source, samples, step);
  const [name] = columns.map(called);
  const names = columns.length > 1 ? `${columns.length} columns` : hasHeader ? name : undefined;
  return {
    ...grid,
    column: names,
    unit: unit === "" ? undefined : unit,
    notes: [...notes, ...ats.notes, ...grid.notes],
  };
}

/** Throws InputError with these faults, if there are any. */
function fail(source: string, faults: string[]): void {
  if (faults.length === 0) return;
  const shown = faults.slice(0, mostFaults);
  if (faults.length > mostFaults) shown.push(`and ${faults.length - mostFaults} lines more`);
  throw new InputError(shown.map(fault => `${source}: ${fault}`).join("\n"));
}

/** What each row is a sample of: its cells other than time and load that tell rows of one time apart. */
function seriesOf({ body, times, loads }: Selection): (index: number) => string {
  const column = seriesColumn(body, times, loads);
  if (column !== undefined) return index => body[index]?.cells[column] ?? "";
  const others = (body[0]?.cells ?? []).flatMap((_, at) => (times.includes(at) || loads.includes(at) ? [] : [at]));
  return index => others.map(at => body[index]?.cells[at] ?? "").join("\n");
}

/** Throws InputError where rows of one time show that the file has several series, of which one would count. */
function checkSeries(source: string, selection: Selection, times: number[]): void {
  const { body, called } = selection;
  const same = times.length - new Set(times).size;
  if (same < severalSeries.lines || same < severalSeries.share * times.length) return;
  const column = seriesColumn(body, selection.times, selection.loads);
  const names = [...new Set(body.map(({ cells }) => cells[column ?? 0]))];
  const [name = ""] = names;
  throw new InputError(
    `${source}: ${same} of ${times.length} lines are at the time of another` +
      (column === undefined
        ? ": add them up with --sum, or name the columns of date and hour with --time Date,Hour"
        : `, with another ${called(column)} (${names.slice(0, 3).join(", ")}${names.length > 3 ? " …" : ""}): ` +
          `add them up with --sum, or choose one with --where "${called(column)}=${name}"`),
  );
}

/** What is wrong with a time, and the remedy. */
function faultOfTime(text: string, format: string | undefined): string {
  const formats = formatsOf(text).map(one => `"${one}"`);
  if (format !== undefined) {
    const others = formats.length > 0 ? `; --date-format ${formats.join(" or ")} would` : "";
    return `"${text}" does not have the --date-format "${format}"${others}`;
  }
  if (formats.length === 1) return `"${text}" is not ISO 8601, use --date-format ${formats.join("")}`;
  if (formats.length > 1)
    return `"${text}" could have the month first or the day, say which: --date-format ${formats.join(" or ")}`;
  return (
    `"${text}" is not a time, use ISO 8601 (2024-05-01T10:00:00Z) or epoch seconds or milliseconds, ` +
    "or name its format with --date-format"
  );
}
