import { errorFields } from "../../kubernetes/log";
import type { Memory } from "../memory/memory";
import { describe } from "../report/description";
import type { SyncSteps } from "../report/report";
import type { Plan } from "../scaling/plan";
import type { Spec } from "../schema";
import type { Action } from "./act";
import type { Ended, Gathered } from "./gather";

export type Sync = SyncSteps & Pick<Action, "conflict" | "error"> & Partial<Pick<Gathered, "skews">>;

/** What a sync with a plan reports of its steps. A correction to the bounds reports no metrics. */
export function stepsOf(
  spec: Spec,
  gathered: Gathered,
  { proposal, forecasts, activity, decision, planned }: Plan,
  action: Action,
  { state, session }: Memory,
): Sync {
  const { world, scale, corrected, replaying, waiting, histories, notes, skews, leaderFailure, lead } = gathered;
  return {
    ...{ current: scale.replicas, activity, replaying, waiting, notes, decision, planned, skews, leaderFailure },
    lead: corrected || (spec.forecast?.model ?? "off") === "off" ? undefined : lead,
    proposal: corrected ? undefined : { ...proposal, ...describe(world.loads, forecasts, proposal) },
    backfilled: histories.backfilled,
    ...action,
    ...(action.decided && {
      lastScaled: state.lastScaled,
      comparison: session.shadow?.comparison,
      scaledToZero: state.scaledToZero ?? false,
    }),
  };
}

/** What a sync reports that ended before its plan, with what it did to an assisted autoscaler. */
export const endedSync = (ended: Ended, action?: Action): Sync => ({
  ...ended,
  scaled: false,
  ...action,
  failures: [...ended.failures, ...(action?.failures ?? [])],
});

/** What a sync reports that an error ended. */
export function brokenSync(error: Error): Sync {
  const { reason, error: message } = errorFields(error);
  return endedSync({ failures: [{ type: "AbleToScale", status: "Unknown", reason, message }], error });
}
