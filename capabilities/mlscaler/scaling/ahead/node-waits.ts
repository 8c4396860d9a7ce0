import { namespaceOf } from "../../../kubernetes/metadata";
import { keptDays, dayMilliseconds } from "../../history/retention";
import type { Pod } from "../../metrics/reading";

/** How long a pod waited for a node that was made after it. */
export interface NodeWait {
  /** When the pod was created, epoch milliseconds. */
  at: number;
  seconds: number;
}

/** The node time where a capacity buffer is wanted and no pod has waited yet, in seconds. */
export const presumedNodeSeconds = 240;

/** Longer waits do not count: a limit or a quota kept the node from being made. */
export const longestSeconds = 1800;

const mostWaits = 20;

/**
 * The waits for new nodes of the last four weeks, with those of `pods` whose node is younger than they are. The same
 * array where nothing is new. `createdAt` and `now` are in epoch ms. Pure.
 */
export function withWaits(
  known: NodeWait[],
  pods: Pod[],
  createdAt: (node: string) => number | undefined,
  now: number,
): NodeWait[] {
  const isKnown = (one: NodeWait): boolean => known.some(({ at, seconds }) => at === one.at && seconds === one.seconds);
  const added = pods.flatMap(pod => waitOf(pod, createdAt) ?? []).filter(one => !isKnown(one));
  const isKept = ({ at }: NodeWait): boolean => at > now - keptDays * dayMilliseconds;
  if (added.length === 0 && known.every(isKept)) return known;
  const all = [...known, ...new Map(added.map(one => [`${one.at} ${one.seconds}`, one])).values()];
  return all
    .filter(isKept)
    .sort((one, other) => one.at - other.at)
    .slice(-mostWaits);
}

function waitOf(
  { createdAt: at, scheduledAt, waitedFor }: Pod,
  createdAt: (node: string) => number | undefined,
): NodeWait | undefined {
  const madeAt = waitedFor === undefined ? undefined : createdAt(waitedFor);
  if (at === undefined || scheduledAt === undefined || madeAt === undefined || madeAt < at) return undefined;
  const seconds = (scheduledAt - at) / 1000;
  return seconds <= longestSeconds ? { at, seconds } : undefined;
}

/** The 90th percentile of times; undefined without any. */
export function usualSeconds(times: number[]): number | undefined {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(0.9 * sorted.length) - 1];
}

const secondsIn = (waits: NodeWait[]): number[] => waits.map(({ seconds }) => seconds);

export class NodeWaits {
  readonly #waits = new Map<string, NodeWait[]>();
  /** What is calculated of a namespace, or of the cluster (""), until waits change. */
  readonly #seconds = new Map<string, number | undefined>();

  keep(key: string, waits: NodeWait[]): void {
    if (this.#waits.get(key) === waits || (waits.length === 0 && !this.#waits.has(key))) return;
    if (waits.length === 0) this.#waits.delete(key);
    else this.#waits.set(key, waits);
    this.#seconds.delete("");
    this.#seconds.delete(namespaceOf(key));
  }

  /** How long a pod waits for a new node, in seconds: of the target, else of its namespace, else of the cluster. */
  secondsOf(key: string): number | undefined {
    const own = this.#waits.get(key);
    return (own && usualSeconds(secondsIn(own))) ?? this.#among(namespaceOf(key)) ?? this.#among("");
  }

  #among(namespace: string): number | undefined {
    if (!this.#seconds.has(namespace)) {
      const those = [...this.#waits].filter(([key]) => namespace === "" || namespaceOf(key) === namespace);
      this.#seconds.set(namespace, usualSeconds(those.flatMap(([, waits]) => secondsIn(waits))));
    }
    return this.#seconds.get(namespace);
  }
}
