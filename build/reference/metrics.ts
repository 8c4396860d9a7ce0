import { seriesIn, type Series } from "../monitoring/series";
import { code, codes, head, plain, table } from "./markdown";

/** The labels that all series of an MLScaler have. */
const ofEach = ["namespace", "name"];

/** The Prometheus metrics of the module. Imports the module, which must not start: set PEPR_MODE before. */
export async function metricsPage(): Promise<string> {
  await import("../../pepr");
  const { registry, objectRegistry } = await import("../../capabilities/operator/telemetry");
  const { bases, stages, directions, stableSeries } = await import("../../capabilities/mlscaler/report/telemetry");
  const labels: Record<string, string> = {
    namespace: "Namespace of the MLScaler.",
    name: "Name of the MLScaler.",
    stage: `Step of the decision: ${codes(stages)}. \`hpa\` is the count without the forecast.`,
    basis: `What decided the count: ${Object.entries(bases)
      .map(([basis, meaning]) => `${code(basis)} (${meaning})`)
      .join(", ")}.`,
    metric: "Name of the metric, as in `status.metrics`: for Prometheus the query, shortened to 80 characters.",
    unit: "Unit of the load: `cores`, `GiB`, or the name of the metric.",
    quantile:
      "`0.5` is the load at the horizon. The other is the upper quantile that acts, at its highest until the horizon: " +
      "`forecast.quantile_percent`, by default `0.6`, `0.9` or `0.95` by outcome. A line has none.",
    hour: "Hours ahead: `0` is the hour that runs, `23` the last one.",
    direction: `Direction of the scaling: ${codes(directions)}.`,
    reason: "Reason of the fault: of a [condition](conditions.md), of the API server, or `Other`.",
    kind: "Kind of the object.",
    next: "How the sync ended: `sync` (well), `soon` (well, and it learns), `retry` or `forget` (the object is gone).",
    type: "Type of the metric, as in `spec.metrics`. The short form has `Resource` or `Pods`.",
    server: "`API`, or the name of a Prometheus server.",
  };
  const ofObjects = await seriesIn(objectRegistry);
  const ofModule = await seriesIn(registry);
  const used = new Set([...ofObjects, ...ofModule].flatMap(({ labelNames }) => labelNames));
  const undescribed = [...used].filter(label => !(label in labels));
  if (undescribed.length > 0)
    throw new Error(`build/reference/metrics.ts describes no label ${undescribed.join(", ")}; add it`);
  return [
    head("Metrics of the module", "capabilities/**/telemetry.ts"),
    "The watcher serves these metrics on `/metrics`, after the metrics of Pepr.\n",
    "## Of each MLScaler\n",
    `Each metric has the labels ${ofEach.map(code).join(" and ")}. ` +
      "Only the leader has these metrics, or the leader of its shard.\n",
    `The names and labels of ${stableSeries.map(code).join(" and ")} ` +
      "are [stable](../how-to/upgrade.md#what-may-change-in-0x), " +
      "so that [KEDA or an HPA can use them](../how-to/use-the-forecast.md).\n",
    tableOf(ofObjects),
    "## Of the process\n",
    tableOf(ofModule),
    "## Labels\n",
    table(
      ["Label", "Meaning"],
      Object.entries(labels).map(([label, meaning]) => [code(label), meaning]),
    ),
  ].join("\n");
}

const tableOf = (series: Series[]): string =>
  table(
    ["Metric", "Type", "Labels", "Description"],
    series.map(({ name, type, labelNames, help }) => [
      code(name),
      type,
      codes(labelNames.filter(label => !ofEach.includes(label))),
      `${plain(help)}.`,
    ]),
  );
