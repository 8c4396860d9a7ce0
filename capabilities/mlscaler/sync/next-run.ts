import type { Outcome } from "../../operator/outcome";
import type { Controller } from "../../operator/reconciler";
import { unknownAge, unsampledPods } from "../metrics/load";
import { clockSkewed, failuresOf, type Report } from "../report/report";
import type { Spec, Status } from "../schema";
import { invalidFieldReasons } from "./faults";

/** Seconds between syncs while a line is learning. */
const learningSeconds = 10;

/** The reasons of failures that no retry repairs. */
const lasting: string[] = [...invalidFieldReasons, unsampledPods, unknownAge, clockSkewed];

/** The next sync after one that ends at `now`, or was ended by `error`; no later than the next change of the bounds. */
export function nextRun(
  report: Report,
  error: Error | undefined,
  retry: Controller<Spec, Status>["retry"],
  now: number,
): Outcome {
  const period = report.spec.sync_period_seconds;
  const forecast = report.proposal?.forecast;
  // Shorter pauses help only a line, which needs one sample per sync. Models need a day of slots.
  const learning = !report.spec.forecast && forecast !== undefined && forecast.samples < forecast.wanted;
  const corrected = report.scaled && report.decision?.basis === "Bounds";
  const most = report.bounds.until === undefined ? undefined : report.bounds.until - now;
  if (error) return within(most, { next: "retry", ...retry, error });
  if (failuresOf(report).some(({ reason }) => !lasting.includes(reason)))
    return within(most, {
      next: "retry",
      ...retry,
      atMostSeconds: learning ? Math.min(learningSeconds, period) : period,
    });
  // The models replay backfilled history in seconds. A correction to the bounds has read no metrics.
  if ((learning || report.backfilled || corrected) && period > learningSeconds)
    return within(most, { next: "soon", afterSeconds: learningSeconds, periodSeconds: period });
  return within(most, { next: "sync", periodSeconds: period });
}

/** Returns the outcome with its next run in `milliseconds` at most. Without a limit nothing changes. */
function within(milliseconds: number | undefined, outcome: Outcome): Outcome {
  if (milliseconds === undefined || outcome.next === "forget") return outcome;
  const seconds = Math.max(0, milliseconds) / 1000;
  if (outcome.next === "retry") return { ...outcome, atMostSeconds: Math.min(outcome.atMostSeconds, seconds) };
  const { periodSeconds } = outcome;
  const afterSeconds = outcome.next === "soon" ? outcome.afterSeconds : periodSeconds;
  return seconds < afterSeconds ? { next: "soon", afterSeconds: seconds, periodSeconds } : outcome;
}
