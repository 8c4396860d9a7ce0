import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chartPage } from "./chart";
import { cliPage } from "./cli";
import { metricsPage } from "./metrics";
import { mlscalerPage } from "./mlscaler";
import { conditionsPage, statusPage } from "./status";

/** The generated pages of docs/reference. */
export const pages: Record<string, () => string | Promise<string>> = {
  "chart.md": chartPage,
  "cli.md": cliPage,
  "conditions.md": conditionsPage,
  "metrics.md": metricsPage,
  "mlscaler.md": mlscalerPage,
  "status.md": statusPage,
};

/** Writes the generated pages to `directory`. Other pages in it stay. Throws when a file cannot be written. */
export async function writeReference(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  for (const [name, page] of Object.entries(pages)) writeFileSync(join(directory, name), await page());
}
