/// <reference lib="dom" />
import { verdicts } from "../../../simulate/gain";
import { button, find } from "../../../simulate/report/browser/elements";
import { fill } from "../../../table-page/browser/table";
import type { SurveyData } from "..";
import { cardsOf } from "./cards";
import { columnsOf } from "./columns";
import { openReport } from "./report";
import { words } from "./words";

/** Runs in the browser: fills the page, and opens reports. */

const survey = JSON.parse(find("#data").textContent ?? "") as SurveyData;
const { subtitle, command, sentences, rows, faults, left, reportPage, price } = survey;

fill({
  ...{ subtitle, command, sentences, rows, words },
  cards: cardsOf(survey),
  hint: rows.some(({ report }) => report !== undefined)
    ? "A name opens the report of its simulation in a new tab."
    : "",
  caption: "The workloads, with what each would gain",
  columns: columnsOf(rows, price),
  headOf: ({ workload, target, notes, report }) => ({
    content: report === undefined ? workload : button(workload, () => openReport(reportPage, report)),
    title: [target, ...notes].join("\n"),
  }),
  groups: verdicts,
  groupOf: ({ verdict }) => verdict,
  searchedIn: ({ workload, target, metric, reason }) => `${workload} ${target} ${metric} ${reason}`,
  faults: [...faults, ...(left > 0 ? [`${left} workloads have no verdict, because the survey was stopped.`] : [])],
});
