import { MetricReference } from "./reading";

const longest = 80;

/** Shortens a query for messages: one line of at most 80 characters. */
export function queryText(query: string): string {
  // A part of it is enough, unless it is mostly white space.
  const letters = Array.from(
    query
      .slice(0, 100 * longest)
      .replace(/\s+/g, " ")
      .trim(),
  );
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
}

/** A query as errors name it. */
export const prometheusReference = (query: string): MetricReference => ({
  reason: "FailedGetPrometheusMetric",
  metric: `Prometheus metric ${queryText(query)}`,
});
