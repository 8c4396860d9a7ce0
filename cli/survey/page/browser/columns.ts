/// <reference lib="dom" />
import { Verdict, verdicts } from "../../../simulate/gain";
import { element } from "../../../simulate/report/browser/elements";
import { Column, grouped, numbers, percent, ranked, signed, texts } from "../../../table-page/browser/columns";
import type { SurveyData } from "..";

type Row = SurveyData["rows"][number];

const colours: Record<Verdict, string> = { gains: "good", "no gain": "bad", unsure: "" };

/**
 * The columns. That of the waits for nodes is there where pods of a workload waited.
 * @param price the price of a replica-hour; with one the savings are money
 */
export function columnsOf(rows: Row[], price: number | undefined): Column<Row>[] {
  const nodeSecondsOf = ({ load }: Row): number => load.node_seconds ?? NaN;
  return [
    texts("workload", ({ workload }) => workload),
    ranked(
      "verdict",
      verdicts,
      ({ verdict }) => verdict,
      verdict => element("span", { class: colours[verdict] }, verdict),
    ),
    { heading: "because", cellOf: ({ reason }) => [element("span", { class: "reason" }, reason)] },
    {
      heading: "load",
      cellOf: ({ metric, load, sparkline }) => [
        element("span", { class: "metric", title: metric }, metric),
        ` ${short(load.mean)}`,
        drawn(sparkline),
      ],
      orderOf: ({ metric }) => metric,
    },
    numbers("skill", ({ skill_percent }) => skill_percent ?? NaN, percent(0)),
    numbers("unserved now", ({ unserved_percent }) => unserved_percent.hpa, percent(2)),
    numbers("with MLScaler", ({ unserved_percent }) => unserved_percent.mlscaler, percent(2)),
    numbers(
      "without forecast, equal cost",
      ({ unserved_percent }) => unserved_percent.without_forecast_at_equal_cost,
      percent(2),
    ),
    ...(rows.every(row => Number.isNaN(nodeSecondsOf(row)))
      ? []
      : [numbers("node wait", nodeSecondsOf, (seconds: number) => `${seconds} s`)]),
    numbers("replica-hours against now", (row: Row) => row.extra_replica_hours_percent, signedPercent),
    {
      heading: price === undefined ? "replica-hours saved in 30 days" : "money saved in 30 days",
      isNumber: true,
      cellOf: ({ saved_replica_hours: hours, saved_replica_hours_percent: share }) => [
        `${grouped(hours * (price ?? 1))} (${signedPercent(share)})`,
      ],
      orderOf: ({ saved_replica_hours: hours }) => hours,
    },
  ];
}

/** A line of the load, from its least to its most. */
function drawn(sparkline: Row["sparkline"]): SVGElement {
  const known = sparkline.filter(value => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const height = (value: number): number => (most > least ? 22 - (20 * (value - least)) / (most - least) : 12);
  const steps = sparkline.map((value, index) => {
    if (value === null) return "";
    const isFirst = index === 0 || sparkline[index - 1] === null;
    return `${isFirst ? "M" : "L"}${((120 * index) / (sparkline.length - 1)).toFixed(1)} ${height(value).toFixed(1)}`;
  });
  const space = "http://www.w3.org/2000/svg";
  const image = document.createElementNS(space, "svg");
  image.setAttribute("viewBox", "0 0 120 24");
  image.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", steps.join(""));
  image.append(line);
  return image;
}

const short = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });

/** "+12 %", "−8 %". */
const signedPercent = (value: number): string => `${signed(value)} %`;
