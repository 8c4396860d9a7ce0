import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "../../page";

/**
 * The page of a survey, in the style of the report of `simulate`, with the placeholder REPORT for the data. The build
 * of the CLI replaces this module by the finished page.
 */
export function surveyPage(): string {
  const read = (file: string): string => readFileSync(join(__dirname, file), "utf8");
  return pageOf(__dirname, read("../../simulate/report/page.css") + read("page.css"));
}
