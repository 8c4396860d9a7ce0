import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "../../page";

/**
 * The page of a report, with the placeholder REPORT for the data. The build of the CLI replaces this module by the
 * finished page.
 */
export function page(): string {
  const read = (file: string): string => readFileSync(file, "utf8");
  const style = read(require.resolve("uplot/dist/uPlot.min.css")) + read(join(__dirname, "page.css"));
  return pageOf(__dirname, style, read(join(__dirname, "page.html")));
}
