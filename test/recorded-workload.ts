import type { PrometheusLoad } from "../sandbox/prometheus-load";
import type { MadeUpLoad } from "./made-up-loads";

/** Milliseconds of a slot of a load, and between two samples. A rate needs two samples in five minutes. */
const slot = 300_000;
const step = slot / 2;

/** A workload of the survey: an HPA by 80 % of the request of cpu, on a Deployment of the same name. */
export interface RecordedWorkload {
  namespace: string;
  name: string;
  load: MadeUpLoad;
}

/** The HPA of a workload. The survey needs no Deployment. */
export const hpaManifest = ({ namespace, name }: RecordedWorkload): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name, namespace },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    maxReplicas: 100,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
});

/**
 * Writes what cAdvisor and kube-state-metrics would have told of a workload until `now` (epoch milliseconds). One pod
 * has all of the load, and a tenth of its mean as request.
 */
export async function record(
  prometheus: PrometheusLoad,
  { namespace, name, load: { loads, startUpSeconds } }: RecordedWorkload,
  now: number,
): Promise<void> {
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
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const created = Math.floor(from / 1000);
  const known = {
    [`kube_pod_container_resource_requests{${pod},container="app",resource="cpu"}`]: mean / 10,
    [`kube_pod_created{${pod}}`]: created,
    [`kube_pod_status_ready_time{${pod}}`]: created + startUpSeconds,
    [`kube_horizontalpodautoscaler_status_current_replicas{namespace="${namespace}",horizontalpodautoscaler="${name}"}`]: 10,
  };
  for (const [one, value] of Object.entries(known)) await prometheus.preload(one, now - 7_200_000, now, () => value);
}
