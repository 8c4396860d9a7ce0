/// <reference lib="dom" />
import { button, element, find } from "../../../simulate/report/browser/elements";
import { verdicts } from "../../verdict";
import type { SurveyData } from "..";
import { cardsOf } from "./cards";
import { columnsOf } from "./columns";
import { openReport } from "./report";
import { words } from "./words";

/** Runs in the browser: fills the page, sorts and filters its table, and opens reports. */

const survey = JSON.parse(find("#survey").textContent ?? "") as SurveyData;
type Row = SurveyData["rows"][number];

const columns = columnsOf(survey.price);
const shown = { column: -1, isDescending: true, search: "", verdict: "" };

/** The lines of the table, made once. */
const lines = new Map(survey.rows.map(row => [row, lineOf(row)]));

find("#subtitle").textContent = survey.subtitle;
find("#command").textContent = survey.command;
find("#verdict").textContent = survey.sentences.join(" ");
find("#cards").append(...cardsOf(survey));
find("#opens").hidden = survey.rows.every(({ report }) => report === undefined);
find("#words").append(
  ...Object.entries(words).flatMap(([name, meaning]) => [element("dt", {}, name), element("dd", {}, meaning)]),
);
const left = survey.left > 0 ? [`${survey.left} workloads were not looked at: the survey was stopped.`] : [];
find("#faults").append(...[...survey.faults, ...left].map(fault => element("li", {}, fault)));
find("#faults-section").hidden = survey.faults.length + left.length === 0;

const headings = columns.map(({ heading, isNumber, orderOf }, column) =>
  element(
    "th",
    { scope: "col", ...(isNumber && { class: "number" }) },
    orderOf ? button(heading, () => sortBy(column)) : heading,
  ),
);
const body = element("tbody", {});
find("#workloads").append(
  element("caption", { class: "unseen" }, "The workloads, with what each would gain"),
  element("thead", {}, element("tr", {}, ...headings)),
  body,
);

const filters = ["", ...verdicts].map(verdict =>
  button(
    verdict === "" ? "all" : `${verdict} (${survey.totals.verdicts[verdict as (typeof verdicts)[number]]})`,
    () => {
      shown.verdict = verdict;
      show();
    },
  ),
);
find("#filters").append(...filters);
find("#search").addEventListener("input", event => {
  shown.search = (event.target as HTMLInputElement).value.trim().toLowerCase();
  show();
});
show();

function lineOf(row: Row): HTMLElement {
  const cells = columns.map(({ isNumber, cellOf }) =>
    element("td", isNumber ? { class: "number" } : {}, ...cellOf(row)),
  );
  const { report } = row;
  const name = report === undefined ? row.workload : button(row.workload, () => openReport(survey.reportPage, report));
  const head = element("th", { scope: "row", title: [row.target, ...row.notes].join("\n") }, name);
  return element("tr", {}, head, ...cells.slice(1));
}

/** Sorts by a column. A second time turns the order round. */
function sortBy(column: number): void {
  shown.isDescending = shown.column === column ? !shown.isDescending : Boolean(columns[column]?.isNumber);
  shown.column = column;
  show();
}

function show(): void {
  const { search, verdict, column, isDescending } = shown;
  const rows = survey.rows.filter(
    row =>
      (verdict === "" || row.verdict === verdict) &&
      `${row.workload} ${row.target} ${row.metric}`.toLowerCase().includes(search),
  );
  const orderOf = columns[column]?.orderOf;
  if (orderOf) rows.sort((one, other) => compared(orderOf(one), orderOf(other)) * (isDescending ? -1 : 1));
  body.replaceChildren(...rows.flatMap(row => lines.get(row) ?? []));
  find("#shown").textContent = `${rows.length} of ${survey.rows.length}`;
  filters.forEach((filter, index) =>
    filter.setAttribute("aria-pressed", String((["", ...verdicts][index] ?? "") === verdict)),
  );
  headings.forEach((heading, index) => {
    if (index === column) heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  });
}

function compared(one: string | number, other: string | number): number {
  return typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one).localeCompare(String(other), "en");
}
