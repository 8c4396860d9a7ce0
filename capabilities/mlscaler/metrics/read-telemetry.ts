import { Counter, Histogram } from "prom-client";
import { registry } from "../../operator/telemetry";
import { MetricType } from "./registry";

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
