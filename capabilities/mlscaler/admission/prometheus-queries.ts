import { errorFields, log } from "../../kubernetes/log";
import { slotOf } from "../history/coarse-grid";
import { dayMilliseconds, hourMilliseconds, slotMilliseconds } from "../history/retention";
import { Prometheus } from "../metrics/prometheus/client";
import { Spec } from "../schema";
import { activationsOf } from "../metrics/activation";
import { leadersOf } from "../metrics/leading";
import { Metric } from "../metrics/registry";

/** A Prometheus query of a spec, with the path of its block: "spec.metrics[0].prometheus". */
type PrometheusQuery = NonNullable<Metric["prometheus"]> & { field: string };

const queryIn = (field: string, { prometheus }: Pick<Metric, "prometheus">): PrometheusQuery[] =>
  prometheus ? [{ ...prometheus, field: `spec.${field}.prometheus` }] : [];

/** The queries of the activations of a spec; none without `scale_to_zero`. */
const queriesOfActivations = (spec: Spec): PrometheusQuery[] =>
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

const searchedDays = 7;

/** The shortest absence that causes a warning, in slots: an hour. Prometheus itself may be absent for less. */
const longAbsence = hourMilliseconds / slotMilliseconds;

/** Warns of Prometheus activations without a value for an hour of the last week, as those of the pods. Never throws. */
export async function absentActivations(
  prometheus: Pick<Prometheus, "range">,
  namespace: string,
  spec: Spec,
  now: number,
  timeoutSeconds: number,
): Promise<string[]> {
  const to = slotOf(now) * slotMilliseconds;
  const from = to - searchedDays * dayMilliseconds;
  const warnings = queriesOfActivations(spec).map(async ({ field, server, query }) => {
    try {
      const values = await prometheus.range(namespace, server, query, from, to, slotMilliseconds, { timeoutSeconds });
      return warningOf(`${field}.query`, values[0]?.[0], values.length, to);
    } catch (error) {
      log.debug({ kind: "MLScaler", namespace, field, ...errorFields(error) }, "no history of an activation");
      return [];
    }
  });
  return (await Promise.all(warnings)).flat();
}

/** @param first the time of the first value; before it, nobody kept the metric */
function warningOf(field: string, first: number | undefined, known: number, to: number): string[] {
  const remedy = "one that only the target's pods export never wakes it from 0; count the load in front of them";
  if (first === undefined) return [`${field} had no value in the last ${searchedDays} days: ${remedy}`];
  const slots = (to - first) / slotMilliseconds + 1;
  const absent = slots - known;
  if (absent < longAbsence) return [];
  const hours = (count: number): number => Math.round((count * slotMilliseconds) / hourMilliseconds);
  return [`${field} had no value in ${hours(absent)} of the last ${hours(slots)} h: ${remedy}`];
}
