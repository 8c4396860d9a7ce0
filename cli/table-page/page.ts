import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "../page";

/** The texts of a page with a table. */
interface Texts {
  title: string;
  heading: string;
  /** What the rows are: "Workloads". */
  rows: string;
  /** The heading of the faults. */
  faults: string;
}

/**
 * A page with cards and a table that can be sorted and searched, in the style of the report of `simulate`, with the
 * placeholder REPORT for the data. Throws when esbuild fails.
 * @param folder whose browser/index.ts fills the page
 */
export function tablePageOf(folder: string, { title, heading, rows, faults }: Texts): string {
  const read = (file: string): string => readFileSync(join(__dirname, file), "utf8");
  const html = read("page.html")
    .replace("TITLE", title)
    .replace("HEADING", heading)
    .replaceAll("ROWS", rows)
    .replace("FAULTS", faults);
  return pageOf(folder, read("../simulate/report/page.css") + read("page.css"), html);
}
