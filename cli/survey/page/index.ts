import { deflateRawSync } from "node:zlib";
import { page } from "../../simulate/report/page";
import { withReport } from "../../simulate/report/placeholder";
import { minuteText } from "../../simulate/time";
import { Row } from "../judge";
import { Span } from "../load";
import { Survey } from "../survey";
import { sentencesOf } from "../table";
import { Totals } from "../totals";
import { surveyPage } from "./page";

/** The data of the page. */
export interface SurveyData {
  subtitle: string;
  command: string;
  totals: Totals;
  sentences: string[];
  rows: (Row & { sparkline: (number | null)[]; report?: string })[];
  faults: string[];
  /** Workloads without a verdict, because the survey was stopped. */
  left: number;
  /** The page of a report with a placeholder for its data: deflated, in base64. */
  reportPage: string;
  /** Whether totals have money. */
  price?: number;
}

/** The survey as one HTML file without references to other files or the network. It has the report of each workload. */
export function surveyPageOf({
  survey,
  faults,
  totals,
  span,
  origin,
}: {
  survey: Survey;
  faults: string[];
  totals: Totals;
  span: Span;
  origin: { command: string; at: Date; price?: number };
}): string {
  const time = (at: number): string => minuteText(new Date(at).toISOString());
  const data: SurveyData = {
    subtitle: `Load from ${time(span.from)} to ${time(span.to)} UTC, the last seven days judged`,
    command: origin.command,
    totals,
    sentences: sentencesOf(totals),
    rows: survey.judged.map(({ row, sparkline, report }) => ({ ...row, sparkline, report })),
    faults,
    left: survey.left,
    reportPage: deflateRawSync(page()).toString("base64"),
    price: origin.price,
  };
  return withReport(surveyPage(), JSON.stringify(data));
}
