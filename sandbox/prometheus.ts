import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { SandboxPaths } from "./paths";

/** The job that scrapes what processes of this machine announce, see PrometheusLoad. */
export const loadJob = "load";

/** Sandboxes are short-lived; history is preloaded. */
const keptFor = "40d";

/**
 * Writes how Prometheus is configured, and where it is found: what has a file in `targets` is scraped every second, and samples of
 * the past are taken.
 * @returns the path of the file
 */
export function writePrometheusConfig({ config, targets, prometheusUrl }: SandboxPaths, port: number): string {
  mkdirSync(targets, { recursive: true, mode: 0o700 });
  writeFileSync(prometheusUrl, `http://127.0.0.1:${port}`);
  const path = join(config, "prometheus.yaml");
  const load = {
    job_name: loadJob,
    scrape_interval: "1s",
    scrape_timeout: "1s",
    file_sd_configs: [{ files: [join(targets, "*.json")] }],
    // A series has the labels that it was given and no others, so that it goes on after preloaded history.
    metric_relabel_configs: [{ action: "labeldrop", regex: "job|instance" }],
  };
  const tsdb = { out_of_order_time_window: keptFor, retention: { time: keptFor } };
  const otlp = { translation_strategy: "NoTranslation" };
  writeFileSync(path, stringify({ scrape_configs: [load], storage: { tsdb }, otlp }));
  return path;
}

/** Where Prometheus of a sandbox answers, whether it runs or not. @throws when the sandbox is not up */
export function prometheusUrl(paths: SandboxPaths): string {
  return readFileSync(paths.prometheusUrl, "utf8");
}
