import { jsonPatch, mergePatch } from "../../capabilities/kubernetes/api";
import { listPods } from "../../capabilities/mlscaler/metrics/pod-watch";
import { isLive } from "../../capabilities/mlscaler/metrics/reading";
import { hasTotal } from "../../capabilities/mlscaler/metrics/total";
import { api } from "./cluster";
import { Conditions, Move } from "./hpa-moves";
import { Pair, requestMilli } from "./hpa-pairs";
import { Side, sides, View } from "./hpa-view";
import { MetricsAdapter } from "./metrics-adapter";

/** The place of the walks: an adapter, a namespace and a view of it. */
export interface Ground {
  adapter: MetricsAdapter;
  namespace: string;
  view: View;
}

const strategicMergePatch = "application/strategic-merge-patch+json";

/** The name of the objects on one side of a pair. */
export const nameOf = (pair: Pair, side: Side): string => `${pair.name}-${side}`;

/** Creates a pair in its initial state: two Deployments of 2 pods and their scalers. */
export async function create(pair: Pair, { adapter, namespace }: Ground): Promise<void> {
  const { metrics, begin } = pair;
  const { behavior, bounds } = begin;
  pair.show(adapter, namespace, begin);
  const deployments = sides.map(side => {
    const labels = { app: nameOf(pair, side) };
    const resources = { requests: { cpu: `${requestMilli}m` } };
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: labels.app },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27", resources }] } },
      },
    };
  });
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: nameOf(pair, "hpa") },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: nameOf(pair, "hpa") },
      minReplicas: bounds.min,
      maxReplicas: bounds.max,
      ...{ metrics, behavior },
    },
  };
  const scaler = {
    apiVersion: "example.com/v1",
    kind: "MLScaler",
    metadata: { name: nameOf(pair, "mls") },
    spec: {
      target_deployment: nameOf(pair, "mls"),
      min_replicas: bounds.min,
      max_replicas: bounds.max,
      ...{ metrics, behavior },
      forecast: { model: "off" },
      rollout_freeze: false,
      sync_period_seconds: 5,
    },
  };
  // Not by kubectl: all pairs begin at once, and each kubectl would download the schemas of all resources.
  for (const deployment of deployments)
    await api.create(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment);
  await api.create(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, hpa);
  await api.create(`/apis/example.com/v1/namespaces/${namespace}/mlscalers`, scaler);
}

/** Applies `move` to both sides of a pair, which puts them under `conditions`. */
export async function take(
  pair: Pair,
  { adapter, namespace }: Ground,
  move: Move,
  conditions: Conditions,
): Promise<void> {
  pair.show(adapter, namespace, conditions);
  adapter.fail(pair.name, conditions.fault === "none" ? undefined : conditions.fault);
  if (move.bounds || move.behavior) await configure(pair, namespace, conditions);
  // By a Value without a Ready pod an HPA asks for 0, and an MLScaler keeps the count.
  const leastReady = pair.metrics.every(hasTotal) ? 0 : 1;
  for (const side of sides) {
    if (move.unready !== undefined) await makeUnready(namespace, nameOf(pair, side), move.unready, leastReady);
    if (move.revision === undefined) continue;
    const template = { metadata: { annotations: { revision: String(move.revision) } } };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${nameOf(pair, side)}`;
    await api.patch(path, mergePatch, { spec: { template } });
  }
}

async function configure(pair: Pair, namespace: string, { bounds, behavior }: Conditions): Promise<void> {
  const set = async (resource: string, name: string, fields: object): Promise<void> => {
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    const operations = known.map(([field, value]: [string, unknown]) => ({ op: "add", path: `/spec/${field}`, value }));
    const [group = "", version = "", plural = ""] = resource.split("/");
    await api.patch(`/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`, jsonPatch, operations);
  };
  const { min, max } = bounds;
  await Promise.all([
    set("autoscaling/v2/horizontalpodautoscalers", nameOf(pair, "hpa"), {
      minReplicas: min,
      maxReplicas: max,
      behavior,
    }),
    set("example.com/v1/mlscalers", nameOf(pair, "mls"), { min_replicas: min, max_replicas: max, behavior }),
  ]);
}

/**
 * Makes a number of the existing pods unready, as if they had just restarted, and the others ready, which are
 * `leastReady` or more. kwok does not change running pods.
 */
async function makeUnready(namespace: string, name: string, count: number, leastReady: number): Promise<void> {
  const pods = (await listPods(api, namespace, `app=${name}`)).filter(isLive);
  await Promise.all(
    pods.map(async (pod, index) => {
      const ready = index >= Math.min(count, pods.length - leastReady);
      if (pod.ready?.status === ready) return;
      const now = new Date().toISOString();
      const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: now }];
      const path = `/api/v1/namespaces/${namespace}/pods/${pod.name}/status`;
      await api.patch(path, strategicMergePatch, { status: { startTime: now, conditions } });
    }),
  );
}
