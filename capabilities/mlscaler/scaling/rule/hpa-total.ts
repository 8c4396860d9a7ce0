import { Metric } from "../../metrics/registry";
import { MetricProposal, proposeMetric } from "./hpa";
import { TargetState } from "./pod-groups";

/** A load shared by the replicas of a target, in the unit of its metric. */
export interface SharedLoad {
  load: number;
  capacity: number;
}

/** HPA's equivalent of a total is an external metric with an averageValue. A replica's capacity is scaled to 1M. */
const metric: Metric = {
  type: "External",
  external: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: 1_000_000 } },
};
const milliOfReplica = 1e9;

/** The replicas that HPA's algorithm recommends for a total load of a target with `replicas`. Throws MetricsError. */
export function proposeTotal(
  { load, capacity }: SharedLoad,
  replicas: number,
  tolerance: TargetState["tolerance"],
): MetricProposal {
  // Whole numbers, as in the metrics API. The rounding removes errors of double arithmetic just above a full replica.
  const reading = { milli: Math.round((load / capacity) * milliOfReplica) };
  return proposeMetric(metric, reading, {
    now: 0,
    pods: [],
    specReplicas: replicas,
    statusReplicas: replicas,
    tolerance,
  });
}
