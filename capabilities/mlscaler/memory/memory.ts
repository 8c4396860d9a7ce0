// memory/ has what syncs remember of an MLScaler, and stores it. The forms of the loads in it are in history/.
import { phaseOf } from "../../operator/phase";
import { CoarseGrid } from "../history/coarse-grid";
import { slotMilliseconds } from "../history/retention";
import { emptySeries, joined, longestBridge, Series } from "../history/series";
import { type ActivationFields, activationsOf } from "../metrics/activation";
import { leadersOf, type LeadingFields } from "../metrics/leading";
import { Metric } from "../metrics/registry";
import { hasTotal, loadText } from "../metrics/total";
import { longestWindow, Past, recent, Recommendation } from "../scaling/rule/behavior";
import { BenefitDay, joinedBenefit, withTrial } from "../scaling/ahead/benefit";
import type { Behavior } from "../scaling/rule/behavior-schema";
import { Waiting } from "../scaling/pending";
import type { Plan, Remembered } from "../scaling/plan";
import { lookBack, noted, recommended, undominated } from "../scaling/past";
import { Revision } from "../scaling/rule/rollout";
import type { NodeWait } from "../scaling/ahead/node-waits";
import { Shadow } from "../scaling/ahead/shadow";
import { kindId, TargetFields, targetOf } from "../target/target";

/** A slot of the fine grid starts this long before its sync is due, because timers can fire early. */
const slotLeadMilliseconds = 250;

/** The longest time between writes of the store, in ms. */
export const keepMilliseconds = 600_000;

/** The window in ms of the highest recommendation that the store writes. A shorter fall causes no write. */
const heldMilliseconds = 60_000;

export interface RememberedSpec extends TargetFields, ActivationFields, LeadingFields {
  metrics: Metric[];
  sync_period_seconds: number;
  behavior?: Behavior;
  line?: { samples: number };
}

/** The part of the memory that survives a restart, without the coarse grids. Times are epoch milliseconds. */
export interface State extends Past {
  /** Identifies the load of the series. A new target, metric or step starts a new series. */
  of: string;
  series: Series;
  /** Undominated, oldest first. */
  recommendations: Recommendation[];
  lastRecommended?: number;
  revision?: string;
  replicas?: number;
  lastScaled?: Date;
  /** Whether this MLScaler scaled the target to 0, where it still is. Absent when a target never goes there. */
  scaledToZero?: boolean;
  /** The start-up time of the target's pods when they were last seen. Only of a target that may go to 0. */
  startUpSeconds?: number;
  nodeWaits?: NodeWait[];
  benefit: BenefitDay[];
}

/** The part of the memory that ends with the process. Times are epoch milliseconds. */
interface Session {
  replacedAt?: number;
  failedSyncs?: number;
  most?: number;
  waiting?: Waiting;
  lastSync?: number;
  idleSince?: number;
  bufferGrewAt?: number;
  /** What HPA alone would have done, while something is forecast. */
  shadow?: Shadow;
  /** What the stored state held up, until the first sync after the read has used it. */
  stored?: Held & {
    at: number;
    /** The target's replicas; absent when this process has seen the target before it read the state. */
    replicas?: number;
  };
}

interface Held {
  highest?: number;
  lowest?: number;
}

export interface Memory {
  uid: string;
  state: State;
  session: Session;
  /** Four weeks of each forecast load, by `loadId`. A sync that fails later adds to them, too: the load was there. */
  grids: ReadonlyMap<string, CoarseGrid>;
  waitsForLowest: boolean;
  /** Present while stored loads or decisions cannot be read. */
  unread?: Unread;
}

export interface Unread {
  message: string;
  /** Whether what is stored could still ask for more replicas. */
  holds: boolean;
}

interface Synced {
  /** Epoch milliseconds. */
  now: number;
  series: Series;
  revision: Revision;
  waiting?: Waiting;
  startUpSeconds?: number;
  nodeWaits?: NodeWait[];
  plan: Pick<Plan, "decision" | "planned" | "buffer" | "past" | "idleSince" | "failedSyncs" | "most">;
  /** Absent when the write of the scale failed. The sync then counts as one without a decision. */
  decided?: {
    current: number;
    scaled: boolean;
    shadow?: Shadow;
    scaledToZero?: boolean;
  };
}

/** Adapts the memory `before` of the MLScaler `key` to this uid and spec, or creates a new one. */
export function memoryOf(before: Memory | undefined, key: string, uid: string, spec: RememberedSpec): Memory {
  const { metrics, sync_period_seconds: period, line } = spec;
  // A line goes on when only the replicas per unit change.
  const loads = line ? metrics.map(loadText).join() : JSON.stringify(metrics);
  const of = `${loads} of ${targetText(spec)} every ${period} s`;
  const known = before?.uid === uid ? before : undefined;
  // Spare slots keep the window full when a gap at its start is bridged.
  const capacity = (line?.samples ?? 0) + longestBridge;
  const kept = known?.state.of === of ? known.state.series : undefined;
  const series = kept
    ? { ...kept, capacity: Math.max(capacity, kept.capacity) }
    : emptySeries(period * 1000, phaseOf(key, period) - slotLeadMilliseconds, capacity);
  return {
    uid,
    state: {
      ...{ recommendations: [], scaleEvents: [], ...known?.state, of, series },
      benefit: known && known.state.of === of ? known.state.benefit : [],
    },
    session: { ...known?.session },
    grids: gridsOf(known?.grids, spec),
    waitsForLowest: (spec.behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) > 0,
  };
}

/** The memory with what was stored at `writtenAt` added. What the memory has of its own is newer. */
export function withStored(memory: Memory, stored: State, writtenAt: number): Memory {
  const { state, session } = memory;
  const { of, series } = state;
  const begun = session.lastSync !== undefined;
  return {
    ...memory,
    state: {
      ...stored,
      of,
      series:
        stored.of === of
          ? joined(stored.series, { ...series, capacity: Math.max(stored.series.capacity, series.capacity) })
          : series,
      recommendations: undominated(byTime(stored.recommendations, state.recommendations)),
      planned: undominated(byTime(stored.planned ?? [], state.planned ?? [])),
      nodes: undominated(byTime(stored.nodes ?? [], state.nodes ?? [])),
      nodeWaits: byTime(stored.nodeWaits ?? [], state.nodeWaits ?? []),
      scaleEvents: byTime(stored.scaleEvents, state.scaleEvents),
      lastRecommended: state.lastRecommended ?? stored.lastRecommended,
      revision: state.revision ?? stored.revision,
      replicas: state.replicas ?? stored.replicas,
      lastScaled: state.lastScaled ?? stored.lastScaled,
      scaledToZero: begun ? state.scaledToZero : stored.scaledToZero,
      startUpSeconds: state.startUpSeconds ?? stored.startUpSeconds,
      benefit: stored.of === of ? joinedBenefit(stored.benefit, state.benefit) : state.benefit,
    },
    session: {
      ...session,
      stored: { at: writtenAt, ...heldOf({ ...memory, state: stored }), ...(!begun && { replicas: stored.replicas }) },
    },
  };
}

/** The memory with the loads of the stored state of an earlier MLScaler. Its decisions do not count. */
export function withAdopted(memory: Memory, stored: State): Memory {
  const { series } = withStored(memory, stored, 0).state;
  return { ...memory, state: { ...memory.state, series } };
}

/** The entries of both lists by time. An entry that is in both lists is the same one. */
function byTime<T extends { at: number }>(stored: T[], own: T[]): T[] {
  const times = new Set(own.map(({ at }) => at));
  return [...stored.filter(({ at }) => !times.has(at)), ...own].sort((one, other) => one.at - other.at);
}

/** The memory with all its times of decisions moved by `milliseconds`, because the clock jumped by as much. */
export function retimed(memory: Memory, milliseconds: number): Memory {
  const { state, session } = memory;
  const moved = <T extends { at: number }>(entry: T): T => ({ ...entry, at: entry.at + milliseconds });
  const later = (at: number | undefined): number | undefined => at && at + milliseconds;
  return {
    ...memory,
    state: {
      ...state,
      recommendations: state.recommendations.map(moved),
      scaleEvents: state.scaleEvents.map(moved),
      planned: state.planned?.map(moved),
      nodes: state.nodes?.map(moved),
      lastRecommended: later(state.lastRecommended),
    },
    session: {
      ...session,
      replacedAt: later(session.replacedAt),
      lastSync: later(session.lastSync),
      idleSince: later(session.idleSince),
      stored: session.stored && moved(session.stored),
    },
  };
}

/** Identifies the coarse grid of a metric on a target, whatever its target value and the sync period. */
export function loadId(spec: TargetFields, metric: Metric): string {
  return `${loadText(metric)} of ${targetText(spec)} every ${slotMilliseconds / 1000} s`;
}

/** The loads of a spec that are forecast and remembered. */
export const forecastLoads = ({ metrics, forecast }: LoadFields): Metric[] =>
  forecast?.model === "off" ? [] : metrics.filter(hasTotal);

export type LoadFields = Pick<RememberedSpec, "metrics" | "forecast" | "scale_to_zero">;

/** The loads of a spec that are remembered: those that are forecast, those of its activations, and those that lead. */
export function rememberedLoads(spec: LoadFields): Metric[] {
  const loads = forecastLoads(spec);
  if (!spec.forecast || spec.forecast.model === "off") return loads;
  const known = new Set(spec.metrics.map(loadText));
  const added = activationsOf(spec).filter(({ metric }) => !known.has(loadText(metric)));
  const forecast = [...loads, ...added.map(({ metric }) => metric)];
  const texts = new Set(forecast.map(loadText));
  const leaders = forecast.length > 0 ? leadersOf(spec).filter(metric => !texts.has(loadText(metric))) : [];
  return [...forecast, ...leaders];
}

function gridsOf(before: Memory["grids"] | undefined, spec: RememberedSpec): Memory["grids"] {
  const ids = new Set(rememberedLoads(spec).map(load => loadId(spec, load)));
  if (before?.size === ids.size && [...ids].every(id => before.has(id))) return before;
  return new Map([...ids].map(id => [id, before?.get(id) ?? new CoarseGrid()]));
}

/** The target of a spec as text: "Deployment.apps/web". */
export function targetText(spec: TargetFields): string {
  const target = targetOf(spec);
  return `${kindId(target)}/${target.name}`;
}

/** The past for a decision. After an outage or a restart the current count is a recommendation, as in an HPA. */
export function recall(memory: Memory, current: number, spec: RememberedSpec, now: number): Past {
  const { sync_period_seconds: period, behavior } = spec;
  const past = recallStored(memory, current, period, now);
  const { lastRecommended } = memory.state;
  const last = lastRecommended === undefined ? [] : [{ at: lastRecommended }];
  const window = longestWindow(behavior);
  // Two periods are no outage, whatever the jitter, unless a window is as long.
  const longest = window < 2000 * period ? 2000 * period + 1000 : window;
  // A recommendation in the future comes from a clock that was set back.
  const outdated = recent(last, now, longest).length === 0;
  return lookBack(outdated ? recommend(past, now, current) : past, behavior, now);
}

/** What a plan for a target with `current` replicas remembers. */
export const rememberedOf = (memory: Memory, current: number, spec: RememberedSpec, now: number): Remembered => ({
  past: recall(memory, current, spec, now),
  lastSync: memory.session.lastSync,
  replicas: memory.state.replicas,
  idleSince: memory.session.idleSince,
  failedSyncs: memory.session.failedSyncs ?? 0,
  most: memory.session.most,
  benefit: memory.state.benefit,
  bufferGrewAt: memory.session.bufferGrewAt,
});

/** Adds the results of a sync to the memory. */
export function remember(memory: Memory, sync: Synced): Memory {
  const { now, series, revision, waiting, startUpSeconds, nodeWaits, plan, decided } = sync;
  const { decision, past, failedSyncs, most, idleSince } = plan;
  const seen = {
    ...memory,
    state: {
      ...memory.state,
      ...past,
      series,
      revision: revision.from,
      startUpSeconds: startUpSeconds ?? memory.state.startUpSeconds,
      nodeWaits: nodeWaits ?? memory.state.nodeWaits,
    },
    session: { ...memory.session, stored: undefined, replacedAt: revision.replacedAt, waiting, idleSince },
  };
  if (!decided) return seen;
  const { current, scaled, shadow, scaledToZero } = decided;
  const { recommendations, scaleEvents, planned, nodes } = noted(past, plan, current, scaled, now);
  // A first sync that only applies bounds recommends the count that it found, as HPA does.
  const recommends =
    decision.recommended !== undefined || (decision.basis === "Bounds" && past.recommendations.at(-1)?.at === now);
  return {
    ...seen,
    state: {
      ...seen.state,
      recommendations: undominated(recommendations),
      scaleEvents,
      planned: planned && undominated(planned),
      nodes: nodes && undominated(nodes),
      lastRecommended: recommends ? now : memory.state.lastRecommended,
      lastScaled: scaled ? new Date(now) : memory.state.lastScaled,
      replicas: scaled ? decision.final : current,
      scaledToZero,
      benefit: shadow ? withTrial(memory.state.benefit, shadow.trial, now) : memory.state.benefit,
    },
    session: { ...seen.session, failedSyncs, most, lastSync: now, shadow, bufferGrewAt: plan.buffer?.grewAt },
  };
}

/** The highest recommendation of the last minute, and the lowest if a scale-up waits for it. A change is written. */
export function heldOf({ state: { recommendations }, waitsForLowest }: Memory): Held {
  const newest = recommendations.at(-1);
  if (!newest) return {};
  const held = recommendations.filter(({ at }) => at > newest.at - heldMilliseconds).map(({ replicas }) => replicas);
  return { highest: Math.max(...held), lowest: waitsForLowest ? Math.min(...held) : undefined };
}

/**
 * Adds to the past what may have happened after the last write, so that a lost write only delays scaling:
 * - The stored recommendations may have been held until the next write was due, which is `keepMilliseconds` and two
 *   syncs later at most. They count as made then, or now if that is earlier.
 * - If the current count differs from the stored one, a scaling was not stored. A higher current count counts as
 *   recommended now. A lower one also counts as removed now, for the policies that limit a scale-down.
 * Other results of a sync that ended before its write are lost.
 */
function recallStored(memory: Memory, current: number, periodSeconds: number, now: number): Past {
  const { recommendations, scaleEvents, planned } = memory.state;
  const { stored } = memory.session;
  let past: Past = { recommendations, scaleEvents, planned };
  if (!stored) return past;
  const { at, highest, lowest, replicas } = stored;
  const until = at + keepMilliseconds + 2 * periodSeconds * 1000;
  for (const held of [lowest, highest]) if (held !== undefined) past = recommend(past, Math.min(now, until), held);
  if (replicas === undefined || replicas === current) return past;
  past = recommend(past, now, current);
  if (current >= replicas) return past;
  return { ...past, scaleEvents: [...past.scaleEvents, { at: now, change: current - replicas }] };
}

function recommend(past: Past, at: number, replicas: number): Past {
  const { recommendations, ...rest } = recommended(past, at, replicas);
  return { ...rest, recommendations: undominated(recommendations.sort((one, other) => one.at - other.at)) };
}
