import { buildSync } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The page of a report, built from page.html, page.css and browser/index.ts, with the placeholder REPORT for the data.
 * The build of the CLI replaces this module by the finished page.
 */
export function page(): string {
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
  const style = readFileSync(require.resolve("uplot/dist/uPlot.min.css"), "utf8") + read("page.css");
  return read("page.html")
    .replace("STYLE", () => style)
    .replace("SCRIPT", () => script.replaceAll("</script", "<\\/script"));
}
