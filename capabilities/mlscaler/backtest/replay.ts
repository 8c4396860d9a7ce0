import { runSlices } from "../forecast/sliced";
import { FleetOnNodes, type NodePool, nodesFor, roomy } from "./nodes";

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
  /** The nodes that replicas wait for. Absent: there is always room. */
  nodes?: NodePool;
}

/** What is asked for at the end of a slot. */
export interface Wanted {
  replicas: number;
  /** Further replicas that nodes are held for. Absent is none. */
  buffer?: number;
}

/** Decides at the end of `slot`, for a target with `replicas`. It sees the loads up to `slot`. */
export type Autoscaler = (slot: number, replicas: number) => Wanted;

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
  /** Node-hours, ready or not, over those of an oracle, whose nodes just hold the needed replicas; only with nodes. */
  nodeHoursRatio?: number;
  /** The wanted and the ready replicas in each slot from `from` + 1 on. */
  replicas: number[];
  ready: number[];
  /** The nodes in each of these slots, ready or not; only with nodes. */
  nodes?: number[];
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
 * replicas. What it asks for depends on no replica that is ready.
 */
export function* replaying(workload: Workload, first: number, autoscaler: Autoscaler): Generator<void, Figures> {
  const wanted: Wanted[] = [];
  let replicas = first;
  for (let slot = workload.from; slot < workload.loads.length - 1; slot++) {
    yield;
    const next = autoscaler(slot, replicas);
    wanted.push(next);
    ({ replicas } = next);
  }
  return figuresOf(workload, first, wanted);
}

/**
 * What a workload gets from what was asked for after each slot from `from` on. Added replicas are ready after the
 * start-up time, and after their node. Removed replicas stop at once, the newest first. A slot serves at most the
 * capacity of its ready replicas. There is no queue, so the rest of the load is lost. Every replica has a cost, ready or
 * not, and so has every node.
 */
export function figuresOf(workload: Workload, first: number, wanted: Wanted[]): Figures {
  const { loads, capacity, startUpSteps, stepSeconds, from, idleUpTo, nodes: pool = roomy } = workload;
  const fleet = new FleetOnNodes(first, pool);
  const serving: number[] = [];
  const held: number[] = [];
  const sum = { slots: 0, under: 0, lost: 0, load: 0, cost: 0, oracle: 0, actions: 0, nodes: 0, onFewest: 0 };
  let current = first;
  for (const [index, { replicas, buffer }] of wanted.entries()) {
    const slot = from + 1 + index;
    fleet.scaleTo(replicas, buffer ?? 0, slot, startUpSteps);
    const ready = fleet.readyAt(slot);
    if (replicas !== current) sum.actions++;
    current = replicas;
    serving.push(ready);
    held.push(fleet.nodes);

    const load = loads[slot] ?? NaN;
    if (Number.isNaN(load)) continue;
    const needed = replicasNeeded(load, capacity, idleUpTo);
    sum.slots++;
    sum.load += load;
    sum.lost += Math.max(0, load - ready * capacity);
    if (ready * capacity < load - 1e-9 * capacity) sum.under++;
    sum.cost += replicas;
    sum.oracle += needed;
    sum.nodes += fleet.nodes;
    sum.onFewest += nodesFor(needed, pool);
  }
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const days = (wanted.length * stepSeconds) / 86_400;
  return {
    underProvisionedPercent: share(100 * sum.under, sum.slots),
    unservedPercent: share(100 * sum.lost, sum.load),
    replicaHoursRatio: share(sum.cost, sum.oracle),
    actionsPerDay: share(sum.actions, days),
    replicas: wanted.map(({ replicas }) => replicas),
    ready: serving,
    ...(workload.nodes && { nodeHoursRatio: share(sum.nodes, sum.onFewest), nodes: held }),
  };
}
