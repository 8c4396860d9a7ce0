/// <reference lib="dom" />
import { element } from "../../../simulate/report/browser/elements";
import { confidences, verdicts } from "../../verdict";
import type { SurveyData } from "..";

type Row = SurveyData["rows"][number];

/** A column of the table. The cells of the first are made by the table. */
interface Column {
  heading: string;
  isNumber?: boolean;
  cellOf: (row: Row) => (Node | string)[];
  /** The value to sort by; a column without one is not sorted. */
  orderOf?: (row: Row) => string | number;
}

/** @param price the price of a replica-hour; without one there is no column of money */
export function columnsOf(price: number | undefined): Column[] {
  const number = (heading: string, orderOf: (row: Row) => number, text: (value: number) => string): Column => ({
    ...{ heading, isNumber: true, orderOf },
    cellOf: row => [Number.isFinite(orderOf(row)) ? text(orderOf(row)) : "–"],
  });
  return [
    { heading: "workload", cellOf: ({ workload }) => [workload], orderOf: ({ workload }) => workload },
    {
      heading: "verdict",
      cellOf: ({ verdict }) => [element("span", { class: verdict.replace(" ", "-") }, verdict)],
      orderOf: ({ verdict }) => verdicts.indexOf(verdict),
    },
    {
      heading: "confidence",
      cellOf: ({ confidence }) => [confidence],
      orderOf: ({ confidence }) => confidences.indexOf(confidence),
    },
    {
      heading: "load",
      cellOf: ({ metric, load }) => [
        element("span", { class: "metric", title: metric }, metric),
        ` ${short(load.mean)}`,
      ],
      orderOf: ({ metric }) => metric,
    },
    { heading: "last seven days", cellOf: ({ sparkline }) => [drawn(sparkline)] },
    number("skill", ({ skill_percent }) => skill_percent ?? NaN, percent(0)),
    number("unserved now", ({ unserved_percent }) => unserved_percent.hpa, percent(2)),
    number("with MLScaler", ({ unserved_percent }) => unserved_percent.mlscaler, percent(2)),
    number(
      "without forecast, equal cost",
      ({ unserved_percent }) => unserved_percent.without_forecast_at_equal_cost,
      percent(2),
    ),
    number("replica-hours against now", row => row.extra_replica_hours_percent, signed),
    number("saved at equal service", row => row.saved_replica_hours_percent, signed),
    ...(price === undefined
      ? [number("replica-hours saved in 30 days", row => row.saved_replica_hours, grouped)]
      : [number("money saved in 30 days", row => row.saved_replica_hours * price, grouped)]),
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

const percent =
  (digits: number) =>
  (value: number): string =>
    `${value.toFixed(digits)} %`;

const grouped = (value: number): string => Math.round(value).toLocaleString("en");

const short = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });

/** "+12 %", "−8 %". */
function signed(value: number): string {
  const text = Math.abs(value).toFixed(0);
  return text === "0" ? "0 %" : `${value > 0 ? "+" : "−"}${text} %`;
}
