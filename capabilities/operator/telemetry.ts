import { metricsCollector } from "pepr";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of this process. Pepr's collector has neither labels nor histograms. */
export const registry = new Registry();

/** The metrics of single objects, which only the leader has. */
export const objectRegistry = new Registry();

const registers = [registry];

/** The reasons that a label distinguishes. A server's own words would each be another series. */
export const reasons = [
  ...["BadRequest", "Conflict", "Expired", "Forbidden", "Gone", "InternalError", "Invalid", "NotFound"],
  ...["ServerTimeout", "ServiceUnavailable", "Timeout", "TooManyRequests", "Unauthorized"],
  ...["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "ETIMEDOUT", "InvalidAnswer", "NotLeading", "TimeoutError"],
  "Other",
];

/** The label of a reason: "Other" for one that is not among `known`. */
export const reasonLabel = (reason: string, known = reasons): string => (known.includes(reason) ? reason : "Other");

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

export const certificateExpiration = new Gauge({
  name: "mlscaler_certificate_expiration_timestamp_seconds",
  help: "When the webhook's certificate expires, as a Unix time; NaN until the Secret has one",
  registers,
});
certificateExpiration.set(NaN);

let scheduled = (): { objects: number; queued: number } => ({ objects: 0, queued: 0 });

/** Sets the function that a scrape calls for the number of objects and of queued syncs. */
export const scheduledBy = (size: typeof scheduled): void => void (scheduled = size);

new Gauge({
  name: "mlscaler_queue_depth",
  help: "Syncs waiting for a free place",
  registers,
  collect() {
    this.set(scheduled().queued);
  },
});

new Gauge({
  name: "mlscaler_objects",
  help: "Objects that are synced",
  registers,
  collect() {
    this.set(scheduled().objects);
  },
});

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

new Gauge({
  name: "process_resident_memory_bytes",
  help: "Resident memory of this process, without Pepr's launcher",
  registers,
  collect() {
    this.set(process.memoryUsage.rss());
  },
});

new Counter({
  name: "process_cpu_seconds_total",
  help: "User and system CPU time of this process",
  registers,
  collect() {
    const { user, system } = process.cpuUsage();
    this.reset();
    this.inc((user + system) / 1e6);
  },
});

/** Adds the metrics of the module to /metrics of the Pepr controller, after Pepr's own. */
export function exposeMetrics(): void {
  const ofPepr = metricsCollector.getMetrics;
  metricsCollector.getMetrics = async () =>
    (await Promise.all([ofPepr(), registry.metrics(), objectRegistry.metrics()])).join("\n");
}
