import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { portOf } from "./components";
import type { SandboxPaths } from "./paths";

/** The job that scrapes the targets of PrometheusLoad. */
export const loadJob = "load";

/** Retention. It covers the history that PrometheusLoad writes. */
const keptFor = "40d";

/** Has Prometheus scrape the targets in the folder `targets` every second, and accept samples of the past. */
export function writePrometheusConfig({ prometheusConfig, targets }: SandboxPaths): void {
  const load = {
    job_name: loadJob,
    scrape_interval: "1s",
    scrape_timeout: "1s",
    // The certificate of the module is for its Service.
    tls_config: { insecure_skip_verify: true },
    file_sd_configs: [{ files: [join(targets, "*.json")] }],
    // Without labels of the scrape, a series continues its preloaded history.
    metric_relabel_configs: [{ action: "labeldrop", regex: "job|instance" }],
  };
  const tsdb = { out_of_order_time_window: keptFor, retention: { time: keptFor } };
  const otlp = { translation_strategy: "NoTranslation" };
  writeFileSync(prometheusConfig, stringify({ scrape_configs: [load], storage: { tsdb }, otlp }));
}

/** The URL of a sandbox's Prometheus, running or not. @throws when the sandbox is not up */
export const prometheusUrl = (paths: SandboxPaths): string => `http://127.0.0.1:${portOf(paths, "prometheus")}`;

/**
 * Has Prometheus scrape /metrics of a host and port.
 * @returns the file that makes it a target, which ends the scraping when it is removed
 */
export function addTarget({ targets }: SandboxPaths, address: string, scheme: "http" | "https" = "http"): string {
  const file = join(targets, `${address}.json`);
  // Renamed, so that Prometheus never reads an incomplete file.
  writeFileSync(`${file}.new`, JSON.stringify([{ targets: [address], labels: { __scheme__: scheme } }]));
  renameSync(`${file}.new`, file);
  return file;
}
