import { InputError } from "../manifests";
import { nearest } from "../nearest";
import { isLoad } from "./load";
import type { Row } from "./sheet";
import { formatsOf } from "./time";

/** Which columns and rows of a table count, by names of columns or numbers, from 1. By default they are detected. */
export interface Columns {
  /** The column of times, or those of dates and of hours: "Date,Hour". */
  time?: string;
  /** The column of loads, or several to add up: "web-1,web-2". */
  value?: string;
  /** Whether to add up all columns of loads, and all rows of a time. */
  sum?: boolean;
  /** A row counts when a column has this value: "pod=web-1". */
  where?: string;
}

/** The parts of a table that are a trace. */
export interface Selection {
  /** The rows below the header, of `where`. */
  body: Row[];
  /** The columns of times, from 0. Their cells are one time together. */
  times: number[];
  /** The columns of loads, from 0, to be added up. */
  loads: number[];
  /** The name of a column; its number, from 1, without a header. */
  called: (column: number) => string;
  hasHeader: boolean;
}

type Test = (cell: string) => boolean;

const isNumber: Test = cell => cell !== "" && Number.isFinite(Number(cell));

/** Names of columns of times, and of loads. */
const isTimeName: Test = cell => /^[_@]?(time|timestamp|date|datetime|date_?time|time_?bucket|ts|ds)$/i.test(cell);
const isLoadName: Test = cell => /^_?value$/i.test(cell);

/** Numbers of these years are times rather than loads. */
const [earliest, latest] = [Date.UTC(1990), Date.UTC(2100)];

/**
 * Selects the columns and rows of a trace. A few rows decide, so that a faulty one changes nothing.
 * @param timeOf the time in a cell in epoch milliseconds; NaN for none
 * @throws InputError when a column is not found, or several could be the load
 */
export function select(source: string, rows: Row[], columns: Columns, timeOf: (cell: string) => number): Selection {
  const [first, ...others] = rows;
  const width = Math.max(0, ...rows.slice(0, 100).map(({ cells }) => cells.length));
  if (width < 2)
    throw new InputError(
      `${source}: has ${width} columns, at least two are needed, a time and a load: 2024-05-01T10:00:00Z,12.5`,
    );
  const all = Array.from({ length: width }, (_, column) => column);
  const looked = (others.length > 0 ? others : rows).slice(0, 10);
  const mostly = (column: number, is: Test): boolean =>
    2 * looked.filter(({ cells }) => is(cells[column] ?? "")).length >= looked.length;
  const isTime: Test = cell => !Number.isNaN(timeOf(cell)) || formatsOf(cell).length > 0;
  const nameIn = (column: number): string => first?.cells[column] ?? "";

  const isHeader =
    others.length > 0 &&
    first !== undefined &&
    (all.some(column => isTimeName(nameIn(column)) && mostly(column, isTime)) ||
      (columns.time !== undefined && first.cells.includes(columns.time)) ||
      !first.cells.some(cell => isTime(cell) || isNumber(cell)));
  const called = (column: number): string => (isHeader ? nameIn(column) : "") || String(column + 1);
  const named = (option: string, name: string): number => {
    const column = isHeader ? first.cells.indexOf(name) : -1;
    const found = column >= 0 ? column : Number(name) - 1;
    if (all.includes(found)) return found;
    const names = all.map(one => (isHeader ? nameIn(one) : called(one)));
    const meant = nearest(name, names);
    throw new InputError(
      `${option}: ${source} has no column ${name}, use one of ${names.join(", ")}` +
        (meant === undefined ? "" : `; did you mean ${meant}?`),
    );
  };
  /** The columns of an option: one that has the whole text as its name, or the parts between commas. */
  const list = (option: string, names: string): number[] =>
    isHeader && first.cells.includes(names) ? [named(option, names)] : names.split(",").map(one => named(option, one));

  const times = columns.time === undefined ? [timeColumn()] : list("--time", columns.time);
  const body = (isHeader ? others : rows).filter(rowsOf());
  const values = columns.value === undefined ? loadColumns() : list("--value", columns.value);
  return { body, times, loads: values, called, hasHeader: isHeader };

  function timeColumn(): number {
    // A column of written times comes first: a number is a time of some year.
    const isWritten: Test = cell => !isNumber(cell) && isTime(cell);
    const isEpoch: Test = cell => isNumber(cell) && timeOf(cell) >= earliest && timeOf(cell) < latest;
    const changes = (column: number): boolean => new Set(looked.map(({ cells }) => cells[column])).size > 1;
    const found = [isWritten, isEpoch, isTime].flatMap(is => {
      const those = all.filter(column => mostly(column, is));
      const moving = those.filter(changes);
      return [...(isHeader ? moving.filter(column => isTimeName(nameIn(column))) : []), ...moving, ...those];
    });
    return found[0] ?? 0;
  }

  function loadColumns(): number[] {
    const loads = all.filter(column => !times.includes(column) && mostly(column, isLoad));
    const byName = isHeader ? loads.filter(column => isLoadName(nameIn(column))) : [];
    if (byName.length === 1) return byName;
    if (loads.length > 1 && !columns.sum)
      throw new InputError(
        `${source}: the columns ${loads.map(column => (isHeader ? nameIn(column) : called(column))).join(", ")} ` +
          "could all be the load, name one of them with --value, or add all of them up with --sum",
      );
    return loads.length > 0 ? loads : [times.includes(0) ? 1 : 0];
  }

  function rowsOf(): (row: Row) => boolean {
    if (columns.where === undefined) return () => true;
    const at = columns.where.indexOf("=");
    if (at < 0) throw new InputError(`--where: ${columns.where} is not of the form COLUMN=VALUE`);
    const [column, wanted] = [named("--where", columns.where.slice(0, at)), columns.where.slice(at + 1)];
    if (!rows.some(({ cells }) => cells[column] === wanted))
      throw new InputError(`--where: no line of ${source} has ${wanted} in the column ${called(column)}`);
    return ({ cells }) => cells[column] === wanted;
  }
}

/** A column, other than `taken`, that tells rows of the same time apart. */
export function seriesColumn(body: Row[], times: number[], taken: number[]): number | undefined {
  const timeOf = ({ cells }: Row): string => times.map(column => cells[column]).join(" ");
  const width = body[0]?.cells.length ?? 0;
  const all = Array.from({ length: width }, (_, column) => column);
  return all.find(column => {
    if (times.includes(column) || taken.includes(column)) return false;
    return new Set(body.map(row => `${timeOf(row)}\n${row.cells[column]}`)).size >= 0.97 * body.length;
  });
}
