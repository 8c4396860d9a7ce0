import { isLive, Pod } from "../metrics/reading";
import { measuredStartUpSeconds } from "./ahead/start-up";
import type { Counts } from "./rule/count";

/** Replicas that wait for a node, or were never created, for longer than a start takes. */
export interface Pending {
  reason: "Unschedulable" | "SchedulingGated" | "ReplicasMissing";
  replicas: number;
  /** How many, and for how long, in steps: "3 of 12 replicas are Pending for more than 5 min". */
  what: string;
  why: string;
}

export interface Waiting {
  pending: Pending[];
  /** The replicas of a target that has fewer than its spec asks for, and since when, epoch milliseconds. */
  shortage?: { replicas: number; since: number };
}

/** Shorter waits are part of a start. */
const shortestWaitSeconds = 60;

/** The steps of a wait in messages, in minutes. Each new message is a status write. */
const stepMinutes = [1, 2, 5, 10, 30, 60, 180, 360, 720, 1440];

/** Replicas Pending for a minute, and twice a start, at `now`, for want of a node or a quota. Pure. */
export function waitingOf(before: Waiting | undefined, counts: Counts, pods: Pod[], now: number): Waiting {
  const shortage = shortageOf(before?.shortage, counts, pods, now);
  const shortest = Math.max(shortestWaitSeconds, 2 * (measuredStartUpSeconds(pods) ?? 0)) * 1000;
  const missing = shortage && now - shortage.since >= shortest ? [missingOf(shortage, counts, now)] : [];
  const pending = [...unscheduledOf(counts, pods, shortest, now), ...missing];
  // The scheduler's words change with every node. Only a new count or step is news.
  const known = (one: Pending): Pending => before?.pending.find(({ what }) => what === one.what) ?? one;
  return { shortage, pending: pending.map(known) };
}

// It starts again with each replica: a StatefulSet creates its pods one by one. Pods count where no status does.
function shortageOf(
  before: Waiting["shortage"],
  { replicas: wanted, observed }: Counts,
  pods: Pod[],
  now: number,
): Waiting["shortage"] {
  const replicas = Math.max(observed, pods.filter(isLive).length);
  if (replicas >= wanted) return undefined;
  const grew = before === undefined || replicas > before.replicas;
  return { replicas, since: grew ? now : before.since };
}

function missingOf({ replicas, since }: { replicas: number; since: number }, counts: Counts, now: number): Pending {
  return {
    reason: "ReplicasMissing",
    replicas: counts.replicas - replicas,
    what: `the target has ${replicas} of ${counts.replicas} replicas for more than ${stepText(now - since)}`,
    why: "see the Events of what creates its pods, as its ReplicaSet (a quota, a webhook), or lower max_replicas",
  };
}

function unscheduledOf({ replicas }: Counts, pods: Pod[], shortest: number, now: number): Pending[] {
  const waits = pods
    .flatMap(pod => (isLive(pod) && pod.waits && now - pod.waits.since >= shortest ? [pod.waits] : []))
    .sort((one, other) => one.since - other.since);
  return (["Unschedulable", "SchedulingGated"] as const).flatMap((reason): Pending[] => {
    const those = waits.filter(wait => wait.reason === reason);
    const [longest] = those;
    if (!longest) return [];
    const what = `${those.length} of ${replicas} replicas are Pending for more than ${stepText(now - longest.since)}`;
    const remedy = reason === "Unschedulable" ? "add nodes, or lower max_replicas" : "see who set their gates";
    return [{ reason, replicas: those.length, what, why: `${longest.message && `${longest.message}; `}${remedy}` }];
  });
}

function stepText(milliseconds: number): string {
  const minutes = stepMinutes.findLast(step => step * 60_000 <= milliseconds) ?? 1;
  return minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;
}
