import { pauseAfter } from "../kubernetes/back-off";
import { Instant } from "../kubernetes/time";
import { Spec } from "./schema";

export interface Pod {
  namespace: string;
  name: string;
  uid: string;
  image: string;
  createdAt: Instant;
  ready: boolean;
  terminating: boolean;
  finishedAt?: Instant;
  /** How many pods in its place failed in a row before it. */
  failures: number;
  labelled: boolean;
}

export interface Plan {
  create: { failures: number }[];
  delete: Pod[];
  relabel: Pod[];
  /** When the first pod in back-off is replaced; absent when none is. */
  nextAt?: Instant;
}

/** In ms, as that of the kubelet. */
const backOff = { first: 10_000, longest: 300_000 };
/** A pod that ran this long resets the back-off, as the kubelet does for containers. */
const forgivenMilliseconds = 600_000;

/**
 * Compares `pods` with the spec. A pod that has ended keeps its place until its back-off is over. Pods with another
 * image are replaced while all replicas but one are Ready. Pure.
 */
export function plan(spec: Spec, pods: Pod[], now: Instant): Plan {
  const present = pods.filter(pod => !pod.terminating);
  const surplus = Math.max(0, present.length - spec.replicas);
  const tooMany = [...present].sort(firstToGo(spec.image)).slice(0, surplus);
  const kept = present.filter(pod => !tooMany.includes(pod));
  const missing = Array.from({ length: spec.replicas - kept.length }, () => ({ failures: 0 }));

  const ended = kept.filter(pod => pod.finishedAt !== undefined);
  const overdue = ended.filter(pod => replaceAt(pod) <= now);
  const waiting = ended.filter(pod => !overdue.includes(pod)).map(replaceAt);
  const outdated = replaceable(spec, kept);
  return {
    create: [
      ...missing,
      ...overdue.map(pod => ({ failures: failuresOf(pod) + 1 })),
      ...outdated.map(() => ({ failures: 0 })),
    ],
    delete: [...tooMany, ...overdue, ...outdated],
    relabel: kept.filter(pod => !pod.labelled && !overdue.includes(pod) && !outdated.includes(pod)),
    nextAt: waiting.length > 0 ? Math.min(...waiting) : undefined,
  };
}

/** Whether the number, the image and the readiness of the pods match the spec. Pure. */
export const isReady = (spec: Spec, pods: Pod[]): boolean => {
  const running = active(pods);
  return running.length === spec.replicas && running.every(pod => pod.ready && pod.image === spec.image);
};

/** The pods that neither have ended nor are being deleted. */
export const active = (pods: Pod[]): Pod[] => pods.filter(pod => !pod.terminating && pod.finishedAt === undefined);

/** The pods with another image that can end while all replicas but one stay Ready. */
function replaceable({ replicas, image }: Spec, kept: Pod[]): Pod[] {
  const running = kept.filter(pod => pod.finishedAt === undefined);
  const outdated = running.filter(pod => pod.image !== image).sort(firstToGo(image));
  const spare = running.filter(pod => pod.ready).length - (replicas - 1);
  const ready = outdated.filter(pod => pod.ready).slice(0, Math.max(0, spare));
  return [...outdated.filter(pod => !pod.ready), ...ready];
}

/** The order of deletion: ended pods, pods that are not Ready, pods with another image, then the youngest. */
const firstToGo =
  (image: string) =>
  (one: Pod, other: Pod): number => {
    const rank = (pod: Pod): number =>
      pod.finishedAt !== undefined ? 0 : !pod.ready ? 1 : pod.image !== image ? 2 : 3;
    return rank(one) - rank(other) || other.createdAt - one.createdAt || (one.name < other.name ? 1 : -1);
  };

const failuresOf = ({ failures, createdAt, finishedAt = createdAt }: Pod): number =>
  finishedAt - createdAt >= forgivenMilliseconds ? 0 : failures;

const replaceAt = (pod: Pod): Instant => (pod.finishedAt ?? 0) + pauseAfter(failuresOf(pod) + 1, backOff);
