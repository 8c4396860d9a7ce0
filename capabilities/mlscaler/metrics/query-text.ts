import { MetricReference } from "./reading";

const longest = 80;

/** Shortens a query for messages: one line of at most 80 characters. */
export function queryText(query: string): string {
  const letters = Array.from(query.replace(/\s+/g, " ").trim());
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
}

/** A query as errors name it. */
export const prometheusReference = (query: string): MetricReference => ({
  reason: "FailedGetPrometheusMetric",
  metric: `Prometheus metric ${queryText(query)}`,
});
