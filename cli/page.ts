import { buildSync } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A page that needs no other file: page.html of `folder`, with `style` and the bundle of browser/index.ts. The
 * placeholder REPORT is left for the data. Throws when esbuild fails.
 */
export function pageOf(folder: string, style: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, "browser/index.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  return readFileSync(join(folder, "page.html"), "utf8")
    .replace("STYLE", () => style)
    .replace("SCRIPT", () => script.replaceAll("</script", "<\\/script"));
}
