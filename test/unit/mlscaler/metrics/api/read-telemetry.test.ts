import { expect, it } from "vitest";
import { ServerClock } from "../../../../../capabilities/kubernetes/server-clock";
import { registry } from "../../../../../capabilities/operator/telemetry";
import { measured, observeClock } from "../../../../../capabilities/mlscaler/metrics/api/read-telemetry";

it("counts reads and failures by the type of the source, and passes on what was read or thrown", async () => {
  const valueOf = async (line: string): Promise<number> =>
    Number(
      (await registry.metrics())
        .split("\n")
        .find(one => one.startsWith(`${line} `))
        ?.slice(line.length),
    );
  const reads = 'mlscaler_metric_read_duration_seconds_count{type="External"}';
  const errors = 'mlscaler_metric_read_errors_total{type="External"}';
  await expect(measured("External", () => Promise.resolve(3))).resolves.toBe(3);
  const [before, failed] = [await valueOf(reads), await valueOf(errors)];
  await expect(measured("External", () => Promise.reject(new Error("silent")))).rejects.toThrow("silent");
  expect(await valueOf(reads)).toBe(before + 1);
  expect(await valueOf(errors)).toBe(failed + 1);
});

it("shows the clock of a server from its first answer on", async () => {
  const clock = new ServerClock("it");
  observeClock("of-telemetry", clock);
  expect(await registry.metrics()).not.toContain('server="of-telemetry"');
  clock.observe({ date: new Date(Date.now() + 3_600_000).toUTCString() }, performance.now());
  observeClock("of-telemetry", clock);
  const [, seconds] =
    /^mlscaler_clock_skew_seconds\{server="of-telemetry"\} (.+)$/m.exec(await registry.metrics()) ?? [];
  expect(Math.abs(Number(seconds) - 3600)).toBeLessThan(2);
});
