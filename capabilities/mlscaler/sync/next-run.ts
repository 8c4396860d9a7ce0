import type { Outcome } from "../../operator/outcome";
import { unknownAge, unsampledPods } from "../metrics/load";
import { clockSkewed, failuresOf, type Report } from "../report/report";
import { invalidFieldReasons } from "./invalid-fields";

/** Seconds between syncs while a line is learning. */
const learningSeconds = 10;

/** The reasons of failures that no retry repairs. */
const lasting: string[] = [...invalidFieldReasons, unsampledPods, unknownAge, clockSkewed];

/** The next sync after this one, no later than the next change of the bounds. */
export function nextRun(report: Report): Outcome {
  const period = report.spec.sync_period_seconds;
  const forecast = report.proposal?.forecast;
  // Shorter pauses help only a line, which needs one sample per sync. Models need a day of slots.
  const learning = !report.spec.forecast && forecast !== undefined && forecast.samples < forecast.wanted;
  const corrected = report.scaled && report.decision?.basis === "Bounds";
  const at = report.bounds.until;
  if (failuresOf(report).some(({ reason }) => !lasting.includes(reason)))
    return notAfter(at, { next: "retry", atMostSeconds: learning ? Math.min(learningSeconds, period) : period });
  // The models replay backfilled history in seconds. A correction to the bounds has read no metrics.
  if ((learning || report.backfilled || corrected) && period > learningSeconds)
    return notAfter(at, { next: "soon", afterSeconds: learningSeconds, periodSeconds: period });
  return notAfter(at, { next: "sync", periodSeconds: period });
}

/** Returns the outcome with its next run no later than `at` (epoch milliseconds). Without `at` nothing changes. */
function notAfter(at: number | undefined, outcome: Outcome): Outcome {
  if (at === undefined || outcome.next === "forget") return outcome;
  const seconds = Math.max(0, at - Date.now()) / 1000;
  if (outcome.next === "retry") return { ...outcome, atMostSeconds: Math.min(outcome.atMostSeconds, seconds) };
  const { periodSeconds } = outcome;
  const afterSeconds = outcome.next === "soon" ? outcome.afterSeconds : periodSeconds;
  return seconds < afterSeconds ? { next: "soon", afterSeconds: seconds, periodSeconds } : outcome;
}
