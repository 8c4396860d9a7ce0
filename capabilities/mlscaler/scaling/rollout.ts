import { Pod, Reading } from "./reading";

/** A pod that became Ready less than this ago may still show what its start cost: warm-up, and the delay of metrics. */
const startUpMilliseconds = 120_000;
/** The same where there is no other pod to tell by: what all ask for is not held for longer. */
const startUpAloneMilliseconds = 60_000;

/** The phases of a pod that has ended: evicted ones stay listed long after. */
const ended = ["Failed", "Succeeded"];

/** A pod that is not Ready this long after it was taken up is not starting any more: something is wrong with it. */
const longestStartMilliseconds = 300_000;

/** What is known of a target's revisions from one sync to the next. */
export interface Revision {
  /** The revision that the target had before the rollout that may be going on; absent where pods name none. */
  from?: string;
  /** Since when, epoch milliseconds, no pod of that revision has been left. */
  replacedAt?: number;
}

/** A rollout of a target. */
export interface Rollout extends Revision {
  /** Pods of another revision that are not Ready, or not for long, by name; empty when nothing is being rolled out. */
  starting: Set<string>;
}

/**
 * What is being rolled out at `now` (epoch milliseconds), given the revision that the target had before; where that is
 * not known, it is that of the oldest pod. When all pods are of others and have settled, the rollout is over. Pods that
 * a scale-up adds are of the revision that was there, or come when none of it is left, and are no rollout. Pure.
 */
export function rolloutOf(pods: Pod[], before: Revision, now: number): Rollout {
  const byAge = pods
    .filter(({ deleting, phase, revision }) => !deleting && !ended.includes(phase) && revision !== undefined)
    .sort((one, other) => (one.startedAt ?? Infinity) - (other.startedAt ?? Infinity));
  const from = before.from ?? byAge[0]?.revision;
  const others = byAge.filter(({ revision }) => revision !== from);
  const replacedAt = others.length > 0 && others.length === byAge.length ? (before.replacedAt ?? now) : undefined;
  const rolledOut = others.filter(({ startedAt }) => (startedAt ?? now) <= (replacedAt ?? now));
  const startingFor = (milliseconds: number): Pod[] =>
    rolledOut.filter(({ ready, startedAt }) =>
      ready?.status ? now - ready.since < milliseconds : now - (startedAt ?? now) < longestStartMilliseconds,
    );
  const young = startingFor(startUpMilliseconds);
  if (replacedAt !== undefined && young.every(({ startedAt }) => startedAt === undefined))
    return { from: others.findLast(({ startedAt }) => startedAt !== undefined)?.revision ?? from, starting: new Set() };
  const starting = young.length === byAge.length ? startingFor(startUpAloneMilliseconds) : young;
  return { from, replacedAt, starting: new Set(starting.map(({ name }) => name)) };
}

/**
 * The samples of `pods` without their start-up load: those of `starting` pods are at most the mean of the others.
 * Undefined when no other has one to tell by. Pure.
 */
export function withoutStartUp(
  samples: Map<string, number>,
  pods: Pod[],
  starting: Set<string>,
): Map<string, number> | undefined {
  const others = pods
    .flatMap(({ name }) => (starting.has(name) ? [] : (samples.get(name) ?? [])))
    .filter(value => value >= 0 && value < Infinity);
  if (others.length === 0) return undefined;
  const mean = others.reduce((total, value) => total + value, 0) / others.length;
  return new Map([...samples].map(([name, value]) => [name, starting.has(name) ? Math.min(value, mean) : value]));
}

/** A reading without the start-up load of `starting` pods; undefined where there is no telling. Pure. */
export function readingWithoutStartUp(reading: Reading, pods: Pod[], starting: Set<string>): Reading | undefined {
  if ("milli" in reading) return reading;
  const numbers = new Map([...reading.samples].map(([name, { milli }]) => [name, milli]));
  const settled = withoutStartUp(numbers, pods, starting);
  if (!settled) return undefined;
  return {
    ...reading,
    samples: new Map(
      [...reading.samples].map(([name, sample]) => [name, { ...sample, milli: Math.ceil(settled.get(name) ?? 0) }]),
    ),
  };
}
