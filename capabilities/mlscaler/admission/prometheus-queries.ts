import { activationsOf } from "../metrics/activation";
import { leadersOf } from "../metrics/leading";
import { Metric } from "../metrics/registry";
import { Spec } from "../schema";

/** A Prometheus query of a spec, with the path of its block: "spec.metrics[0].prometheus". */
interface PrometheusQuery extends Pick<
  NonNullable<Metric["prometheus"]>,
  "server" | "query" | "max_sample_age_seconds"
> {
  field: string;
}

const queryIn = (field: string, { prometheus }: Pick<Metric, "prometheus">): PrometheusQuery[] =>
  prometheus ? [{ ...prometheus, field: `spec.${field}.prometheus` }] : [];

/** The queries of the activations of a spec; none without `scale_to_zero`. */
export const queriesOfActivations = (spec: Spec): PrometheusQuery[] =>
  activationsOf(spec).flatMap(({ field, metric }) => queryIn(field, metric));

/** The queries of a spec, each once: of its metrics, its activations and its leading loads. */
export function queriesOf(spec: Spec): PrometheusQuery[] {
  const queries = [
    ...(spec.metrics ?? []).flatMap((metric, index) => queryIn(`metrics[${index}]`, metric)),
    ...queriesOfActivations(spec),
    ...leadersOf(spec).flatMap((metric, index) => queryIn(`forecast.leading[${index}]`, metric)),
  ];
  return [...new Map(queries.map(query => [query.field, query])).values()];
}
