import { longestSeconds as longestNodeSeconds } from "../../capabilities/mlscaler/scaling/ahead/node-waits";
import { sourceOf } from "../../capabilities/mlscaler/metrics/registry";
import { resourceOf } from "../../capabilities/mlscaler/metrics/total";
import { Workload } from "./workloads";

/** The queries about a workload, in PromQL. */
interface Queries {
  /** The load of a step: the total over all pods, in cores, bytes or the unit of the user's query. */
  load: string;
  /** The mean request of a pod; absent when the target of the metric is no share of it. */
  request?: string;
  /** The median of the seconds that new pods took to be Ready. */
  startUp: string;
  /** The 90th percentile of the seconds that pods waited for nodes which were made after them. */
  nodeWait: string;
  /** The mean of the replicas. */
  replicas: string;
}

/** The length of a step, over which a load is averaged. */
const step = "5m";

/**
 * The queries about a workload, by the names of cAdvisor and kube-state-metrics.
 * @param days the time that start-ups and replicas are taken from
 */
export function queriesOf({ namespace, hpa, target, metric, load }: Workload, days: number): Queries {
  const pods = `namespace=${quoted(namespace)},pod=~${quoted(podsOf(target))}`;
  const resource = resourceOf(metric);
  const container = resource?.container;
  const ofContainer = container === undefined ? "" : `,container=${quoted(container)}`;
  return {
    load: "query" in load ? load.query : usageOf(load.resource.name, `${pods}${ofContainer || ',container!=""'}`),
    ...(sourceOf(metric).block.target.averageUtilization !== undefined && {
      request:
        "avg(sum by (pod) (last_over_time(kube_pod_container_resource_requests" +
        `{${pods},resource=${quoted(resource?.name ?? "")}${ofContainer}}[1d])))`,
    }),
    // The least difference of a pod is that of its start: later it may have become Ready again.
    startUp:
      `quantile(0.5, min_over_time((kube_pod_status_ready_time{${pods}} ` +
      `- on (namespace, pod) kube_pod_created{${pods}})[${days}d:1h]) > 0)`,
    nodeWait: `quantile(0.9, max_over_time((${nodeWaitOf(pods)})[${days}d:1h]) <= ${longestNodeSeconds})`,
    replicas:
      "max(avg_over_time(kube_horizontalpodautoscaler_status_current_replicas" +
      `{namespace=${quoted(namespace)},horizontalpodautoscaler=${quoted(hpa)}}[${days}d]))`,
  };
}

/** How long each pod waited for a node that was made after it. */
function nodeWaitOf(pods: string): string {
  const created = `max by (namespace, pod) (kube_pod_created{${pods}})`;
  const onNode = `max by (namespace, pod, node) (kube_pod_info{${pods},node!=""})`;
  const nodeCreated = `${onNode} * on (node) group_left max by (node) (kube_node_created)`;
  return (
    `max by (namespace, pod) (kube_pod_status_scheduled_time{${pods}}) - ${created} ` +
    `and max by (namespace, pod) (${nodeCreated}) >= ${created}`
  );
}

/** cAdvisor has a series for each container, and one without a name for the pod. */
const usageOf = (resource: string, selector: string): string =>
  resource === "cpu"
    ? `sum(rate(container_cpu_usage_seconds_total{${selector}}[${step}]))`
    : `sum(avg_over_time(container_memory_working_set_bytes{${selector}}[${step}]))`;

/** The characters of Kubernetes' generated names. They have no vowels, so that few words are among them. */
const generated = "[bcdfghjklmnpqrstvwxz2456789]";

/** A regular expression for the names of a target's pods. */
function podsOf({ kind, name }: Workload["target"]): string {
  const literal = name.replaceAll(".", "\\.");
  if (kind === "StatefulSet") return `${literal}-[0-9]+`;
  if (kind === "ReplicaSet" || kind === "ReplicationController") return `${literal}-${generated}{5}`;
  if (kind === "Deployment" || kind === "Rollout") return `${literal}-${generated}{1,10}-${generated}{5}`;
  return `${literal}-.+`;
}

/** A string of PromQL. */
const quoted = (text: string): string => JSON.stringify(text);
