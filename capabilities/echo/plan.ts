import { Spec } from "./schema";

/** A pod of an Echo, as far as a plan needs to know it. Times are epoch milliseconds. */
export interface Pod {
  namespace: string;
  name: string;
  uid: string;
  image: string;
  createdAt: number;
  ready: boolean;
  /** It is being deleted: it is no longer counted. */
  terminating: boolean;
  /** When it Failed, Succeeded or was evicted. */
  finishedAt?: number;
  /** How many pods before it, in whose place it is, failed one after the other. */
  failures: number;
  /** Whether it has the labels that it was made with. */
  labelled: boolean;
}

/** What is to be done so that the pods become those of the spec. */
export interface Plan {
  /** One pod each, with the failures before it. */
  create: { failures: number }[];
  delete: Pod[];
  /** Pods whose labels someone changed. */
  relabel: Pod[];
  /** When the first of the pods that wait for their back-off is to be replaced; absent when none waits. */
  nextAt?: number;
}

const firstBackOffMilliseconds = 10_000;
const longestBackOffMilliseconds = 300_000;
/** Who lived this long does not carry on the failures of those before, as the kubelet has it for containers. */
const forgivenMilliseconds = 600_000;

/**
 * Compares `pods` with what `spec` asks for. Pods that have ended keep their place until their back-off is over (10 s,
 * doubling to 5 min with each that failed after another). Pods with another image are replaced as long as one less than
 * the replicas are Ready. Of too many, those that are not Ready go first, then the youngest. Pure.
 */
export function plan(spec: Spec, pods: Pod[], now: number): Plan {
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

/** Whether the pods are all that the spec asks for: as many, Ready, and of its image. Pure. */
export const isReady = (spec: Spec, pods: Pod[]): boolean => {
  const running = active(pods);
  return running.length === spec.replicas && running.every(pod => pod.ready && pod.image === spec.image);
};

/** The pods that have neither ended nor are about to. */
export const active = (pods: Pod[]): Pod[] => pods.filter(pod => !pod.terminating && pod.finishedAt === undefined);

/** Those with another image whose end leaves at least one less than the replicas Ready. */
function replaceable({ replicas, image }: Spec, kept: Pod[]): Pod[] {
  const running = kept.filter(pod => pod.finishedAt === undefined);
  const outdated = running.filter(pod => pod.image !== image).sort(firstToGo(image));
  const spare = running.filter(pod => pod.ready).length - (replicas - 1);
  const ready = outdated.filter(pod => pod.ready).slice(0, Math.max(0, spare));
  return [...outdated.filter(pod => !pod.ready), ...ready];
}

/** Who goes first: who has ended, then who is not Ready, then who has another image, then the youngest. */
const firstToGo =
  (image: string) =>
  (one: Pod, other: Pod): number => {
    const rank = (pod: Pod): number =>
      pod.finishedAt !== undefined ? 0 : !pod.ready ? 1 : pod.image !== image ? 2 : 3;
    return rank(one) - rank(other) || other.createdAt - one.createdAt || (one.name < other.name ? 1 : -1);
  };

const failuresOf = ({ failures, createdAt, finishedAt = createdAt }: Pod): number =>
  finishedAt - createdAt >= forgivenMilliseconds ? 0 : failures;

const replaceAt = (pod: Pod): number =>
  (pod.finishedAt ?? 0) + Math.min(firstBackOffMilliseconds * 2 ** failuresOf(pod), longestBackOffMilliseconds);
