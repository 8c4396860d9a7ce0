import { parseQuantity } from "../../../kubernetes/quantity";
import { servingPods } from "../../metrics/load";
import { MetricsError, type Reading } from "../../metrics/reading";
import { sourceOf, isCountedPerUnit } from "../../metrics/registry";
import { toleranceOf } from "./behavior";
import type { Behavior } from "./behavior-schema";
import { combine, type Combined, type MetricResult } from "./combine";
import type { Proposed } from "../decide";
import { type MetricProposal, proposeMetric } from "./hpa";
import { proposeTotal } from "./hpa-total";
import { type Loads, type Measured, type MetricLoad, requireKnownAge } from "../loads";
import { countPerUnit } from "./per-unit";
import { readingWithoutStartUp } from "./rollout";

/** The replicas in the scale of a target: spec.replicas and status.replicas. */
export interface Counts {
  replicas: number;
  observed: number;
}

export interface Counted {
  results: MetricResult[];
  combined: Combined;
  proposed?: Proposed;
}

/** The replicas that the metrics recommend for a target with these counts, by the rules of an HPA. Pure. */
export function countByMetrics(loads: Loads, behavior: Behavior | undefined, scale: Counts): Counted {
  const results = resultsOf(loads, behavior, scale, reading => reading);
  const combined = combine(results, scale.replicas);
  const { starting, pods } = loads;
  if (starting.size === 0) return { results, combined, proposed: proposedBy(combined, combined, scale.replicas) };
  const serving = servingPods(pods);
  const settled = resultsOf(loads, behavior, scale, reading => readingWithoutStartUp(reading, serving, starting));
  return { results, combined, proposed: proposedBy(combined, combine(settled, scale.replicas), scale.replicas) };
}

function resultsOf(
  { measured, totals, pods, now }: Loads,
  behavior: Behavior | undefined,
  scale: Counts,
  of: (reading: Reading) => Reading | undefined,
): MetricResult[] {
  const tolerance = toleranceOf(behavior);
  const target = { now, pods, tolerance, specReplicas: scale.replicas, statusReplicas: scale.observed };
  return measured.map((read, index) => {
    if ("error" in read || "noPods" in read) return read;
    const { metric } = read;
    try {
      if (isCountedPerUnit(metric)) {
        const load = totals.find(one => one.index === index);
        return { metric, proposal: proposePerUnit(read, load, scale) };
      }
      if ("total" in read) return { metric, proposal: proposeTotal(read.total, scale.replicas, tolerance) };
      const reading = of(read.reading);
      if (!reading) throw new MetricsError("Rollout", "all pods that have a sample are being started");
      const proposal = proposeMetric(metric, reading, target);
      if (proposal.replicas < scale.replicas) requireKnownAge(metric, reading, pods, now);
      return { metric, proposal };
    } catch (error) {
      if (error instanceof MetricsError) return { metric, error };
      throw error;
    }
  });
}

function proposePerUnit(
  read: Extract<Measured, { reading: unknown } | { total: unknown }>,
  load: MetricLoad | undefined,
  { replicas: current }: Counts,
): MetricProposal {
  const total = "total" in read ? read.total.load : undefined;
  const demand = total === undefined ? load?.demand : { lowest: total, highest: total, rollout: false };
  if (!demand) throw new RangeError("the metric of spec.metric has no load");
  const { replicasPerUnit = NaN } = sourceOf(read.metric).block.target;
  const perUnit = parseQuantity(replicasPerUnit) ?? NaN;
  const { held, replicas, load: counted } = countPerUnit(demand, perUnit, current);
  return { replicas, current: {}, of: "", load: counted, ...(held && { held: demand.rollout ? "Rollout" : held }) };
}

/** A count that only the start-up load of a rollout asks for is held. */
function proposedBy({ proposal }: Combined, settled: Combined, current: number): Proposed | undefined {
  if (!proposal) return undefined;
  const { replicas: reactive, held } = proposal;
  if (held) return { reactive, recommended: reactive, held };
  const without = Math.max(current, settled.proposal?.replicas ?? current);
  if (reactive <= without) return { reactive, recommended: reactive };
  return { reactive, recommended: without, held: "Rollout" };
}
