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

function gauge(name: string, help: string, read?: () => number): Gauge {
  const made: Gauge = new Gauge({ name, help, registers, collect: () => read && made.set(read()) });
  return made;
}

export const crdsMissing = gauge("mlscaler_crds_missing", "CRDs of this module that are not installed");
export const leader = gauge(
  "mlscaler_leader",
  "1 while this process holds the Lease, or the Lease of a shard, and acts",
);
export const shardsHeld = gauge("mlscaler_shards_held", "Shards of namespaces in which this process acts");
export const shards = gauge("mlscaler_shards", "Shards that the namespaces are divided into");
export const certificateExpiration = gauge(
  "mlscaler_certificate_expiration_timestamp_seconds",
  "When the webhook's certificate expires, as a Unix time; NaN until the Secret has one",
);
certificateExpiration.set(NaN);

const queueDepth = gauge("mlscaler_queue_depth", "Syncs waiting for a free place");
const scheduledObjects = gauge("mlscaler_objects", "Objects that are synced");

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

export const slowSyncs = new Counter({
  name: "mlscaler_slow_syncs_total",
  help: "Syncs with a step that used more than 50 ms of CPU in one turn of the event loop",
  labelNames: ["kind"],
  registers,
});

gauge("process_resident_memory_bytes", "Resident memory of this process, without Pepr's launcher", () =>
  process.memoryUsage.rss(),
);

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
export function exposeMetrics(scheduler: { size: { objects: number; queued: number } }): void {
  const ofPepr = metricsCollector.getMetrics;
  metricsCollector.getMetrics = async () => {
    const { objects, queued } = scheduler.size;
    scheduledObjects.set(objects);
    queueDepth.set(queued);
    return (await Promise.all([ofPepr(), registry.metrics(), objectRegistry.metrics()])).join("\n");
  };
}
