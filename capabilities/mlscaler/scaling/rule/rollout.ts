import { Pod, Reading, Sample } from "../../metrics/reading";

/** A pod that became Ready more recently may still show start-up load, from its warm-up and the delay of metrics. */
const startUpMilliseconds = 120_000;
/** The same without other pods to compare with. A shared rise of load is not held for longer. */
const startUpAloneMilliseconds = 60_000;

/** The phases of ended pods. Evicted pods stay listed for a long time. */
const ended = ["Failed", "Succeeded"];

/** A pod that is not Ready after this time has failed to start. */
const longestStartMilliseconds = 300_000;

export interface Revision {
  /** The revision before the current rollout; absent if the pods have no revision. */
  from?: string;
  /** The time when the last pod of that revision was gone, epoch milliseconds. */
  replacedAt?: number;
}

export interface Rollout extends Revision {
  /** Names of pods of other revisions that are not Ready, or became Ready recently. Empty without a rollout. */
  starting: Set<string>;
}

/**
 * The rollout at `now`, given the revision before it, or that of the oldest pod. It ends when all pods have other
 * revisions and have started. A scale-up is no part of it: it has the old revision, or starts later. Pure.
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
 * A reading with the samples of `starting` pods limited to the mean of the others, in whole milli-units; undefined when
 * no other pod has a sample. Pure.
 */
export function readingWithoutStartUp(reading: Reading, pods: Pod[], starting: Set<string>): Reading | undefined {
  if ("milli" in reading) return reading;
  const { samples } = reading;
  const others = pods
    .flatMap(({ name }) => (starting.has(name) ? [] : (samples.get(name)?.milli ?? [])))
    .filter(milli => milli >= 0 && milli < Infinity);
  if (others.length === 0) return undefined;
  const mean = others.reduce((total, milli) => total + milli, 0) / others.length;
  const settled = [...samples].map(([name, sample]): [string, Sample] => {
    const milli = Math.ceil(starting.has(name) ? Math.min(sample.milli, mean) : sample.milli);
    return [name, { ...sample, milli }];
  });
  return { ...reading, samples: new Map(settled) };
}
