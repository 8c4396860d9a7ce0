import { runSlices } from "../forecast/sliced";
import { Fleet } from "../scaling/ahead/fleet";

/** A load and the replicas that serve it. */
export interface Workload {
  /** The mean load of each slot, oldest first; NaN is a gap. Slots with a gap are not scored. */
  loads: ArrayLike<number>;
  /** The load that one ready replica can serve. Load above it is lost. */
  capacity: number;
  /** Replicas added after slot k serve from slot k + startUpSteps + 1 on. */
  startUpSteps: number;
  /** Seconds per slot. */
  stepSeconds: number;
  /** The first decision follows this slot. The slots after it are scored. */
  from: number;
  /** A load up to this value needs no replica. Absent: every load needs at least one. */
  idleUpTo?: number;
}

/** Decides on the count at the end of `slot`, for a target with `replicas`. It sees the loads up to `slot`. */
export type Autoscaler = (slot: number, replicas: number) => number;

/** The result of a replay, over the slots from `from` + 1 on. */
export interface Figures {
  /** Percent of the slots in which the load was above the capacity of the ready replicas. */
  underProvisionedPercent: number;
  /** Percent of the load that was lost. */
  unservedPercent: number;
  /** Replica-hours, ready or not, over those of an oracle, whose ready replicas are exactly the needed ones. */
  replicaHoursRatio: number;
  /** Changes of the count per day. */
  actionsPerDay: number;
  /** The wanted and the ready replicas in each slot from `from` + 1 on. */
  replicas: number[];
  ready: number[];
}

/**
 * The replicas that a load needs: none up to `idleUpTo`, else at least 1. A rounding error above a whole number adds no
 * replica.
 */
export const replicasNeeded = (load: number, perReplica: number, idleUpTo = -Infinity): number =>
  load <= idleUpTo ? 0 : Math.max(1, Math.ceil(load / perReplica - 1e-9));

/** Runs `replaying` to its end. */
export const replay = (workload: Workload, first: number, autoscaler: Autoscaler): Figures =>
  runSlices(replaying(workload, first, autoscaler));

/**
 * Replays a workload that an autoscaler scales, and yields at each slot. The workload starts with `first` ready
 * replicas. Added replicas are ready after the start-up time. Removed replicas stop at once, the newest first. A slot
 * serves at most the capacity of its ready replicas. There is no queue, so the rest of the load is lost. Every replica
 * has a cost, ready or not.
 */
export function* replaying(workload: Workload, first: number, autoscaler: Autoscaler): Generator<void, Figures> {
  const { loads, capacity, startUpSteps, stepSeconds, from, idleUpTo } = workload;
  const fleet = new Fleet(first);
  const wanted: number[] = [];
  const serving: number[] = [];
  const sum = { slots: 0, under: 0, lost: 0, load: 0, cost: 0, oracle: 0, actions: 0 };

  for (let slot = from; slot < loads.length - 1; slot++) {
    yield;
    const { replicas: current } = fleet;
    const replicas = autoscaler(slot, current);
    fleet.scaleTo(replicas, slot + startUpSteps + 1);
    const ready = fleet.readyAt(slot + 1);
    if (replicas !== current) sum.actions++;
    wanted.push(replicas);
    serving.push(ready);

    const load = loads[slot + 1] ?? NaN;
    if (Number.isNaN(load)) continue;
    const needed = replicasNeeded(load, capacity, idleUpTo);
    sum.slots++;
    sum.load += load;
    sum.lost += Math.max(0, load - ready * capacity);
    if (ready * capacity < load - 1e-9 * capacity) sum.under++;
    sum.cost += replicas;
    sum.oracle += needed;
  }
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const days = ((loads.length - 1 - from) * stepSeconds) / 86_400;
  return {
    underProvisionedPercent: share(100 * sum.under, sum.slots),
    unservedPercent: share(100 * sum.lost, sum.load),
    replicaHoursRatio: share(sum.cost, sum.oracle),
    actionsPerDay: share(sum.actions, days),
    replicas: wanted,
    ready: serving,
  };
}
