import { isDue, keptOf, Kept, decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import {
  Memory,
  memoryOf,
  retimed,
  State,
  withLoadsOf,
  withStored,
} from "../../../../capabilities/mlscaler/memory/memory";
import { MetricsError, Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { readyPods } from "../../../../capabilities/mlscaler/metrics/load";
import { Observation } from "../../../../capabilities/mlscaler/metrics/observation";
import { parsedPod } from "../../../../capabilities/mlscaler/metrics/pod-watch";
import { readMetric } from "../../../../capabilities/mlscaler/metrics/registry";
import { readShortForm, shortFormReference } from "../../../../capabilities/mlscaler/metrics/short-form-metric";
import { MetricsApis } from "../../../../capabilities/mlscaler/metrics/source";
import { longestWindow } from "../../../../capabilities/mlscaler/scaling/behavior";
import { Spec } from "../../../../capabilities/mlscaler/schema";
import type { Call } from "../../call";
import { at, Stored } from "../../objects";
import { Answered, apisOf } from "./heard";
import { Acted, Decided, step } from "./step";

/** One read of a scale by a process, and what followed from it. Times are milliseconds since the start. */
export interface Sync {
  begunAt: number;
  answeredAt?: number;
  scale?: { replicas: number; observed: number; selector: string };
  put?: { replicas: number; acted: Acted };
  /** Whether pods could not be listed. */
  podsFailed: boolean;
}

/** All that a sync could have seen: one of each. */
export interface Possible {
  specs: Spec[];
  /** The process's time of day, epoch milliseconds. */
  times: number[];
  /** The API server's time. */
  apiTimes: number[];
  fleets: (readonly Stored[])[];
  /** The answers to a question; one without a body stands for none. */
  answersTo: (question: string) => Answered[];
  unreadHolds: boolean;
  /** What its sources allow to be observed, by spec, fleet and time of the API server: one for all memories. */
  observed: Map<string, Promise<Observation[] | undefined>>;
}

/** A way that a sync can have gone. */
export interface Way extends Decided {
  spec: Spec;
}

/** The most ways and memories that are followed. */
const mostWays = 48;
const mostMemories = 36;

/** The syncs without metrics in a row that a process may have counted. The highest is that of all higher ones. */
const possibleFailedSyncs = [0, 1, 2, 3, 4, 5];

const podOf = new WeakMap<Stored, Pod>();

function pod(stored: Stored): Pod {
  const known = podOf.get(stored) ?? parsedPod(stored);
  podOf.set(stored, known);
  return known;
}

/** All ways in which a sync can go from a memory by the rules of the module. Undefined when there are too many. */
export async function waysOf(memory: Memory, sync: Sync, possible: Possible, key: string): Promise<Way[] | undefined> {
  const { scale } = sync;
  if (!scale) return [];
  const ways: Way[] = [];
  for (const [specIndex, spec] of possible.specs.entries()) {
    const adapted = memoryOf(memory, key, memory.uid, spec);
    for (const [fleetIndex, stored] of possible.fleets.entries()) {
      for (const apiNow of possible.apiTimes) {
        const place = `${specIndex} ${fleetIndex} ${apiNow}`;
        const observing =
          possible.observed.get(place) ?? observationsOf(spec, stored.map(pod), apiNow, scale, possible.answersTo, key);
        possible.observed.set(place, observing);
        const observations = await observing;
        if (!observations || ways.length + observations.length * possible.times.length > mostWays) return undefined;
        for (const observation of observations)
          for (const now of possible.times) {
            const { unreadHolds } = possible;
            ways.push({ spec, ...step(adapted, { spec, now, apiNow, scale, observation, unreadHolds }) });
          }
      }
    }
  }
  return ways;
}

/** All observations that the answers to questions allow; undefined when there are too many. */
async function observationsOf(
  spec: Spec,
  pods: Pod[],
  now: number,
  { replicas, selector }: { replicas: number; selector: string },
  answersTo: Possible["answersTo"],
  key: string,
): Promise<Observation[] | undefined> {
  if (replicas === 0) return [{ form: "none", pods: [] }];
  // The selector of a target that has not reported yet.
  if (!selector) return [{ form: "none", pods: [], error: new MetricsError("InvalidSelector", "there is none") }];
  const subject = { namespace: key.split("/")[0] ?? "", selector, now };
  const asked = new Map<string, Answered[]>();
  const first = new Map<string, Answered>();
  const observe = async (chosen: Map<string, Answered>): Promise<Observation> => {
    const apis = apisOf(now, question => {
      const all = answersTo(question);
      asked.set(question, all);
      return chosen.get(question) ?? all[0] ?? {};
    });
    return observation(spec, pods, subject, apis);
  };
  const found = [await observe(first)];
  const choices = [...asked];
  const count = choices.reduce((product, [, all]) => product * all.length, 1);
  if (count > mostWays) return undefined;
  for (let number = 1; number < count; number++) {
    let rest = number;
    const chosen = new Map<string, Answered>();
    for (const [question, all] of choices) {
      const one = all[rest % all.length];
      if (one) chosen.set(question, one);
      rest = Math.floor(rest / all.length);
    }
    found.push(await observe(chosen));
  }
  return found;
}

async function observation(
  spec: Spec,
  pods: Pod[],
  subject: { namespace: string; selector: string; now: number },
  apis: MetricsApis,
): Promise<Observation> {
  const failed = (error: unknown): MetricsError => {
    if (error instanceof MetricsError) return error;
    throw error;
  };
  if (spec.metrics === undefined) {
    const { metric } = spec;
    try {
      readyPods(pods, shortFormReference(metric));
      return { form: "short", pods, samples: await readShortForm(metric, subject, apis) };
    } catch (error) {
      return { form: "short", pods, samples: failed(error) };
    }
  }
  const readings = await Promise.all(
    spec.metrics.map(async metric => {
      try {
        return { metric, reading: await readMetric(metric, subject, apis) };
      } catch (error) {
        return { metric, error: failed(error) };
      }
    }),
  );
  return { form: "long", pods, readings };
}

/** What a process knows of an MLScaler: one of several memories, as far as what it heard and wrote tells. */
export class Followed {
  memories: Memory[];
  /** Whether one of the memories is that of the process. */
  isKnown = true;
  /** Since when what is stored cannot be read, and whether a forecast was trusted then. */
  unread?: { since?: number; wasTrusted: boolean };
  /** Since when the stored days of a load cannot be read. */
  unreadDays?: { since?: number };
  /** Since when the state could not be read before it was, and whether a forecast was trusted then. */
  #unreadBefore: { since?: number; wasTrusted: boolean } = { wasTrusted: false };
  /** Whether the stored state was read. */
  isRead = false;
  /** The latest write of the state; absent when nothing is stored. */
  kept?: Kept;
  /** The newest write of the state, while it has no answer: the process writes again until it has one. */
  unanswered?: Call;
  /** The offset of the process's clock in milliseconds. */
  offset: number;
  /** The pods that the newest sync can have seen. */
  #pods: Pod[] = [];

  constructor(
    readonly key: string,
    readonly uid: string,
    spec: Spec,
    offset: number,
  ) {
    this.offset = offset;
    this.memories = [memoryOf(undefined, key, uid, spec)];
  }

  /** Takes over the pods that a sync can have seen. */
  saw(fleets: Possible["fleets"]): void {
    this.#pods = fleets.flatMap(stored => stored.map(pod));
  }

  /** What cannot be read holds from the first failed read of it on. */
  failedToRead(now: number): void {
    if (this.unread) this.unread.since ??= now;
    else if (this.unreadDays) this.unreadDays.since ??= now;
  }

  /** The stored state was read, or there is none. */
  hasRead(): void {
    if (this.unread) this.#unreadBefore = this.unread;
    this.unread = undefined;
  }

  /** Takes over a stored state. */
  read(text: string): void {
    this.isRead = true;
    try {
      const { state, writtenAt } = decodeState(text);
      const begun = this.memories.some(({ session }) => session.lastSync !== undefined);
      this.memories = this.memories.map(memory => withStored(memory, state, writtenAt));
      const [first] = this.memories;
      this.kept = first && !begun ? keptOf(first, writtenAt) : undefined;
    } catch {
      this.kept = undefined;
    }
  }

  /** Takes over the loads of the MLScaler before this one. */
  adopt(text: string): void {
    try {
      const { state } = decodeState(text);
      this.memories = this.memories.map(memory => withLoadsOf(memory, state));
    } catch {
      // What cannot be decoded is not adopted.
    }
  }

  /** Moves all times with the clock of the process. */
  jumpTo(offset: number): void {
    const jumped = offset - this.offset;
    this.offset = offset;
    if (Math.abs(jumped) > 2000) this.memories = this.memories.map(memory => retimed(memory, jumped));
  }

  /** Whether what cannot be read holds the count of a spec at a time (ms since the start). */
  holds({ behavior }: Spec, now: number): boolean {
    const { since = this.unreadDays?.since ?? now, wasTrusted } = this.unread ?? this.#unreadBefore;
    if (!this.unread) return this.unreadDays !== undefined && wasTrusted && now - since < 600_000;
    return now - since < Math.max(this.isRead ? 0 : longestWindow(behavior), wasTrusted ? 600_000 : 0);
  }

  /** Goes on with the memories of the ways that were possible. */
  goOn(memories: Memory[]): void {
    const distinct = new Map(memories.map(memory => [textOf(memory), memory]));
    this.memories = [...distinct.values()];
    if (this.memories.length === 0 || this.memories.length > mostMemories) this.lose();
  }

  /** The process did what is not known: its memory is unknown until it writes it. */
  lose(): void {
    this.isKnown = false;
    this.memories = this.memories.slice(0, 1);
  }

  /**
   * Goes on with the state that the process writes at the end of a sync.
   * @param now the time of the sync in epoch milliseconds, by the clock of the process
   * @param offset the offset of that clock at the sync, in milliseconds
   */
  findAgain(state: State, now: number, offset: number): void {
    // A sync uses what was stored before it.
    const written = this.memories.map(({ session, ...memory }) => ({
      ...memory,
      session: { ...session, stored: undefined },
      state: { ...state, series: { ...state.series, capacity: memory.state.series.capacity } },
    }));
    if (this.isKnown) return this.goOn(written);
    this.offset = offset;
    const [any] = written;
    if (!any) return;
    // What is not stored is unknown: the failed syncs, and when a rollout was seen to have replaced the last pod. That
    // may be a sync earlier, because a pod ends some seconds after it is deleted. If the guess is wrong, it only
    // matters which pods had started then.
    const { replacedAt: seen } = any.session;
    const others = this.#pods.filter(({ revision }) => revision !== undefined && revision !== state.revision);
    const started = others.map(({ startedAt }) => startedAt);
    const possibleReplacedAt = new Set([seen ?? now, seen && seen - state.series.step, undefined, ...started]);
    this.memories = [...possibleReplacedAt].flatMap(replacedAt =>
      possibleFailedSyncs.map(failedSyncs => ({
        ...any,
        session: { ...any.session, replacedAt, failedSyncs, lastSync: now },
      })),
    );
    this.isKnown = true;
  }

  /**
   * Whether a write of the state is due at a time of the process (epoch milliseconds); undefined when it is not known.
   * Times are known to a second, so a recommendation at the end of its minute may be held or not.
   */
  isDue(now: number): boolean | undefined {
    if (!this.isKnown) return undefined;
    const due = new Set(
      this.memories
        .flatMap(memory => [-1000, 0, 1000].map(apart => withNewestAt(memory, apart)))
        .flatMap(memory => [isDue(memory, this.kept, now), isDue(memory, this.kept, now - 1000)]),
    );
    return due.size === 1 ? [...due][0] : undefined;
  }
}

/** A memory whose newest recommendation was made a number of milliseconds later. */
function withNewestAt(memory: Memory, later: number): Memory {
  const { recommendations } = memory.state;
  const newest = recommendations.slice(-1).map(one => ({ ...one, at: one.at + later }));
  return { ...memory, state: { ...memory.state, recommendations: [...recommendations.slice(0, -1), ...newest] } };
}

/** What distinguishes memories. */
const textOf = ({ state, session: { failedSyncs, replacedAt, lastSync, most } }: Memory): string =>
  JSON.stringify([state, failedSyncs, replacedAt, lastSync, most]);

/** How far times of one sync that are read at different places are apart, in milliseconds. */
const apartMilliseconds = 5_000;

/** The first field in which a stored state differs from that of a memory; undefined when it is the same. */
export function differenceOf(stored: State, own: State): string | undefined {
  const timed = (list: { at: number }[]): unknown => list.map(entry => ({ ...entry, at: undefined }));
  const near = (one: number | undefined, other: number | undefined): boolean =>
    one === other || Math.abs((one ?? NaN) - (other ?? NaN)) <= apartMilliseconds;
  const text = (value: unknown): string => JSON.stringify(value) ?? "nothing";
  const pairs: [string, unknown, unknown][] = [
    ["replicas", stored.replicas, own.replicas],
    ["revision", stored.revision, own.revision],
    ["of", stored.of, own.of],
    ["recommendations", timed(stored.recommendations), timed(own.recommendations)],
    ["scaleEvents", timed(stored.scaleEvents), timed(own.scaleEvents)],
    ["series", runsOf(stored), sameLoads(stored, own) ? runsOf(stored) : runsOf(own)],
  ];
  for (const [field, one, other] of pairs)
    if (text(one) !== text(other)) {
      const place = firstDifference(text(one), text(other));
      return `${field} is ${excerpt(text(one), place)}, not ${excerpt(text(other), place)}`;
    }
  const times: [string, number | undefined, number | undefined][] = [
    ["lastRecommended", stored.lastRecommended, own.lastRecommended],
    ["lastScaled", stored.lastScaled?.getTime(), own.lastScaled?.getTime()],
    ...stored.scaleEvents.map(({ at: when }, index): [string, number, number | undefined] => [
      `scaleEvents.${index}.at`,
      when,
      own.scaleEvents[index]?.at,
    ]),
  ];
  for (const [field, one, other] of times) if (!near(one, other)) return `${field} is ${one}, not ${other}`;
  return undefined;
}

const firstDifference = (one: string, other: string): number =>
  [...one].findIndex((character, index) => character !== other[index]);

/** The text around a place. */
const excerpt = (text: string, place: number): string => text.slice(Math.max(0, place - 100), Math.max(0, place) + 100);

/** The loads of all runs of a series, and where they lie. */
const runsOf = ({ series: { step: each, last, values, before } }: State): [number, ...[number, number[]][]] => [
  each,
  ...[...before, { last, values }].map((run): [number, number[]] => [run.last, run.values]),
];

/** Whether two series have the same slots and loads. A sum over pods depends a little on their order. */
function sameLoads(one: State, other: State): boolean {
  const [step, ...runs] = runsOf(one);
  const [otherStep, ...otherRuns] = runsOf(other);
  const near = (load: number, place: number, among: number[]): boolean =>
    Object.is(load, among[place]) || Math.abs(load - (among[place] ?? NaN)) <= 1e-9 * load;
  return (
    step === otherStep &&
    runs.length === otherRuns.length &&
    runs.every(([last, loads], index) => {
      const [otherLast, others = []] = otherRuns[index] ?? [];
      return last === otherLast && loads.length === others.length && loads.every((load, at) => near(load, at, others));
    })
  );
}

/** The scale in an answer. */
export function scaleOf(answer: unknown): Sync["scale"] {
  const selector = at(answer, "status.selector");
  return {
    replicas: Number(at(answer, "spec.replicas") ?? 0),
    observed: Number(at(answer, "status.replicas") ?? 0),
    selector: typeof selector === "string" ? selector : "",
  };
}
