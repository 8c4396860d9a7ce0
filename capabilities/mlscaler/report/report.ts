import type { Autoscaler } from "../assist/autoscaler";
import type { Minimum } from "../assist/minimum";
import type { NoBuffer } from "../nodes/capacity-buffer";
import type { Lead } from "../scaling/ahead/start-up";
import { ConditionUpdate } from "../../kubernetes/conditions";
import { Replaying } from "../forecast/forecast";
import { Unread } from "../memory/memory";
import { Activity } from "../scaling/zero/activity";
import type { Planned } from "../scaling/ahead/planned";
import type { NextDay } from "../scaling/ahead/next-day";
import { Decision } from "../scaling/decide";
import { Waiting } from "../scaling/pending";
import type { Description } from "./description";
import { Failure, Proposal } from "../scaling/proposal";
import { BoundsNow } from "../scaling/schedule/schedule";
import { HpaComparison } from "../scaling/ahead/shadow";
import { Spec } from "../schema";
import { StandBackReason } from "../target/conflict-messages";

export interface AssistedNow {
  autoscaler: Pick<Autoscaler, "text" | "reference" | "field" | "maximum" | "owner">;
  minimum: Minimum;
  before: number;
  written: boolean;
}

export interface NodesNow {
  /** The replicas that it asks for, and those before this sync; absent without one. */
  replicas?: number;
  before?: number;
  /** Whether the plan of this sync asks for it, if only for 0 replicas. */
  isWanted?: boolean;
  /** What the autoscaler of the nodes says; see `CapacityBuffer`. */
  isServed?: boolean;
  isPlanned?: boolean;
  failure?: string;
  problem?: NoBuffer;
}

/** The results of one sync, step by step. A step that the sync did not reach is absent. */
export interface SyncSteps {
  current?: number;
  proposal?: Proposal & Description;
  activity?: Activity;
  scaledToZero?: boolean;
  /** Present while a forecast that was trusted before is not there yet. */
  replaying?: Replaying;
  waiting?: Waiting;
  notes?: string[];
  /** Why a leading load is unknown; the forecast goes on without it. */
  leaderFailure?: string;
  backfilled?: boolean;
  decision?: Decision;
  planned?: Planned;
  /** What the next 24 hours ask for; absent while unknown, null where no path is better than the naive ones. */
  nextDay?: NextDay | null;
  assisted?: AssistedNow;
  lead?: Lead;
  /** Absent where the MLScaler wants no CapacityBuffer and has none. */
  nodes?: NodesNow;
  /** Present while a minimum that was raised could not be put back. */
  leftRaised?: true;
  comparison?: HpaComparison;
  scaled: boolean;
  lastScaled?: Date;
  unread?: Unread;
  failures: ConditionUpdate[];
}

export interface Report extends SyncSteps {
  now: Date;
  generation: number;
  spec: Spec;
  bounds: BoundsNow;
  /** Why the MLScaler has no forecast, if a quota excludes it. `spec` then has none. */
  overQuota?: string;
}

/** All failures of a sync. */
export const failuresOf = ({ failures, proposal, unread }: Report): Failure[] => [
  ...failures,
  ...(proposal?.failures ?? []),
  ...(unread ? [unreadFailure(unread)] : []),
];

function unreadFailure({ message, holds }: Unread): ConditionUpdate {
  const consequence = holds
    ? "Until then the count is not lowered"
    : "The count follows the current load, as with an HPA";
  return { type: "Ready", status: "False", reason: "StateUnreadable", message: `${message}. ${consequence}` };
}

export const failedUpdateScale = "FailedUpdateScale";

export const failedUpdateMinimum = "FailedUpdateMinimum";

export const standBackReasons = ["AmbiguousTarget", "HPAsUnknown", "NoAutoscaler"] as const satisfies StandBackReason[];

/** Why the MLScaler stands back: another autoscaler acts on the target, or may do. Undefined when it does not. */
export const standsBack = (report: Report): StandBackReason | undefined =>
  standBackReasons.find(one => failuresOf(report).some(({ reason }) => reason === one));

export const clockSkewed = "ClockSkewed";

/** Whether clocks differ by too much. */
export const hasSkew = (report: Report): boolean => failuresOf(report).some(({ type }) => type === clockSkewed);

export const replicasPending = "ReplicasPending";

export const nodesAhead = "NodesAhead";

/** Whether replicas stay Pending, or may do. */
export const isPending = (report: Report): boolean => !standsBack(report) && report.waiting?.pending.length !== 0;
