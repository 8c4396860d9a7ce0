import { Pod, Sample } from "./reading";

// How long HPA gives a pod to start, by its defaults (podautoscaler/config/v1alpha1/defaults.go).

/** --horizontal-pod-autoscaler-cpu-initialization-period: until then a pod's CPU counts only while it is Ready. */
const cpuInitializationMilliseconds = 300_000;

/** --horizontal-pod-autoscaler-initial-readiness-delay: a pod that was not Ready later than that never was. */
const readinessDelayMilliseconds = 30_000;

/** What HPA's rules look at besides the metric. */
export interface TargetState {
  /** Epoch milliseconds. */
  now: number;
  pods: Pod[];
  specReplicas: number;
  statusReplicas: number;
  /** How far the ratio of a metric to its target may be from 1 before anything is scaled. */
  tolerance: { up: number; down: number };
}

/** The names of a target's pods, by how they count; those that are being deleted or have failed are in none. */
interface Groups {
  ready: string[];
  /** Not started yet, or in a phase in which their CPU says nothing. */
  unready: string[];
  /** Started, and without a sample. */
  missing: string[];
}

/** Sorts pods as HPA's groupPods does (podautoscaler/replica_calculator.go); of CPU it asks more than of other metrics. */
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

/** How many pods are Running and Ready. */
export const countReady = (pods: Pod[]): number =>
  pods.filter(({ phase, ready }) => phase === "Running" && ready?.status).length;

/**
 * What each pod requests of a resource, in milli-units, by name: all of its containers, or only the one of that name.
 * Throws NoCount when a request or the container is missing, be the pod of use or not, as HPA does.
 */
export const requestsOf = (pods: Pod[], resource: string, container?: string): Map<string, number> =>
  new Map(pods.map(pod => [pod.name, requestOf(pod, resource, container)]));

/** Why pods and samples come to no count. */
export class NoCount extends Error {}

function requestOf({ name: pod, requests: whole, containers }: Pod, resource: string, container?: string): number {
  if (container === undefined && whole) {
    const request = whole[resource];
    if (request === undefined) throw new NoCount(`missing pod-level request for ${resource} in Pod ${pod}`);
    return request;
  }
  const counted = containers.filter(({ name }) => container === undefined || name === container);
  if (container !== undefined && counted.length === 0)
    throw new NoCount(`container ${container} not found in Pod ${pod}`);
  return counted.reduce((sum, { name, requests }) => {
    const request = requests[resource];
    if (request === undefined) throw new NoCount(`missing request for ${resource} in container ${name} of Pod ${pod}`);
    return sum + request;
  }, 0);
}

/** Whether a pod's CPU is that of its start, or of a pod that never became Ready. */
function isStarting({ ready, startedAt }: Pod, sample: Sample, now: number): boolean {
  if (!ready || startedAt === undefined) return true;
  if (startedAt + cpuInitializationMilliseconds > now)
    return !ready.status || sample.at < ready.since + sample.windowMilliseconds;
  return !ready.status && startedAt + readinessDelayMilliseconds > ready.since;
}
