import { buildSync } from "esbuild";
import { join } from "node:path";

/**
 * A page that needs no other file: `html` with `style` and the bundle of browser/index.ts of `folder`. The placeholder
 * REPORT is left for the data. Throws when esbuild fails.
 */
export function pageOf(folder: string, style: string, html: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, "browser/index.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  return html.replace("STYLE", () => style).replace("SCRIPT", () => script.replaceAll("</script", "<\\/script"));
}
