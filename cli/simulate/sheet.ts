import { CsvError, Info, parse as csv } from "csv-parse/sync";
import { z } from "zod";
import { InputError } from "../manifests";

/** The text of a file as a table. */
interface Sheet {
  /** Undefined for JSON. */
  delimiter?: string;
  rows: Row[];
  /** What was left out, a sentence each. */
  notes: string[];
}

/** A line of the file with values. */
export interface Row {
  line: number;
  cells: string[];
}

/** The most lines before a table that are left out. */
const mostLinesBefore = 50;

/** The table in a CSV file, or in JSON of Prometheus or CloudWatch. Throws InputError when the text has none. */
export const sheetOf = (source: string, text: string): Sheet =>
  /^\s*[[{]/.test(text) ? fromJson(source, text) : fromCsv(source, text);

function fromCsv(source: string, given: string): Sheet {
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
    return withoutLinesBefore({
      delimiter,
      rows: records.map(({ record, info }) => ({ line: info.lines, cells: record })),
      notes: [],
    });
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`${source}: is not CSV: ${error.message}`);
    throw error;
  }
}

/** The delimiter of a CSV text. With a semicolon or a tab in most lines, a comma may belong to a number. */
function delimiterOf(text: string): string {
  const lines = text.split(/\r?\n/, mostLinesBefore).filter(one => one.trim() !== "" && !one.startsWith("#"));
  const isIn = (delimiter: string): boolean => 2 * lines.filter(line => line.includes(delimiter)).length > lines.length;
  return ["\t", ";"].find(isIn) ?? ",";
}

/** Leaves out what a report says before its table: lines of another width than four fifths of the lines after them. */
function withoutLinesBefore(sheet: Sheet): Sheet {
  const { rows } = sheet;
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width = 0, count = 0] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  const before = rows.findIndex(({ cells }) => cells.length === width);
  if (before <= 0 || before > mostLinesBefore || count < 3 || count < 0.8 * (rows.length - before)) return sheet;
  const lines = before === 1 ? "1 line" : `${before} lines`;
  return { ...sheet, rows: rows.slice(before), notes: [`${lines} before the table left out`] };
}

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform(value => String(value ?? ""));
const labels = z.record(z.string(), z.string());
const matrix = z.object({
  resultType: z.string(),
  result: z.array(z.object({ metric: labels, values: z.array(z.tuple([cell, cell])).optional() })).optional(),
});

/** What is read of the JSON of tools. */
const shapes = {
  prometheus: z.union([z.object({ data: matrix }).transform(({ data }) => data), matrix]),
  failed: z.object({ status: z.literal("error"), error: z.string() }),
  /** `aws cloudwatch get-metric-statistics` */
  statistics: z.object({ Datapoints: z.array(z.record(z.string(), cell)) }),
  /** `aws cloudwatch get-metric-data` */
  metricData: z.object({
    MetricDataResults: z.array(z.object({ Label: z.string(), Timestamps: z.array(cell), Values: z.array(cell) })),
  }),
  objects: z.array(z.record(z.string(), cell)),
  tuples: z.array(z.array(cell)),
};

const readable =
  "use the answer of query_range of Prometheus, of aws cloudwatch get-metric-statistics or get-metric-data, " +
  'or an array such as [{"time": "2024-05-01T10:00:00Z", "load": 12.5}]';

function fromJson(source: string, text: string): Sheet {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${source}: is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const failed = shapes.failed.safeParse(json);
  if (failed.success) throw new InputError(`${source}: is an error of Prometheus: ${failed.data.error}`);
  const prometheus = shapes.prometheus.safeParse(json);
  if (prometheus.success) {
    const { resultType, result = [] } = prometheus.data;
    if (resultType !== "matrix")
      throw new InputError(
        `${source}: is a ${resultType} of Prometheus, not a matrix: use query_range instead of query`,
      );
    if (result.length === 0) throw new InputError(`${source}: has no series: the query found nothing`);
    const names = [...new Set(result.flatMap(({ metric }) => Object.keys(metric)))].sort();
    return tableOf(
      ["time", ...names, "value"],
      result.flatMap(({ metric, values = [] }) =>
        values.map(([at, value]) => [at, ...names.map(name => metric[name] ?? ""), value]),
      ),
    );
  }
  const statistics = shapes.statistics.safeParse(json);
  if (statistics.success) return objectsOf(statistics.data.Datapoints);
  const data = shapes.metricData.safeParse(json);
  if (data.success)
    return tableOf(
      ["time", "label", "value"],
      data.data.MetricDataResults.flatMap(({ Label, Timestamps, Values }) =>
        Timestamps.map((at, index) => [at, Label, Values[index] ?? ""]),
      ),
    );
  const objects = shapes.objects.safeParse(json);
  if (objects.success) return objectsOf(objects.data);
  const tuples = shapes.tuples.safeParse(json);
  if (tuples.success) return { rows: tuples.data.map((cells, index) => ({ line: index + 1, cells })), notes: [] };
  throw new InputError(`${source}: is JSON that is not read here: ${readable}`);
}

function objectsOf(objects: Record<string, string>[]): Sheet {
  const names = [...new Set(objects.flatMap(Object.keys))];
  return tableOf(
    names,
    objects.map(one => names.map(name => one[name] ?? "")),
  );
}

/** A table whose samples are counted as lines. */
const tableOf = (header: string[], body: string[][]): Sheet => ({
  rows: [header, ...body].map((cells, index) => ({ line: index, cells })),
  notes: [],
});
