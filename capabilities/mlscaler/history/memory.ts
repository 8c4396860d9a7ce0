import { placeMilliseconds } from "../../common/scheduler";
import { Scores } from "../forecast/scores";
import { Trust } from "../forecast/trust";
import { Metric } from "../metrics/schema";
import { blockOf, hasTotal } from "../metrics/total";
import { recent, Recommendation, ScaleEvent } from "../scaling/behavior";
import { Decision } from "../scaling/decide";
import { Shadow } from "../scaling/shadow";
import { Spec } from "../schema";
import { kindId, targetOf } from "../target";
import { CoarseGrid, slotMilliseconds } from "./coarse";
import { emptySeries, longestBridge, Series } from "./series";

/** How long before a sync is due its slot in the history begins, so that a timer a little early does not miss it. */
const slotLeadMilliseconds = 250;

/** The store is written at least this often, in ms. */
export const keepMilliseconds = 300_000;

/** A recommendation counts as held for this long, in ms, so that one that comes and goes is not stored each time. */
const heldMilliseconds = 60_000;

/** What is remembered of one MLScaler between syncs. Times are epoch milliseconds. */
export interface Memory {
  uid: string;
  /** What the series is of: with another target, metric or step it begins anew. */
  of: string;
  series: Series;
  /** Four weeks of each load that is forecast, by `loadId`; empty without a forecast. */
  coarse: ReadonlyMap<string, CoarseGrid>;
  /** Oldest first; only those that all later ones are below, or all above: no window's highest or lowest is another. */
  recommendations: Recommendation[];
  /** Whether a scale-up has to wait for the lowest of a window (behavior.scaleUp); not stored, the spec tells. */
  waitsForLowest?: boolean;
  /** The revision of the target's pods, before the rollout that may be going on. */
  revision?: string;
  /** Since when no pod of that revision has been left; not stored. */
  replacedAt?: number;
  /** When something was last recommended by the metrics. */
  lastRecommended?: number;
  scaleEvents: ScaleEvent[];
  /** The target's replicas after the last sync. */
  replicas?: number;
  /** Syncs in a row in which no metric was known; not stored. */
  failedSyncs?: number;
  /** The most that a forecast was last allowed to raise the count to; not stored. */
  most?: number;
  /** When this process last decided. */
  lastSync?: number;
  /** When the target was last scaled by this MLScaler. */
  lastScaled?: Date;
  /** How the line of the short form did, one step ahead; not stored. */
  line?: { scores: Scores; trust: Trust };
  /** What HPA alone would have done, while something is forecast; not stored. */
  shadow?: Shadow;
  /** When this was written, if it was read from the store, until the first `recall` after that. */
  storedAt?: number;
}

/** What is remembered of the MLScaler `key` with this uid and spec, given what was `before`. */
export function memoryOf(before: Memory | undefined, key: string, uid: string, spec: Spec): Memory {
  const { metric, metrics, sync_period_seconds: period, history_size: size = 0 } = spec;
  const of = `${metric ?? JSON.stringify(metrics)} of ${targetText(spec)} every ${period} s`;
  const known = before?.uid === uid ? before : undefined;
  const coarse = coarseOf(known, spec);
  const waitsForLowest = (spec.behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) > 0;
  if (known) known.waitsForLowest = waitsForLowest;
  // A gap at the far end of the window must not make it too short.
  const capacity = size + longestBridge;
  if (known?.of === of && known.series.capacity >= capacity && known.coarse === coarse) return known;
  const series =
    known?.of === of
      ? { ...known.series, capacity: Math.max(capacity, known.series.capacity) }
      : emptySeries(period * 1000, placeMilliseconds(key, period) - slotLeadMilliseconds, capacity);
  return { recommendations: [], scaleEvents: [], ...known, waitsForLowest, uid, of, series, coarse };
}

/**
 * What the coarse grid of a metric is of: of another metric or target it is another, with another target value or
 * period the same, because the load is.
 */
export function loadId(spec: Targeting, metric: string | Metric): string {
  const load =
    typeof metric === "string" ? metric : `${metric.type} ${JSON.stringify({ ...blockOf(metric), target: undefined })}`;
  return `${load} of ${targetText(spec)} every ${slotMilliseconds / 1000} s`;
}

/** A metric of the short form by its name, or one of an HPA. */
export type ForecastLoad = string | Metric;

/** The metrics of a spec whose loads are forecast, and kept for that. */
export const forecastLoads = ({ metrics, metric = "", forecast }: Spec): ForecastLoad[] =>
  forecast?.model === "off" ? [] : (metrics?.filter(hasTotal) ?? [metric]);

/** The coarse grids that a spec asks for: one for each load that is forecast, those that are known as they are. */
function coarseOf(known: Memory | undefined, spec: Spec): Memory["coarse"] {
  const ids = new Set(forecastLoads(spec).map(load => loadId(spec, load)));
  const before = known?.coarse ?? new Map<string, CoarseGrid>();
  if (known && before.size === ids.size && [...ids].every(id => before.has(id))) return before;
  return new Map([...ids].map(id => [id, before.get(id) ?? new CoarseGrid()]));
}

type Targeting = Parameters<typeof targetOf>[0];

/** "Deployment.apps/web". */
function targetText(spec: Targeting): string {
  const target = targetOf(spec);
  return `${kindId(target)}/${target.name}`;
}

/**
 * Forgets what is older than `milliseconds`, the longest time for which anything is looked back on. Where the
 * metrics recommended nothing for that long, the `current` count counts as recommended, so that neither a restart (HPA's
 * rule) nor an outage scales anything down.
 */
export function recall(
  memory: Memory,
  current: number,
  periodSeconds: number,
  now: number,
  milliseconds: number,
): void {
  recallStored(memory, current, periodSeconds, now);
  const blind = now - (memory.lastRecommended ?? -Infinity);
  // One in the future is of a clock that was put back.
  if (blind > Math.max(milliseconds, 2 * periodSeconds * 1000) || blind < 0) recommend(memory, now, current);
  memory.recommendations = recent(memory.recommendations, now, milliseconds);
  memory.scaleEvents = recent(memory.scaleEvents, now, milliseconds);
}

/** Keeps what a sync at `now` decided for a target of `current` replicas, and whether it was written. */
export function remember(memory: Memory, decision: Decision, current: number, scaled: boolean, now: Date): void {
  const at = now.getTime();
  if (decision.recommended !== undefined) {
    recommend(memory, at, decision.recommended);
    memory.lastRecommended = at;
  }
  if (scaled) {
    memory.scaleEvents.push({ at, change: decision.final - current });
    memory.lastScaled = now;
  }
  memory.replicas = scaled ? decision.final : current;
  memory.lastSync = at;
}

/**
 * The highest and, where a scale-up waits for it, the lowest recommendation of the minute up to the newest one. The store
 * is written whenever one changes: a rise of the highest is stored at once, a fall when it has lasted, and the lowest the other way.
 */
export function heldOf({ recommendations, waitsForLowest }: Memory): { highest?: number; lowest?: number } {
  const newest = recommendations.at(-1);
  if (!newest) return {};
  const held = recommendations.filter(({ at }) => at > newest.at - heldMilliseconds).map(({ replicas }) => replicas);
  return { highest: Math.max(...held), lowest: waitsForLowest ? Math.min(...held) : undefined };
}

/**
 * Counts what may have happened since the memory was stored, so that what was lost only makes a scaling later that waits
 * for a window:
 * - the recommendations that were held then may have held, and none beyond them, until the next write was due, at most
 *   `keepMilliseconds` and two syncs later: they count as recommended then, or now, whichever is sooner;
 * - when the target has not the count that was stored, a scale-up may have been lost: the `current` count counts as
 *   recommended now; or a scale-down: it counts as made now, for the policies that limit how much is removed.
 * A sync that was broken off before it was stored is as if it had not been, but for the count that it left.
 */
function recallStored(memory: Memory, current: number, periodSeconds: number, now: number): void {
  const { storedAt, replicas } = memory;
  if (storedAt === undefined) return;
  memory.storedAt = undefined;
  const { highest, lowest } = heldOf(memory);
  const until = storedAt + keepMilliseconds + 2 * periodSeconds * 1000;
  for (const held of [lowest, highest]) if (held !== undefined) recommend(memory, Math.min(now, until), held);
  if (replicas === undefined || replicas === current) return;
  recommend(memory, now, current);
  if (current < replicas) memory.scaleEvents.push({ at: now, change: current - replicas });
}

/** Adds a recommendation, and drops those that no window's highest or lowest can be any more. */
function recommend(memory: Memory, at: number, replicas: number): void {
  const kept = [{ at, replicas }];
  let [low, high] = [replicas, replicas];
  for (const earlier of [...memory.recommendations].reverse()) {
    if (earlier.replicas >= low && earlier.replicas <= high) continue;
    low = Math.min(low, earlier.replicas);
    high = Math.max(high, earlier.replicas);
    kept.push(earlier);
  }
  memory.recommendations = kept.reverse();
}
