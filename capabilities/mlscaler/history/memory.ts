import { placeMilliseconds } from "../../common/scheduler";
import { recent, Recommendation, ScaleEvent, stabilizationMilliseconds } from "../scaling/behavior";
import { Decision } from "../scaling/decide";
import { Spec } from "../schema";
import { emptySeries, longestBridge, Series } from "./series";

/** How long before a sync is due its slot in the history begins, so that a timer a little early does not miss it. */
const slotLeadMilliseconds = 250;

/** What is remembered of one MLScaler between syncs. Times are epoch milliseconds. */
export interface Memory {
  uid: string;
  /** What the series is of: with another metric or step it begins anew. */
  of: string;
  series: Series;
  recommendations: Recommendation[];
  scaleEvents: ScaleEvent[];
  lastSync?: number;
  /** When this process last scaled the target. */
  lastScaled?: Date;
}

/** What is remembered of the MLScaler `key` with this uid and spec, given what was `before`; pure. */
export function memoryOf(before: Memory | undefined, key: string, uid: string, spec: Spec): Memory {
  const { metric, sync_period_seconds: period, history_size: size } = spec;
  const of = `${metric} every ${period} s`;
  const known = before?.uid === uid ? before : undefined;
  // A gap at the far end of the window must not make it too short.
  const capacity = size + longestBridge;
  if (known?.of === of && known.series.capacity >= capacity) return known;
  const step = period * 1000;
  const series = emptySeries(step, placeMilliseconds(key, period) - slotLeadMilliseconds, capacity);
  if (known?.of === of) Object.assign(series, { last: known.series.last, values: known.series.values });
  return { recommendations: [], scaleEvents: [], ...known, uid, of, series };
}

/**
 * Forgets recommendations that are too old. Where none is left because there was no recommendation for long, the
 * `current` count counts as one, so that neither a restart (HPA's rule) nor an outage scales anything down.
 */
export function recall(memory: Memory, current: number, periodSeconds: number, now: number): void {
  const newest = memory.recommendations.at(-1)?.at ?? -Infinity;
  const blind = Math.max(stabilizationMilliseconds, 2 * periodSeconds * 1000);
  // A newest one in the future is of a clock that was put back.
  if (now - newest > blind || newest > now) memory.recommendations = [{ at: now, replicas: current }];
  memory.scaleEvents = recent(memory.scaleEvents, now);
}

/** Keeps what a sync at `now` decided for a target of `current` replicas, and whether it was written. */
export function remember(memory: Memory, decision: Decision, current: number, scaled: boolean, now: Date): void {
  const at = now.getTime();
  if (decision.recommended !== undefined) {
    memory.recommendations = [...recent(memory.recommendations, at), { at, replicas: decision.recommended }];
  }
  if (scaled) {
    memory.scaleEvents.push({ at, change: decision.final - current });
    memory.lastScaled = now;
  }
  memory.lastSync = at;
}
