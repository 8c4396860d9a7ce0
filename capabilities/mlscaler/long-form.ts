import { Finding } from "../common/conditions";
import { Metric, MetricTarget } from "./metrics/schema";
import { Asked, Observation } from "./observation";
import { Current } from "./scaling/average";
import { toleranceOf } from "./scaling/behavior";
import { combine, Combined, Result } from "./scaling/combine";
import { Proposed } from "./scaling/decide";
import { propose } from "./scaling/hpa";
import { MetricsError, Pod, Reading } from "./scaling/reading";
import { readingWithoutStartUp } from "./scaling/rollout";
import { LongForm } from "./schema";
import { stays } from "./pods";
import { Scale } from "./target";

/** A metric of a spec and what its source said. */
export type Read = { metric: Metric } & ({ reading: Reading } | { error: MetricsError });

/**
 * What the metrics of an HPA ask for, by HPA's rules.
 * @param starting the pods that a rollout is starting, by name: what only their load asks for is not given
 * @param now epoch milliseconds
 */
export function observeMetrics(
  spec: LongForm,
  reads: Read[],
  pods: Pod[],
  starting: Set<string>,
  now: number,
): Observation {
  const counted = (scale: Scale, of: (reading: Reading) => Reading | undefined): Result[] => {
    const target = {
      now,
      pods,
      specReplicas: scale.replicas,
      statusReplicas: scale.observed,
      tolerance: toleranceOf(spec.behavior),
    };
    return reads.map(read => {
      if ("error" in read) return read;
      const { metric } = read;
      try {
        const reading = of(read.reading);
        if (!reading) throw new MetricsError("Rollout", "all pods that have a sample are being started");
        const proposal = propose(metric, reading, target);
        if (proposal.replicas < scale.replicas) mustBeFresh(metric, reading, pods);
        return { metric, proposal };
      } catch (error) {
        if (error instanceof MetricsError) return { metric, error };
        throw error;
      }
    });
  };
  const carrying = pods.filter(pod => stays(pod) && pod.ready?.status);
  return {
    asks: scale => {
      const results = counted(scale, reading => reading);
      const combined = combine(results, scale.replicas);
      const settled =
        starting.size > 0
          ? combine(
              counted(scale, reading => readingWithoutStartUp(reading, carrying, starting)),
              scale.replicas,
            )
          : combined;
      return {
        proposed: proposedBy(combined, settled, scale.replicas),
        failures: failuresOf(combined),
        metrics: results.map(statusOf),
        ...told(combined),
      };
    },
  };
}

/** A pod whose sample is too old may carry more than its share: its metric lowers nothing. Throws MetricsError. */
function mustBeFresh({ type }: Metric, reading: Reading, pods: Pod[]): void {
  const old = "samples" in reading ? new Set(reading.stale) : new Set<string>();
  const blind = pods.filter(pod => stays(pod) && old.has(pod.name));
  if (blind.length === 0) return;
  const reason = `FailedGet${type}Metric`;
  const whose = `${blind.length} of ${pods.length} pods (${blind[0]?.name}${blind.length > 1 ? " …" : ""})`;
  throw new MetricsError(
    reason,
    `the samples of ${whose} are too old to lower the count; see whether their source still gets them`,
  );
}

function proposedBy({ proposal }: Combined, settled: Combined, current: number): Proposed | undefined {
  if (!proposal) return undefined;
  const reactive = proposal.replicas;
  const without = Math.max(current, settled.proposal?.replicas ?? current);
  if (reactive <= without) return { reactive, recommended: reactive };
  return { reactive, recommended: without, held: "Rollout" };
}

/** Where some metrics failed and others are scaled on, scaling is active, and the MLScaler is not as it should be. */
function failuresOf({ proposal, error, failure }: Combined): Finding[] {
  if (!error || failure === undefined) return [];
  return [{ type: proposal ? "Ready" : "ScalingActive", status: "False", reason: error.reason, message: failure }];
}

function told({ proposal }: Combined): Pick<Asked, "what" | "measure"> {
  if (!proposal) return { what: "no metrics", measure: "" };
  const { of, current, metric } = proposal;
  const now = currentText(current);
  return { what: now === undefined ? of : `${of} ${now}`, measure: `target ${targetText(targetOf(metric))}` };
}

function statusOf(result: Result): NonNullable<Asked["metrics"]>[number] {
  const { metric } = result;
  return {
    name: nameOf(metric),
    type: metric.type,
    target: targetText(targetOf(metric)),
    current: "proposal" in result ? currentText(result.proposal.current) : undefined,
  };
}

const nameOf = ({ resource, containerResource, pods, object, external }: Metric): string =>
  (resource ?? containerResource ?? (pods ?? object ?? external)?.metric)?.name ?? "";

const targetOf = ({ resource, containerResource, pods, object, external }: Metric): MetricTarget | undefined =>
  (resource ?? containerResource ?? pods ?? object ?? external)?.target;

const targetText = (target: MetricTarget | undefined): string =>
  target?.averageUtilization !== undefined
    ? `${target.averageUtilization}%`
    : String(target?.averageValue ?? target?.value ?? "");

function currentText({ averageUtilization, averageValue, value }: Current): string | undefined {
  if (averageUtilization !== undefined) return `${averageUtilization}%`;
  const milli = averageValue ?? value;
  if (milli === undefined) return undefined;
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}
