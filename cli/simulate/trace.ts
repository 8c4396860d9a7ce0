import { CsvError, Info, parse as csv } from "csv-parse/sync";
import { closest, distance } from "fastest-levenshtein";
import { InputError } from "../manifests";
import { isLoad, readLoads } from "./load";
import { durationText, formatsOf, timeParser } from "./time";

/** A recorded load on a regular grid. */
export interface Trace {
  /** Epoch milliseconds of the first slot. */
  startedAt: number;
  /** Milliseconds from one slot to the next. */
  step: number;
  /** Mean load of each slot; NaN is a gap. */
  loads: number[];
  /** The name of the column of loads; absent without a header. */
  column?: string;
  /** The unit of the loads in the file: "req/s"; absent without one. */
  unit?: string;
  /** Corrections of the input, a sentence each. */
  notes: string[];
}

/** The columns of a CSV file, by name or number, from 1. By default they are detected. */
export interface Columns {
  /** The column of times. */
  time?: string;
  /** The column of loads. */
  value?: string;
  /** Time zone of times without one. */
  zone: string;
  /** Format of times in tokens of luxon; by default that of ISO 8601 and others that are not ambiguous. */
  dateFormat?: string;
}

/** The text of a file, split into cells. */
interface Sheet {
  delimiter: string;
  rows: Row[];
}

/** A line of the file with values. */
interface Row {
  line: number;
  cells: string[];
}

interface Sample {
  /** Epoch milliseconds. */
  at: number;
  /** NaN in a gap. */
  load: number;
  line: number;
}

/** The most faults that are listed one by one. */
const mostFaults = 10;

/** The most slots of a trace, nearly four years of minutes. Beyond them one wrong time could exhaust the memory. */
const mostSlots = 2_000_000;

/** The finest step by default. With a finer one the daily season would have thousands of slots. */
const finestStep = 60_000;

/**
 * Reads a trace from CSV with a column of times and one of loads, separated by comma, semicolon or tab, with or without
 * a header. Throws InputError with a line for each fault.
 * @param source name of the file, for messages
 * @param step milliseconds of the grid; by default the most common distance of two times, a minute at least
 */
export function readTrace(source: string, text: string, columns: Columns, step?: number): Trace {
  const { delimiter, rows } = sheetOf(source, text);
  const parse = timeParser(columns.zone, columns.dateFormat);
  // In a file without commas between cells a comma is a decimal one: 1714557600,5.
  const parseTime = (cell: string): number => parse(delimiter === "," ? cell : cell.replace(/^(\d+),(\d+)$/, "$1.$2"));
  const isTime = (cell: string): boolean => !Number.isNaN(parseTime(cell));
  const { header, body } = withoutHeader(rows, isTime);
  const [time, value] = columnsOf(source, header, body, columns, isTime);
  const cells = body.map(({ line, cells }) => ({ line, text: cells[value] ?? "" }));
  const { loads, unit, faults: faultsOfLoads, notes } = readLoads(cells, delimiter === ",");
  const faults: string[] = [];
  const samples = body.map(({ line, cells }, index): Sample => {
    const written = cells[time] ?? "";
    const at = parseTime(written);
    const fault = Number.isNaN(at) ? faultOfTime(written, columns.dateFormat) : faultsOfLoads.get(index);
    if (fault !== undefined) faults.push(`line ${line}: ${fault}`);
    return { at, load: loads[index] ?? NaN, line };
  });
  if (faults.length > mostFaults) faults.splice(mostFaults, Infinity, `and ${faults.length - mostFaults} lines more`);
  if (faults.length > 0) throw new InputError(faults.map(fault => `${source}: ${fault}`).join("\n"));
  const grid = onGrid(source, samples, step);
  return { ...grid, column: header?.[value], unit: unit === "" ? undefined : unit, notes: [...notes, ...grid.notes] };
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
  return `"${text}" is not a time, use ISO 8601 (2024-05-01T10:00:00Z) or epoch seconds or milliseconds`;
}

function sheetOf(source: string, given: string): Sheet {
  // Excel and "Download for Excel" in Grafana name the delimiter in a line of its own.
  const [named, said] = /^sep=(.)(?=\r?\n)/i.exec(given) ?? [];
  const text = named === undefined ? given : `#${given.slice(named.length)}`;
  const delimiter = said ?? delimiterOf(text);
  try {
    const records = csv(text, {
      bom: true,
      comment: "#",
      comment_no_infix: true,
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as { record: string[]; info: Info }[];
    return { delimiter, rows: records.map(({ record, info }) => ({ line: info.lines, cells: record })) };
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`${source}: is not CSV: ${error.message}`);
    throw error;
  }
}

/** The delimiter of a CSV text. With a semicolon or a tab in it, a comma may belong to a number. */
function delimiterOf(text: string): string {
  const line = text.split(/\r?\n/).find(one => one.trim() !== "" && !one.startsWith("#")) ?? "";
  return ["\t", ";"].find(delimiter => line.includes(delimiter)) ?? ",";
}

const isNumber = (cell: string): boolean => cell !== "" && Number.isFinite(Number(cell));

type Test = (cell: string) => boolean;

/** Splits off the header: the first line, when none of its cells is a time or a number and another line follows. */
function withoutHeader(rows: Row[], isTime: Test): { header?: string[]; body: Row[] } {
  const [first, ...body] = rows;
  const says: Test = cell => isTime(cell) || formatsOf(cell).length > 0 || isNumber(cell);
  const headed = first && body.length > 0 && !first.cells.some(says);
  return headed ? { header: first.cells, body } : { body: rows };
}

/** The numbers, from 0, of the columns of times and of loads. Throws InputError when they cannot be determined. */
function columnsOf(
  source: string,
  header: string[] | undefined,
  body: Row[],
  { time, value }: Columns,
  isTime: Test,
): [number, number] {
  const width = Math.max(header?.length ?? 0, ...body.slice(0, 100).map(({ cells }) => cells.length));
  if (width < 2)
    throw new InputError(
      `${source}: has ${width} columns, at least two are needed, a time and a load: 2024-05-01T10:00:00Z,12.5`,
    );
  const all = Array.from({ length: width }, (_, column) => column);
  const called = (column: number): string => header?.[column] ?? String(column + 1);
  const named = (option: string, name: string): number => {
    const column = header?.indexOf(name) ?? -1;
    const found = column >= 0 ? column : Number(name) - 1;
    if (all.includes(found)) return found;
    const names = all.map(called);
    const meant = nearest(name, names);
    throw new InputError(
      `${option}: ${source} has no column ${name}, use one of ${names.join(", ")}` +
        (meant === undefined ? "" : `; did you mean ${meant}?`),
    );
  };
  // Half of the first ten lines decide, so that a faulty line changes nothing.
  const mostly = (column: number, is: Test): boolean =>
    2 * body.slice(0, 10).filter(({ cells }) => is(cells[column] ?? "")).length >= Math.min(body.length, 10);

  // A column of written times comes first: any column of numbers could hold epoch times.
  const isWritten: Test = cell => !isNumber(cell) && (isTime(cell) || formatsOf(cell).length > 0);
  const found = [isWritten, isTime].flatMap(is => all.filter(column => mostly(column, is)));
  const times = time === undefined ? (found[0] ?? 0) : named("--time", time);
  if (value !== undefined) return [times, named("--value", value)];
  const loads = all.filter(column => column !== times && mostly(column, isLoad));
  if (loads.length > 1)
    throw new InputError(
      `${source}: the columns ${loads.map(called).join(", ")} could all be the load, name one of them with --value`,
    );
  return [times, loads[0] ?? (times === 0 ? 1 : 0)];
}

/** The name that is most like another, unless more than a third of it differs. */
function nearest(name: string, names: string[]): string | undefined {
  const lower = names.map(one => one.toLowerCase());
  const found = closest(name.toLowerCase(), lower);
  const close = distance(name.toLowerCase(), found) <= Math.max(1, Math.max(name.length, found.length) / 3);
  return close ? names[lower.indexOf(found)] : undefined;
}

/** Puts samples on a grid. The load of a slot is the mean of its samples; NaN without one. Throws InputError. */
function onGrid(source: string, given: Sample[], wanted: number | undefined): Trace {
  const notes: string[] = [];
  const samples = inOrder(given, notes);
  const own = commonDistance(samples);
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || own === undefined)
    throw new InputError(`${source}: has ${samples.length} loads at different times, at least 2 are needed`);
  if (wanted !== undefined && wanted < own)
    throw new InputError(
      `--step: ${durationText(wanted / 1000)} is finer than ${source}, use ${durationText(own / 1000)} or more`,
    );

  const step = wanted ?? Math.max(own, finestStep);
  // The slots of a coarser grid start at multiples of the step since the epoch.
  const startedAt = step > own ? Math.floor(first.at / step) * step : first.at;
  const slotOf = (at: number): number =>
    step > own ? Math.floor((at - startedAt) / step) : Math.round((at - startedAt) / step);
  const length = slotOf(last.at) + 1;
  if (length > mostSlots) throw new InputError(`${source}: ${tooLong(samples, step)}`);

  const sums = new Float64Array(length);
  const counts = new Uint32Array(length);
  for (const { at, load } of samples) {
    const slot = slotOf(at);
    if (Number.isNaN(load)) continue;
    sums[slot] = (sums[slot] ?? 0) + load;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  const loads = Array.from(sums, (sum, slot) => (counts[slot] ? sum / (counts[slot] ?? 1) : NaN));
  const gaps = loads.filter(Number.isNaN).length;
  if (step > own)
    notes.push(
      `${counted(samples.length, "load")} every ${durationText(own / 1000)} ` +
        `averaged to ${counted(length, "mean")} of ${durationText(step / 1000)}`,
    );
  if (gaps > 0) notes.push(`${counted(gaps, "slot")} of ${length} without a load`);
  return { startedAt, step, loads, notes };
}

/** Sorts samples by time. Of two samples with the same time, the later line counts. */
function inOrder(samples: Sample[], notes: string[]): Sample[] {
  const disordered = samples.filter(({ at }, index) => at < (samples[index - 1]?.at ?? -Infinity)).length;
  const byTime = new Map(
    [...samples].sort((one, other) => one.at - other.at || one.line - other.line).map(sample => [sample.at, sample]),
  );
  const duplicates = samples.length - byTime.size;
  if (disordered > 0) notes.push(`${counted(disordered, "line")} earlier than the one before: sorted by time`);
  if (duplicates > 0) notes.push(`${counted(duplicates, "line")} at the time of another: the last one counts`);
  return [...byTime.values()];
}

/**
 * The most common distance of two neighbouring samples in milliseconds, rounded to seconds from one second on.
 * Undefined for fewer than two samples.
 */
function commonDistance(samples: Sample[]): number | undefined {
  const counts = new Map<number, number>();
  for (const [index, { at }] of samples.entries()) {
    const before = samples[index - 1];
    if (!before) continue;
    const distance = at - before.at;
    const rounded = distance < 1000 ? distance : Math.round(distance / 1000) * 1000;
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  return [...counts].reduce<[number, number] | undefined>(
    (most, one) => (most && most[1] >= one[1] ? most : one),
    undefined,
  )?.[0];
}

/** The message for a trace with more than `mostSlots` slots. */
function tooLong(samples: Sample[], step: number): string {
  const holes = samples
    .slice(1)
    .map((sample, index) => ({ sample, wide: sample.at - (samples[index]?.at ?? sample.at) }));
  const widest = holes.reduce((most, one) => (one.wide > most.wide ? one : most));
  return (
    `spans more than ${mostSlots} slots of ${durationText(step / 1000)}; ` +
    `the widest hole is before line ${widest.sample.line} (${durationText(widest.wide / 1000)}): ` +
    "correct that time, or use a larger --step"
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
