import { tablePageOf } from "../../table-page/page";

/**
 * The page of a survey, with the placeholder REPORT for the data. The build of the CLI replaces this module by the
 * finished page.
 */
export const surveyPage = (): string =>
  tablePageOf(__dirname, {
    title: "mlscaler survey",
    heading: "Which workloads would gain from a forecast?",
    rows: "Workloads",
    faults: "Without a verdict",
  });
