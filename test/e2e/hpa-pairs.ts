import fc from "fast-check";
import { Metric } from "../../capabilities/mlscaler/metrics/registry";
import { MetricTarget } from "../../capabilities/mlscaler/metrics/schema";
import * as walk from "./hpa-moves";
import { MetricsAdapter } from "./metrics-adapter";

/**
 * Two Deployments with the same metrics, one with an HPA and one with an MLScaler, and the possible changes to both.
 */
export interface Pair {
  name: string;
  /** The metrics. The adapter serves the one with the name of the pair. */
  metrics: Metric[];
  begin: walk.Conditions;
  moves: fc.Arbitrary<walk.Move>;
  /** Makes the adapter serve the values of the metrics. */
  show: (adapter: MetricsAdapter, namespace: string, conditions: walk.Conditions) => void;
  /** True when the load is the CPU use of the pods, in milli-cores in total. */
  cpu: boolean;
}

/** The CPU request of a pod in milli-cores. */
export const requestMilli = 200;

const tenEach: MetricTarget = { type: "AverageValue", averageValue: "10" };
const twenty: MetricTarget = { type: "Value", value: "20" };
const halfOfRequest: MetricTarget = { type: "Utilization", averageUtilization: 50 };
const cpuEach: MetricTarget = { type: "AverageValue", averageValue: `${requestMilli / 2}m` };

const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const ingressPath = "ingresses.networking.k8s.io/main";

const external = (name: string, target: MetricTarget): Metric => ({
  type: "External",
  external: { metric: { name }, target },
});

const text = (milli = 0): string => `${milli}m`;

interface Way {
  begin: walk.Conditions;
  moves: fc.Arbitrary<walk.Move>;
}

const onExternal = (name: string, target: MetricTarget, way: Way): Pair => ({
  name,
  metrics: [external(name, target)],
  show: (adapter, namespace, { load }) => adapter.setExternal(namespace, name, { value: text(load[0]) }),
  cpu: false,
  ...way,
});

const onObject = (name: string, target: MetricTarget, way: Way): Pair => ({
  name,
  metrics: [{ type: "Object", object: { describedObject: ingress, metric: { name }, target } }],
  show: (adapter, namespace, { load }) => adapter.setObject(namespace, ingressPath, name, { value: text(load[0]) }),
  cpu: false,
  ...way,
});

const onPods = (name: string, way: Way): Pair => ({
  name,
  metrics: [{ type: "Pods", pods: { metric: { name }, target: tenEach } }],
  show: (adapter, namespace, { load, missing }) =>
    adapter.setPods(namespace, name, (pod, pods) => {
      const rank = pods.indexOf(pod);
      return rank < missing ? undefined : text(load[rank % load.length]);
    }),
  cpu: false,
  ...way,
});

const onTwo = (name: string, way: Way): Pair => ({
  name,
  metrics: [external(name, tenEach), external(`${name}-other`, tenEach)],
  show: (adapter, namespace, { load: [first, second] }) => {
    adapter.setExternal(namespace, name, { value: text(first) });
    adapter.setExternal(namespace, `${name}-other`, { value: text(second) });
  },
  cpu: false,
  ...way,
});

/** The external metric requires no replicas. It shows when a scaler reads the metrics. */
const onCpu = (name: string, metric: Metric): Pair => ({
  name,
  metrics: [metric, external(name, tenEach)],
  show: (adapter, namespace) => adapter.setExternal(namespace, name, { value: "0" }),
  cpu: true,
  ...walk.slowly(requestMilli / 2),
});

/** A pair for each type of metric and target, and for each kind of limit on changes. */
export const pairs: Pair[] = [
  onExternal("external", tenEach, walk.tolerating(walk.anyLoad)),
  onExternal("external-limited", tenEach, walk.limited(walk.wholeLoad, walk.rollout)),
  onExternal("external-plain", tenEach, walk.withoutBehavior(walk.wholeLoad)),
  onExternal("external-value", twenty, walk.tolerating(walk.sharedLoad, walk.unready)),
  onExternal("external-zero", tenEach, walk.toZero(walk.anyLoad)),
  onExternal("external-value-zero", twenty, walk.toZero(walk.sharedLoad)),
  onObject("object-zero", tenEach, walk.toZero(walk.anyLoad)),
  onObject("object", tenEach, walk.tolerating(walk.anyLoad)),
  onObject("object-limited", tenEach, walk.limited(walk.wholeLoad, walk.rollout)),
  onObject("object-value", twenty, walk.tolerating(walk.sharedLoad, walk.unready)),
  onPods("pods", walk.tolerating(walk.podLoads, walk.missing)),
  onPods("pods-few", walk.tolerating(walk.podLoads, walk.missing)),
  onTwo("two", walk.limitedByTwo(walk.rollout)),
  onTwo("two-limited", walk.limitedByTwo()),
  onCpu("cpu", { type: "Resource", resource: { name: "cpu", target: halfOfRequest } }),
  onCpu("container", {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "web", target: cpuEach },
  }),
];
