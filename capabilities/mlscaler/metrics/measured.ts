import { Counter, Histogram } from "prom-client";
import { registry } from "../../common/telemetry";
import { Metric } from "./schema";

const labelNames = ["type"];
const registers = [registry];

const duration = new Histogram({
  name: "mlscaler_metric_read_duration_seconds",
  help: "How long a sync waited for a metric, by the type of its source",
  labelNames,
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers,
});

const errors = new Counter({
  name: "mlscaler_metric_read_errors_total",
  help: "Reads of a metric that failed, by the type of its source",
  labelNames,
  registers,
});

/** What `read` reads of a metric of that type, measured. Throws what `read` throws. */
export async function measured<Read>(type: Metric["type"], read: () => Promise<Read>): Promise<Read> {
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
