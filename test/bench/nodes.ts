import type { Policy } from "../../capabilities/mlscaler/backtest/autoscalers";
import type { Figures } from "../../capabilities/mlscaler/backtest/replay";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { bufferedPolicyOf, costOf, policyAsShipped, scaled, withStaticBuffer } from "../../cli/simulate/comparison";
import { foreseen } from "../../cli/simulate/foresight";
import { historyOf, mean } from "./forecast-accuracy";
import { frontier, least, type Result, scenarioOf, unservedAt } from "./forecast-loop";
import { ownTraces, tracesIn } from "./forecast-traces";
import { eachInAProcess } from "./processes";
import type { Trace } from "./trace";

/** The nodes: how many replicas fit, and how long one takes to start. */
const nodeReplicas = 5;
const nodeStartUpSeconds = 240;

/** The target utilization of the HPA that the others are compared with. */
export const nodeUtilization = 0.9;

/** The policies beside an HPA. */
export const nodePolicies = ["hpa_buffer", "mlscaler", "mlscaler_buffer"] as const;
type NodePolicy = (typeof nodePolicies)[number];

/** The maximum ratio of a loss to HPA's. Larger ratios count as this one. */
const worst = 50;

/** The replays of a policy that look for a cost, and the ratio of two costs between which to interpolate. */
const tries = 6;
const closeRatio = 1.08;

/** What the policies leave unserved on one trace. */
export interface NodesMeasured {
  name: string;
  /** Node-hours over those of an oracle, and percent unserved, with the target of the HPA. */
  plain: Record<"hpa" | NodePolicy, Result>;
  /** Unserved load over that of the HPA, at the node-hours of the HPA. */
  ofHpa: Record<NodePolicy, number>;
  /** Unserved load over that of the HPA with a static buffer, at its node-hours. */
  ofStaticBuffer: Record<Exclude<NodePolicy, "hpa_buffer">, number>;
}

/**
 * Replays the last 30 % of every trace of a folder, or of the project, on nodes.
 * @param say receives messages about the progress
 */
export async function measureNodes(folder: string | undefined, say: (text: string) => void): Promise<NodesMeasured[]> {
  const traces = folder === undefined ? await ownTraces() : tracesIn(folder);
  return eachInAProcess<NodesMeasured>(__filename, "nodesMeasuredOn", traces, say);
}

export function nodesMeasuredOn(trace: Trace): NodesMeasured {
  const { values: loads } = trace;
  const scenario = onNodes(trace);
  const foresight = runSlices(foreseen(loads, scenario));
  const withBuffer = bufferedPolicyOf(foresight, scenario);
  if (!withBuffer) throw new Error(`${trace.name}: there are no nodes`);
  const at = (policy: Policy) => (utilization: number) => scaled(loads, policy, { ...scenario, utilization });
  const hpa = at({});
  const curves: Record<"hpa" | NodePolicy, Curve> = {
    hpa: new Curve(hpa),
    hpa_buffer: new Curve(utilization => withStaticBuffer(loads, hpa(utilization), { ...scenario, utilization })),
    mlscaler: new Curve(at(policyAsShipped(foresight, scenario))),
    mlscaler_buffer: new Curve(at(withBuffer)),
  };
  const plain = {
    hpa: curves.hpa.with(nodeUtilization),
    hpa_buffer: curves.hpa_buffer.with(nodeUtilization),
    mlscaler: curves.mlscaler.with(nodeUtilization),
    mlscaler_buffer: curves.mlscaler_buffer.with(nodeUtilization),
  };
  const ratio = (policy: NodePolicy, { cost, unserved }: Result): number =>
    Math.min(worst, Math.max(curves[policy].unservedAt(cost), least) / Math.max(unserved, least));
  return {
    name: trace.name,
    plain,
    ofHpa: {
      hpa_buffer: ratio("hpa_buffer", plain.hpa),
      mlscaler: ratio("mlscaler", plain.hpa),
      mlscaler_buffer: ratio("mlscaler_buffer", plain.hpa),
    },
    ofStaticBuffer: {
      mlscaler: ratio("mlscaler", plain.hpa_buffer),
      mlscaler_buffer: ratio("mlscaler_buffer", plain.hpa_buffer),
    },
  };
}

/** The scenario of the forecast's benchmark, with nodes. */
function onNodes(trace: Trace): Scenario {
  const { values: loads, stepMilliseconds: step } = trace;
  const from = historyOf(trace);
  const startUpSeconds = step === 60_000 ? 180 : 300;
  const capacity = mean(loads.slice(0, from)) / 10;
  const ofReplicas = scenarioOf(step, capacity, from, startUpSeconds);
  const { horizon } = scenarioOf(step, capacity, from, startUpSeconds + nodeStartUpSeconds).forecast;
  return {
    ...ofReplicas,
    forecast: { ...ofReplicas.forecast, horizon },
    nodes: {
      ...{ replicas: nodeReplicas, startUpSeconds: nodeStartUpSeconds },
      replicaHorizon: ofReplicas.forecast.horizon,
    },
  };
}

/** The results of a policy by its target utilization, replayed where they are asked for. */
class Curve {
  /** By rising utilization, so by falling cost. */
  readonly #results: (Result & { utilization: number })[] = [];

  constructor(readonly replayed: (utilization: number) => Figures) {}

  /** The result at a utilization. */
  with(utilization: number): Result {
    const known = this.#results.find(result => result.utilization === utilization);
    if (known) return known;
    const figures = this.replayed(utilization);
    const result = { utilization, cost: costOf(figures), unserved: figures.unservedPercent };
    this.#results.push(result);
    this.#results.sort((one, other) => one.utilization - other.utilization);
    return result;
  }

  /** Percent unserved at a cost, interpolated between two replays of nearly that cost. */
  unservedAt(cost: number): number {
    for (let count = 0; count < tries; count++) {
      const dearer = this.#results.findLast(result => result.cost >= cost);
      const cheaper = this.#results.find(result => result.cost <= cost);
      if (dearer && cheaper && dearer.cost <= closeRatio * cheaper.cost) break;
      // Replicas are nearly inverse to the utilization. One side may be missing, so go beyond it.
      const only = dearer ?? cheaper;
      if (!only) throw new Error("there is no replay to begin with");
      const next =
        dearer && cheaper
          ? Math.sqrt(dearer.utilization * cheaper.utilization)
          : only.utilization * (only.cost / cost) ** 1.2 * (dearer ? 1.02 : 0.98);
      this.with(Number(next.toFixed(4)));
    }
    return unservedAt(frontier(this.#results), cost);
  }
}
