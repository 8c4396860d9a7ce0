import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { alerts, runbook } from "./alerts";
import { dashboardOf } from "./dashboard";
import { KnownSeries, knownSeries, requireKnown } from "./series";

/**
 * Writes alerts.yaml to `directory`, a file of rules that Prometheus loads and that the chart has in a PrometheusRule,
 * and dashboard.json, which Grafana loads and the chart has in a ConfigMap. Throws when an expression names a series or
 * a label that the module does not have, or a file cannot be written.
 */
export async function writeMonitoring(directory: string): Promise<void> {
  const known = await knownSeries();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "alerts.yaml"), rulesText(known));
  writeFileSync(join(directory, "dashboard.json"), `${JSON.stringify(dashboardOf(known), null, 2)}\n`);
}

/** The file of rules with all alerts. Throws when an expression names what `known` does not have. */
export function rulesText(known: KnownSeries, all = alerts): string {
  const rules = all.map(({ name, expr, for: duration, severity, summary, description }) => {
    requireKnown(name, expr, known);
    const annotations = { summary, description, runbook_url: `${runbook}#${name.toLowerCase()}` };
    return { alert: name, expr, for: duration, labels: { severity }, annotations };
  });
  const head = "# Generated from build/monitoring/alerts.ts by `npm run build`. Do not edit.\n";
  return head + stringify({ groups: [{ name: "mlscaler", rules }] }, { version: "1.1", lineWidth: 0 });
}
