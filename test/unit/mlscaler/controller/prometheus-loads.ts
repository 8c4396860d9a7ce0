import { MockInstance, vi } from "vitest";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { start } from "../../time";

/** Eight days before tests begin. Four weeks take longer to replay. */
const eightDaysAgo = start.getTime() - 8 * 86_400_000;

/** Has Prometheus answer each query with a load (`at` in epoch milliseconds), of now and back to `since`. */
export function prometheusHas(
  loadOf: (at: number, query: string) => number,
  since = eightDaysAgo,
): {
  query: MockInstance<Prometheus["query"]>;
  range: MockInstance<Prometheus["range"]>;
} {
  const query = vi.spyOn(Prometheus.prototype, "query");
  query.mockImplementation((_namespace, _server, text) =>
    Promise.resolve().then(() => ({ value: loadOf(Date.now(), text) })),
  );
  const range = vi.spyOn(Prometheus.prototype, "range");
  range.mockImplementation((_namespace, _server, text, from, to, step) => {
    const times = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
    return Promise.resolve(times.filter(at => at >= since).map((at): [number, number] => [at, loadOf(at, text)]));
  });
  return { query, range };
}
