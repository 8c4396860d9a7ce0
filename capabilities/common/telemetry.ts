import { metricsCollector } from "pepr";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The module's own series; Pepr's collector knows neither labels nor histograms. */
export const registry = new Registry();

const registers = [registry];

export const crdsMissing = new Gauge({
  name: "mlscaler_crds_missing",
  help: "CustomResourceDefinitions of this module that are not installed",
  registers,
});

export const leader = new Gauge({
  name: "mlscaler_leader",
  help: "1 while this process holds the Lease and acts",
  registers,
});

export const queueDepth = new Gauge({
  name: "mlscaler_queue_depth",
  help: "Syncs waiting for a free place",
  registers,
});

export const objects = new Gauge({ name: "mlscaler_objects", help: "Objects that are synced", registers });

export const syncLag = new Histogram({
  name: "mlscaler_sync_lag_seconds",
  help: "How late a sync started",
  labelNames: ["kind"],
  buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60],
  registers,
});

export const syncDuration = new Histogram({
  name: "mlscaler_sync_duration_seconds",
  help: "How long a sync took",
  labelNames: ["kind", "next"],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 10],
  registers,
});

export const syncErrors = new Counter({
  name: "mlscaler_sync_errors_total",
  help: "Syncs that threw, by the API server's reason",
  labelNames: ["kind", "reason"],
  registers,
});

/** Shows the module's series on the /metrics of the Pepr controller, after Pepr's own. */
export function exposeMetrics(): void {
  const ofPepr = metricsCollector.getMetrics;
  metricsCollector.getMetrics = async () => `${await ofPepr()}\n${await registry.metrics()}`;
}
