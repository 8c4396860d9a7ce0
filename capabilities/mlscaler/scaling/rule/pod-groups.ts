import { cpuInitializationMilliseconds, readinessDelayMilliseconds } from "../../hpa-defaults";
import { Pod, Sample } from "../../metrics/reading";

export interface TargetState {
  /** Epoch milliseconds. */
  now: number;
  pods: Pod[];
  specReplicas: number;
  statusReplicas: number;
  tolerance: { up: number; down: number };
}

/** The names of a target's pods by their group. Deleted and failed pods are in none. */
interface Groups {
  ready: string[];
  /** Pending pods, and starting pods whose CPU does not count yet. */
  unready: string[];
  missing: string[];
}

/** Groups pods as HPA's groupPods does (podautoscaler/replica_calculator.go). `cpu` enables its rules for CPU. */
export function groupPods({ pods, now }: TargetState, samples: Map<string, Sample>, cpu: boolean): Groups {
  const groups: Groups = { ready: [], unready: [], missing: [] };
  for (const pod of pods) {
    if (pod.deleting || pod.phase === "Failed") continue;
    const sample = samples.get(pod.name);
    if (pod.phase === "Pending") groups.unready.push(pod.name);
    else if (!sample) groups.missing.push(pod.name);
    else if (cpu && isStarting(pod, sample, now)) groups.unready.push(pod.name);
    else groups.ready.push(pod.name);
  }
  return groups;
}

/** Counts the pods that are Running and Ready. */
export const countReady = (pods: Pod[]): number =>
  pods.filter(({ phase, ready }) => phase === "Running" && ready?.status).length;

/** Whether the CPU of a pod is start-up load, or the pod was never Ready. */
function isStarting({ ready, startedAt }: Pod, sample: Sample, now: number): boolean {
  if (!ready || startedAt === undefined) return true;
  if (startedAt + cpuInitializationMilliseconds > now)
    return !ready.status || sample.at < ready.since + sample.windowMilliseconds;
  return !ready.status && startedAt + readinessDelayMilliseconds > ready.since;
}
