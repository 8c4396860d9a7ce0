import Table from "cli-table3";
import { withoutLines } from "../table";
import { dim, green, yellow } from "../terminal";
import { Row } from "./judge";
import { Totals } from "./totals";
import { Verdict } from "../simulate/gain";

/** A column: heading, and text for a row. The page has the same. */
interface Column {
  heading: string;
  of: (row: Row) => string;
}

const nodeWait: Column = {
  heading: "node wait",
  of: ({ load: { node_seconds: seconds } }) => (seconds === undefined ? "–" : `${seconds} s`),
};

/** The columns. That of the waits for nodes is there where pods of a workload waited. */
const columnsOf = (rows: Row[]): Column[] =>
  columns.filter(column => column !== nodeWait || rows.some(({ load }) => load.node_seconds !== undefined));

const columns: Column[] = [
  { heading: "workload", of: ({ workload }) => workload },
  { heading: "load", of: ({ metric, load }) => `${shortened(metric)} ${load.mean}` },
  {
    heading: "skill",
    of: ({ skill_percent }) => (skill_percent === undefined ? "–" : `${skill_percent.toFixed(0)} %`),
  },
  { heading: "unserved now", of: ({ unserved_percent }) => `${unserved_percent.hpa.toFixed(2)} %` },
  { heading: "MLScaler", of: ({ unserved_percent }) => `${unserved_percent.mlscaler.toFixed(2)} %` },
  {
    heading: "at equal cost",
    of: ({ unserved_percent }) => `${unserved_percent.without_forecast_at_equal_cost.toFixed(2)} %`,
  },
  { heading: "saved", of: ({ saved_replica_hours_percent }) => signed(saved_replica_hours_percent) },
  nodeWait,
  { heading: "verdict", of: ({ verdict }) => verdict },
  { heading: "because", of: ({ reason }) => reason },
];

const colours: Record<Verdict, (text: string) => string> = { gains: green, "no gain": yellow, unsure: dim };

/** The survey for a terminal. */
export function tableOf(rows: Row[], totals: Totals): string {
  const shown = columnsOf(rows);
  const table = new Table({
    chars: withoutLines,
    colAligns: shown.map(({ heading }) =>
      ["workload", "load", "verdict", "because"].includes(heading) ? "left" : "right",
    ),
    style: { "padding-left": 0, "padding-right": 3 },
  });
  table.push(shown.map(({ heading }) => dim(heading)));
  for (const row of rows) table.push(shown.map(({ of }) => colours[row.verdict](of(row))));
  return [table.toString().replaceAll(/ +$/gm, ""), "", ...sentencesOf(totals)].join("\n");
}

/** The totals, a sentence each. */
export function sentencesOf({ workloads, verdicts, saved_replica_hours: hours, saved_money: money }: Totals): string[] {
  const { gains, unsure } = verdicts;
  const counts = `${gains} of ${workloads} gain, ${verdicts["no gain"]} do not, ${unsure} are unsure.`;
  if (gains === 0) return [counts];
  const cost = money === undefined ? "" : `, which cost ${money.toLocaleString("en")}`;
  return [
    counts,
    `To serve those that gain as well without a forecast takes ${hours.toLocaleString("en")} replica-hours more ` +
      `in 30 days${cost}.`,
  ];
}

/** A difference in whole percent: "+12 %", "−8 %". */
function signed(percent: number): string {
  const text = Math.abs(percent).toFixed(0);
  if (text === "0") return "0 %";
  return `${percent > 0 ? "+" : "−"}${text} %`;
}

const shortened = (text: string): string => (text.length > 24 ? `${text.slice(0, 23)}…` : text);
