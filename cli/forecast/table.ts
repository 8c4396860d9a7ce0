import Table from "cli-table3";
import { formatQuantity } from "../../capabilities/kubernetes/quantity";
import type { Tomorrow } from "../../capabilities/mlscaler/forecast/tomorrow";
import { hourMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { countOf } from "../../capabilities/mlscaler/scaling/ahead/raise";
import { withoutLines } from "../table";

/** The next 24 hours of one load, as --json prints it. */
export interface DayAhead {
  /** "shop/web cores", or the name of the file. */
  load: string;
  /** By how much the error over the last two weeks is below that of the better of the two naive forecasts. */
  skill_percent?: number;
  hours: {
    /** RFC 3339. */
    at: string;
    load: number;
    upper: number;
    replicas?: number;
  }[];
}

/**
 * The hours of a path, with the replicas for its upper quantile within bounds.
 * @param capacity the load that one replica serves; NaN where it is unknown
 */
export function dayOf(
  load: string,
  path: Tomorrow,
  capacity: number,
  { min, max } = { min: 0, max: Infinity },
): DayAhead {
  const rounded = (mean: number): number => Number(mean.toPrecision(4));
  return {
    load,
    ...(path.skill !== undefined && { skill_percent: Math.round(100 * path.skill) }),
    hours: path.loads.map((mean, hour) => {
      const upper = path.uppers[hour] ?? NaN;
      const count = countOf(upper, capacity);
      return {
        at: new Date(path.begins + hour * hourMilliseconds).toISOString().replace(".000Z", "Z"),
        ...{ load: rounded(mean), upper: rounded(upper) },
        ...(count !== undefined && { replicas: Math.min(max, Math.max(min, count)) }),
      };
    }),
  };
}

/** A day as a table, with a line on its skill. */
export function textOf({ load, skill_percent: skill, hours }: DayAhead): string {
  const rows = hours.map(({ at, load: mean, upper, replicas }) => [
    ...[at.replace("T", " ").replace(":00Z", ""), formatQuantity(mean), formatQuantity(upper)],
    String(replicas ?? "–"),
  ]);
  const verdict =
    skill === undefined
      ? "not scored yet"
      : `skill ${skill} % beside the better of "as yesterday" and "as last week"${skill > 0 ? "" : ": do not rely on it"}`;
  return [`${load}: ${verdict}`, tableOf(["hour (UTC)", "load", "90 %", "replicas"], rows)].join("\n");
}

/** Days as CSV, one line an hour. */
export const csvOf = (days: DayAhead[]): string =>
  [
    "load,at,mean,upper,replicas",
    ...days.flatMap(({ load, hours }) =>
      hours.map(({ at, load: mean, upper, replicas }) => [cell(load), at, mean, upper, replicas ?? ""].join(",")),
    ),
  ].join("\n");

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A table without lines whose columns after the first are numbers. */
export function tableOf(head: string[], rows: string[][]): string {
  const table = new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? "left" : "right")),
    chars: withoutLines,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  table.push(...rows);
  return table.toString();
}
