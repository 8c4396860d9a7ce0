import { buildSync } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The page of a survey, built from page.html, page.css, the style of the report of `simulate` and browser/index.ts, with
 * the placeholder REPORT for the data. The build of the CLI replaces this module by the finished page.
 */
export function surveyPage(): string {
  const read = (file: string): string => readFileSync(join(__dirname, file), "utf8");
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, "browser/index.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  return read("page.html")
    .replace("STYLE", () => read("../../simulate/report/page.css") + read("page.css"))
    .replace("SCRIPT", () => script.replaceAll("</script", "<\\/script"));
}
