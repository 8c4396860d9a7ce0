import { Metric } from "../../../../../../capabilities/mlscaler/metrics/registry";
import { MetricTarget } from "../../../../../../capabilities/mlscaler/metrics/schema";
import { Pod, Reading, Sample } from "../../../../../../capabilities/mlscaler/metrics/reading";
import { Behavior, ScalingRules } from "../../../../../../capabilities/mlscaler/scaling/rule/behavior-schema";

/** The time of all cases, epoch milliseconds. */
export const now = 1_767_225_600_000;

/** A metric of a case; `milli` is its value where it has one for all pods, else the samples of the pods count. */
export interface Measured {
  metric: Metric;
  milli?: number;
}

const percent = (averageUtilization: number): MetricTarget => ({ type: "Utilization", averageUtilization });
const average = (averageValue: string): MetricTarget => ({ type: "AverageValue", averageValue });
const value = (quantity: string): MetricTarget => ({ type: "Value", value: quantity });
const describedObject = { apiVersion: "apps/v1", kind: "Deployment", name: "some-deployment" };
const metric = { name: "qps" };

/** A target of so many percent of the requests of cpu, or one per pod as a Quantity. */
export const cpu = (wanted: number | string): Measured => ({
  metric: {
    type: "Resource",
    resource: { name: "cpu", target: typeof wanted === "number" ? percent(wanted) : average(wanted) },
  },
});
export const memory = (utilization: number): Measured => ({
  metric: { type: "Resource", resource: { name: "memory", target: percent(utilization) } },
});
export const container = (name: string, utilization: number): Measured => ({
  metric: {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: name, target: percent(utilization) },
  },
});
export const qps = (wanted: string): Measured => ({
  metric: { type: "Pods", pods: { metric, target: average(wanted) } },
});
export const object = (milli: number, wanted: string): Measured => ({
  metric: { type: "Object", object: { describedObject, metric, target: value(wanted) } },
  milli,
});
export const objectPerPod = (milli: number, wanted: string): Measured => ({
  metric: { type: "Object", object: { describedObject, metric, target: average(wanted) } },
  milli,
});
export const external = (milli: number, wanted: string): Measured => ({
  metric: { type: "External", external: { metric, target: value(wanted) } },
  milli,
});
export const externalPerPod = (milli: number, wanted: string): Measured => ({
  metric: { type: "External", external: { metric, target: average(wanted) } },
  milli,
});
/** A metric of a type that has no block: what is left of an unknown type behind the schema. */
export const unknown: Measured = { metric: { type: "Resource" } };

/**
 * Pods with two containers each, a word a pod: its usage in milli-units ("300": of each container, "1000/300": of the
 * one and the other, "-": no sample), then its state: U never Ready, H hot (inside the CPU initialisation period, with
 * a sample older than Ready + window), F Failed, D being deleted, Q Pending, X gone, its sample left behind. `requests`
 * are those of each container, by default 1000 each; "-" for none.
 */
export function podsOf(text: string, requests?: string): { pods: Pod[]; samples: (of: Metric) => Map<string, Sample> } {
  const words = text.split(" ").filter(word => word !== "");
  const requested = requests?.split(" ");
  const pods = words.flatMap((word, index) => {
    const request = Number(requested ? requested[index] : 1000);
    return word.includes("X")
      ? []
      : [podOf(word, index, Number.isNaN(request) ? {} : { cpu: request, memory: request })];
  });
  const samples = ({ type, containerResource }: Metric): Map<string, Sample> =>
    new Map(
      words.flatMap((word, index): [string, Sample][] => {
        const [usage] = partsOf(word);
        const [first = NaN, second = first] = usage.split("/").map(Number);
        const byContainer: Record<string, number> = { container1: first, container2: second };
        const ofResource = containerResource ? (byContainer[containerResource.container] ?? NaN) : first + second;
        const milli = type === "Pods" ? first : ofResource;
        return Number.isNaN(milli) ? [] : [[nameOf(index), { milli, at: now, windowMilliseconds: 60_000 }]];
      }),
    );
  return { pods, samples };
}

export const readingOf = ({ metric: of, milli }: Measured, samples: (of: Metric) => Map<string, Sample>): Reading =>
  milli === undefined ? { samples: samples(of) } : { milli };

/**
 * The rules of one direction: pods, their period (s), percent, their period (s), stabilization window (s); 0 for none.
 */
function rules(pods: number, podsPeriod: number, share: number, sharePeriod: number, window: number): ScalingRules {
  return {
    stabilizationWindowSeconds: window,
    policies: [
      ...(pods === 0 ? [] : [{ type: "Pods" as const, value: pods, periodSeconds: podsPeriod }]),
      ...(share === 0 ? [] : [{ type: "Percent" as const, value: share, periodSeconds: sharePeriod }]),
    ],
  };
}

export const up = (...numbers: Parameters<typeof rules>): Behavior => ({ scaleUp: rules(...numbers) });
export const down = (...numbers: Parameters<typeof rules>): Behavior => ({ scaleDown: rules(...numbers) });

const nameOf = (index: number): string => `test-pod-${index}`;

function partsOf(word: string): [usage: string, state: string] {
  const [, usage = "", state = ""] = /^([\d/-]+)([UHFDQX]*)$/.exec(word) ?? [];
  if (usage === "") throw new Error(`"${word}" is no pod`);
  return [usage, state];
}

function podOf(word: string, index: number, requests: Record<string, number>): Pod {
  const [, state] = partsOf(word);
  const began = state.includes("H") ? now : now - 3_600_000;
  return {
    name: nameOf(index),
    labels: {},
    phase: state.includes("F") ? "Failed" : state.includes("Q") ? "Pending" : "Running",
    deleting: state.includes("D"),
    ready: { status: !/[UFQ]/.test(state), since: began },
    startedAt: began,
    containers: [
      { name: "container1", requests },
      { name: "container2", requests },
    ],
  };
}
