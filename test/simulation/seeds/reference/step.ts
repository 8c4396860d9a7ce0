import type { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { ScoredLine } from "../../../../capabilities/mlscaler/forecast/scored-line";
import { recorded, Series } from "../../../../capabilities/mlscaler/history/series";
import { failedSyncsOf, lastSyncOf, Memory, recall, remember } from "../../../../capabilities/mlscaler/memory/memory";
import { Observation } from "../../../../capabilities/mlscaler/metrics/observation";
import { decide, Decision, Hold } from "../../../../capabilities/mlscaler/scaling/decide";
import { fallbackOf } from "../../../../capabilities/mlscaler/scaling/metric-failure";
import { Proposal } from "../../../../capabilities/mlscaler/scaling/proposal";
import { loadsOf, propose, TargetLoads } from "../../../../capabilities/mlscaler/scaling/propose";
import { rolloutOf } from "../../../../capabilities/mlscaler/scaling/rollout";
import { BoundsNow, boundsAt } from "../../../../capabilities/mlscaler/scaling/schedule";
import { Spec } from "../../../../capabilities/mlscaler/schema";

/** What a sync saw. Times are epoch milliseconds. */
export interface Seen {
  spec: Spec;
  /** The time of the process. */
  now: number;
  /** The time of the API server, as the process knows it. */
  apiNow: number;
  scale: { replicas: number; observed: number };
  observation: Observation;
  /** Whether something that is stored cannot be read, and still holds the count. */
  unreadHolds: boolean;
}

/** What became of a decision: the scale was written, needed no write, was refused for good, or is to be tried again. */
export type Acted = "written" | "unchanged" | "refused" | "again";

/** What a sync decides by the rules of the module. */
export interface Decided {
  bounds: BoundsNow;
  decision: Decision;
  proposal?: Proposal;
  /** The count that is written; undefined without a write. */
  write?: number;
  /** The memory after the sync, by what became of its write. */
  after: (acted: Acted) => Memory;
}

/** Whether a sync only puts the target within its bounds. */
export const isCorrected = ({ mode, pause }: Spec, { min, max }: BoundsNow, current: number): boolean =>
  mode === "Active" &&
  ((current > max && pause !== "All" && pause !== "Down") ||
    (current > 0 && current < min && pause !== "All" && pause !== "Up"));

/**
 * Whether the rules decide without a model: the short form goes by its line, the long form by its metrics. Of targets
 * that go to 0 the reference knows nothing.
 */
export const isRuled = ({ forecast, metrics, min_replicas: min }: Spec): boolean =>
  min > 0 && (forecast === undefined ? metrics === undefined : forecast.model === "off");

/**
 * One sync by the rules of the module: the steps of its controller without I/O. Pure.
 * @param before the memory before the sync
 */
export function step(before: Memory, { spec, now, apiNow, scale, observation, unreadHolds }: Seen): Decided {
  const bounds = boundsAt(spec, now);
  const current = scale.replicas;
  const corrected = isCorrected(spec, bounds, current);
  const seen: Observation = corrected ? { form: "none", pods: [] } : observation;
  const revision = { from: before.state.revision, replacedAt: before.session.replacedAt };
  const rollout =
    seen.form === "none" ? { ...revision, starting: new Set<string>() } : rolloutOf(seen.pods, revision, now);
  const loads = loadsOf(spec, seen, rollout.starting, apiNow);
  const series = seriesWith(before.state.series, spec, loads, now);
  const forecasts = forecastsOf(spec, before.state.series, series, loads, now);
  const proposal = propose(spec, loads, forecasts, bounds.min, scale);
  const failedSyncs = failedSyncsOf(before, proposal);
  const past = recall(before, current, spec, now);
  const decision = decide({
    ...{ now, current, bounds, pause: spec.pause, behavior: spec.behavior, proposal: proposal.proposed },
    fallback: fallbackOf(spec.on_metric_failure, failedSyncs, proposal.failed, before.session.most),
    ...past,
    hold: holdOf(unreadHolds, loads),
    lastSync: lastSyncOf(before, spec, now),
  });
  const changes = decision.final !== current && spec.mode === "Active";
  const after = (acted: Acted): Memory => {
    const kept = { now, series, revision: rollout, waiting: undefined, past };
    if (acted === "again") return remember(before, { ...kept, decided: undefined });
    const { most } = proposal.proposed ?? {};
    const decided = { decision, current, scaled: acted === "written", failedSyncs, most, shadow: undefined };
    return remember(before, { ...kept, decided });
  };
  const write = changes ? decision.final : undefined;
  return { bounds, decision, ...(!corrected && { proposal }), write, after };
}

function seriesWith(series: Series, { metrics }: Spec, { totals }: TargetLoads, now: number): Series {
  const load = totals[0]?.load;
  return metrics === undefined && load !== undefined ? recorded(series, now, load) : series;
}

/** The line of the short form; no forecast else. No run is long enough for the line to lose its trust. */
function forecastsOf(
  spec: Spec,
  before: Series,
  series: Series,
  loads: TargetLoads,
  now: number,
): (Forecast | undefined)[] {
  if (spec.forecast || loads.form !== "short" || loads.error) return loads.totals.map(() => undefined);
  const cautious = loads.totals[0]?.cautious;
  const line = new ScoredLine().forecast(series, before.last, spec.history_size ?? 0, now, cautious);
  return [{ ...line, horizonSeconds: spec.sync_period_seconds }];
}

function holdOf(unreadHolds: boolean, loads: TargetLoads): Hold | undefined {
  if (unreadHolds) return "StateUnread";
  if (loads.form === "short") return !loads.error && loads.untold ? "ClockSkewed" : undefined;
  const isSkewed =
    loads.form === "long" &&
    loads.readings.some(read => "reading" in read && "milli" in read.reading && read.reading.skew !== undefined);
  return isSkewed ? "ClockSkewed" : undefined;
}
