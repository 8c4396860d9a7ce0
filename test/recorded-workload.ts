import { z } from "zod";
import type { Api } from "../capabilities/kubernetes/api";
import type { PrometheusLoad } from "../sandbox/prometheus-load";
import { waitFor } from "../sandbox/wait";
import type { MadeUpLoad } from "./made-up-loads";

/** Milliseconds of a slot of a load, and between two samples. A rate needs two samples in five minutes. */
const slot = 300_000;
const step = slot / 2;

/** A workload of the survey: a scaler by 80 % of the request of cpu, on a Deployment of the same name. */
export interface RecordedWorkload {
  namespace: string;
  name: string;
  scaler: "HPA" | "ScaledObject";
  load: MadeUpLoad;
  /** How long its pod waited for a node, in seconds, and how much later than the pod the node was made. */
  node?: { wait: number; later: number };
}

const utilization = 0.8;

/** Creates the scaler of a workload. The survey needs no Deployment. Throws ApiError. */
export async function createScaler(api: Api, workload: RecordedWorkload): Promise<void> {
  const { namespace, scaler } = workload;
  const create = (group: string, plural: string, manifest: object): Promise<unknown> =>
    api.create(`/apis/${group}/namespaces/${namespace}/${plural}`, manifest);
  if (scaler === "HPA") {
    await create("autoscaling/v2", "horizontalpodautoscalers", hpaManifest(workload));
    return;
  }
  const made = await create("keda.sh/v1alpha1", "scaledobjects", scaledObjectManifest(workload));
  const { metadata } = z.object({ metadata: z.object({ uid: z.string() }) }).parse(made);
  await create("autoscaling/v2", "horizontalpodautoscalers", hpaManifest(workload, metadata.uid));
}

/** The HPA of a workload. That of a ScaledObject is owned by it, as KEDA makes it. */
export const hpaManifest = (workload: RecordedWorkload, owner?: string): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: {
    name: hpaOf(workload),
    namespace: workload.namespace,
    ...(owner !== undefined && {
      ownerReferences: [
        { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: workload.name, uid: owner, controller: true },
      ],
    }),
  },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: workload.name },
    maxReplicas: 100,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 100 * utilization } },
      },
    ],
  },
});

/** The ScaledObject of a workload, with the same load and the same target by a query. */
const scaledObjectManifest = ({ namespace, name, load }: RecordedWorkload): object => ({
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name, namespace },
  spec: {
    scaleTargetRef: { name },
    minReplicaCount: 1,
    maxReplicaCount: 100,
    triggers: [
      {
        type: "prometheus",
        metadata: {
          serverAddress: "http://prometheus:9090",
          query: `sum(rate(container_cpu_usage_seconds_total{namespace="${namespace}",pod=~"${name}-.*"}[5m]))`,
          threshold: String(utilization * requestOf(load)),
        },
      },
    ],
  },
});

/** A CRD with which a cluster without KEDA takes ScaledObjects. */
const scaledObjectDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "scaledobjects.keda.sh" },
  spec: {
    group: "keda.sh",
    scope: "Namespaced",
    names: { kind: "ScaledObject", plural: "scaledobjects", singular: "scaledobject" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Has a cluster without KEDA take ScaledObjects, and waits until it does. Throws ApiError. */
export async function serveScaledObjects(api: Api): Promise<void> {
  await api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", scaledObjectDefinition);
  const isServed = async (): Promise<boolean> => (await api.find("/apis/keda.sh/v1alpha1/scaledobjects")) !== undefined;
  await waitFor(isServed, { what: "the API server to serve ScaledObjects", timeoutMilliseconds: 30_000 });
}

const hpaOf = ({ scaler, name }: RecordedWorkload): string => (scaler === "HPA" ? name : `keda-hpa-${name}`);

/** The request of a pod: a tenth of the mean load, in cores. */
const requestOf = ({ loads }: MadeUpLoad): number => loads.reduce((sum, load) => sum + load, 0) / loads.length / 10;

/**
 * Writes what cAdvisor and kube-state-metrics would have told of a workload until `now` (epoch milliseconds). One pod
 * has all of the load, and a tenth of its mean as request.
 */
export async function record(prometheus: PrometheusLoad, workload: RecordedWorkload, now: number): Promise<void> {
  const { namespace, name, load, node } = workload;
  const { loads, startUpSeconds } = load;
  const to = Math.floor(now / slot) * slot;
  const from = to - loads.length * slot;
  const pod = `namespace="${namespace}",pod="${name}-7c9d8f6b5-x2x4z"`;
  // The seconds of cpu until the beginning of each slot.
  const used = [0];
  for (const load of loads) used.push((used.at(-1) ?? 0) + (load * slot) / 1000);
  const usage = (at: number): number => {
    const index = Math.floor((at - from) / slot);
    return (used[index] ?? 0) + ((loads[index] ?? 0) * ((at - from) % slot)) / 1000;
  };
  const series = `container_cpu_usage_seconds_total{${pod},container="app"}`;
  await prometheus.preload(series, from, to + step, usage, step);
  const created = Math.floor(from / 1000);
  const known = {
    [`kube_pod_container_resource_requests{${pod},container="app",resource="cpu"}`]: requestOf(load),
    [`kube_pod_created{${pod}}`]: created,
    [`kube_pod_status_ready_time{${pod}}`]: created + startUpSeconds,
    [`kube_horizontalpodautoscaler_status_current_replicas{namespace="${namespace}",horizontalpodautoscaler="${hpaOf(workload)}"}`]: 10,
    ...(node && {
      [`kube_pod_status_scheduled_time{${pod}}`]: created + node.wait,
      [`kube_pod_info{${pod},node="${namespace}-${name}"}`]: 1,
      [`kube_node_created{node="${namespace}-${name}"}`]: created + node.later,
    }),
  };
  for (const [one, value] of Object.entries(known)) await prometheus.preload(one, now - 7_200_000, now, () => value);
}
