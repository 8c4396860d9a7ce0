import { leadersOf } from "../metrics/leading";
import { Metric, metricOf } from "../metrics/registry";
import { Spec } from "../schema";

type Block = NonNullable<Metric["prometheus"]>;

/** A Prometheus query of a spec, with the path of its block: "spec.metrics[0].prometheus". */
export interface PrometheusQuery extends Pick<Block, "server" | "query" | "max_sample_age_seconds"> {
  field: string;
}

const queriesIn = (list: string, entries: Metric[]): PrometheusQuery[] =>
  entries.flatMap(({ prometheus }, index) =>
    prometheus ? [{ ...prometheus, field: `spec.${list}[${index}].prometheus` }] : [],
  );

const named = ({ scale_to_zero: block }: Spec): PrometheusQuery[] =>
  queriesIn("scale_to_zero.activation", (block?.activation ?? []).map(metricOf));

const ofMetrics = ({ metrics = [] }: Spec): PrometheusQuery[] => queriesIn("metrics", metrics);

/** The Prometheus queries of a spec. */
export const queriesOf = (spec: Spec): PrometheusQuery[] => [
  ...ofMetrics(spec),
  ...named(spec),
  ...queriesIn("forecast.leading", leadersOf(spec)),
];

/** The queries that say whether there is work: the activations, or without any the metrics. None without the block. */
export function queriesOfActivation(spec: Spec): PrometheusQuery[] {
  if (!spec.scale_to_zero) return [];
  return (spec.scale_to_zero.activation ?? []).length > 0 ? named(spec) : ofMetrics(spec);
}
