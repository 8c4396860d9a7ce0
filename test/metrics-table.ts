import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** One row of a table in docs/reference/metrics.md. */
interface Documented {
  name: string;
  type: string;
  /** The labels, except the namespace and name that each series of an MLScaler has. */
  labels: string[];
}

/** The series in the tables of docs/reference/metrics.md. */
export function documentedSeries(): Documented[] {
  const page = readFileSync(resolve(__dirname, "../docs/reference/metrics.md"), "utf8");
  return [...page.matchAll(/^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm)].map(([, name = "", type = "", labels = ""]) => ({
    ...{ name, type },
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).sort(),
  }));
}

/** The module's own series in a scrape (text format): those whose metric has a type. */
export function exposedSeries(scraped: string): Documented[] {
  const types = [...scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return types
    .filter(([, name = ""]) => /^(mlscaler|process)_/.test(name))
    .map(([, name = "", type = ""]) => {
      const samples = [...scraped.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, "gm"))];
      const labels = samples.flatMap(([, text = ""]) => [...text.matchAll(/(\w+)="/g)].map(([, label = ""]) => label));
      const own = new Set(labels.filter(label => !["namespace", "name", "le"].includes(label)));
      return { name, type, labels: [...own].sort() };
    });
}
