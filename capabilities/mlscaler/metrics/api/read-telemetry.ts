import { Counter, Gauge, Histogram } from "prom-client";
import { ServerClock } from "../../../kubernetes/server-clock";
import { registry } from "../../../operator/telemetry";
import { MetricType } from "../registry";

const labelNames = ["type"];
const registers = [registry];

const duration = new Histogram({
  name: "mlscaler_metric_read_duration_seconds",
  help: "Duration of a read of a metric, by the type of its source",
  labelNames,
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers,
});

const errors = new Counter({
  name: "mlscaler_metric_read_errors_total",
  help: "Failed reads of a metric, by the type of its source",
  labelNames,
  registers,
});

const clockSkew = new Gauge({
  name: "mlscaler_clock_skew_seconds",
  help: "How far the clock of a server is ahead of the clock of this process",
  labelNames: ["server"],
  registers,
});

/** Records the clock of `server`, once an answer has shown it. */
export function observeClock(server: string, clock: ServerClock): void {
  const now = Date.now();
  if (clock.isKnown) clockSkew.set({ server }, (clock.now(now) - now) / 1000);
}

/** Records the duration and the failure of `read`, which reads a metric of this type. Throws what `read` throws. */
export async function measured<Read>(type: MetricType, read: () => Promise<Read>): Promise<Read> {
  errors.inc({ type }, 0);
  const end = duration.startTimer({ type });
  try {
    return await read();
  } catch (error) {
    errors.inc({ type });
    throw error;
  } finally {
    end();
  }
}
