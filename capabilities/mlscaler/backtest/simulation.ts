/** A load, and the replicas that are to carry it. */
export interface Workload {
  /** Mean load of each slot, oldest first; NaN is a gap, in which nothing is judged. */
  loads: ArrayLike<number>;
  /** The load that one ready replica can serve; what is beyond is lost. */
  capacity: number;
  /** Replicas added after slot k was seen serve from slot k + startUpSteps + 1 on. */
  startUpSteps: number;
  /** Seconds from one slot to the next. */
  stepSeconds: number;
  /** The first slot after which is decided; what comes after it is judged. */
  from: number;
}

/** The replicas that there are to be, decided once `slot` is over: it may look at the loads up to and including it. */
export type Policy = (slot: number, replicas: number) => number;

/** How a policy did, over the slots from `from` + 1 on. */
export interface Outcome {
  /** Percent of the slots in which the ready replicas could not serve all. */
  underProvisionedPercent: number;
  /** Percent of the load that was lost. */
  unservedPercent: number;
  /** Replica-hours, ready or not, over those of an oracle that has just enough replicas ready in each slot. */
  replicaHoursRatio: number;
  /** Replica-hours beyond the oracle's in each slot, in percent of all of the oracle's. */
  overProvisionedPercent: number;
  /** Changes of the number of replicas. */
  actionsPerDay: number;
  /** Replicas asked for and ready during each slot from `from` + 1 on. */
  replicas: number[];
  ready: number[];
}

/** The scaling of the comparison that the targets of the forecast were measured with. */
export interface Comparison extends Workload {
  /** The share of its capacity that a replica is to be used for: replicas = ceil(load / (capacity × utilization)). */
  utilization: number;
  /** By the load of now with HPA's tolerance, by the forecast, or by the higher of both. */
  policy: "reactive" | "predictive" | "hybrid";
  /** For each slot the forecasts of the next ones, 1 to startUpSteps + 1 steps ahead: the highest counts. Not for reactive. */
  quantiles?: ArrayLike<ArrayLike<number>>;
}

const tolerance = 0.1;
const stabilizationSeconds = 300;
const limitPeriodSeconds = 15;
const mostReplicas = 1000;

/** The replicas that a load needs, at least 1; a hair above a whole number is that number. */
export const replicasNeeded = (load: number, perReplica: number): number =>
  Math.max(1, Math.ceil(load / perReplica - 1e-9));

/**
 * The simulation that forecasts are compared in: one decision a step, HPA's tolerance of 0.1, its 300 s of stabilisation
 * on the way down (the recommendation exactly 300 s old included), growth to max(replicas + 4, 2 × replicas) every 15 s,
 * 1 to 1000 replicas. It is a yardstick that must not move, so it does not go through scaling/decide.ts, which is HPA to
 * the letter: there the window is open at its old end and growth without `behavior` is max(2 × replicas, 4). What a
 * spec would do is replayed by the policies in policies.ts, in the same loop.
 */
export function simulate({ utilization, policy, quantiles = [], ...workload }: Comparison): Outcome {
  const { loads, capacity, stepSeconds, from } = workload;
  const perReplica = capacity * utilization;
  const remembered = Math.max(1, Math.round(stabilizationSeconds / stepSeconds)) + 1;
  const recommendations: number[] = [];

  const reactive = (load: number, replicas: number): number =>
    Math.abs(load / (perReplica * replicas) - 1) <= tolerance ? replicas : replicasNeeded(load, perReplica);
  const predictive = (slot: number): number => replicasNeeded(highest(quantiles[slot] ?? []), perReplica);

  const first = replicasNeeded(loads[from] ?? NaN, perReplica);
  return replay(workload, first, (slot, replicas) => {
    const recommended = Math.max(
      policy === "predictive" ? 0 : reactive(loads[slot] ?? NaN, replicas),
      policy === "reactive" ? 0 : predictive(slot),
    );
    recommendations.push(recommended);
    if (recommendations.length > remembered) recommendations.shift();
    const stabilized = recommended >= replicas ? recommended : Math.min(replicas, highest(recommendations));
    return Math.max(1, Math.min(stabilized, mostAfter(stepSeconds, replicas), mostReplicas));
  });
}

/** How far `replicas` may grow within a step. */
function mostAfter(stepSeconds: number, replicas: number): number {
  const periods = Math.max(1, Math.round(stepSeconds / limitPeriodSeconds));
  let most = replicas;
  for (let period = 0; period < periods && most <= mostReplicas; period++) most = Math.max(most + 4, 2 * most);
  return most;
}

/** The highest of `values`; -Infinity of none. */
export function highest(values: ArrayLike<number>): number {
  let most = -Infinity;
  for (let index = 0; index < values.length; index++) most = Math.max(most, values[index] ?? -Infinity);
  return most;
}

/** `replaying`, in one go. */
export function replay(workload: Workload, first: number, policy: Policy): Outcome {
  const work = replaying(workload, first, policy);
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}

/**
 * Lets a policy scale a workload that begins with `first` replicas, all of them ready. Replicas that are added are
 * ready after the start-up; those that are removed go at once, the newest first, which are not ready yet. A slot serves
 * at most what its ready replicas can; the rest is lost, there is no queue. Every replica costs, ready or not. Yields
 * at each slot.
 */
export function* replaying(workload: Workload, first: number, policy: Policy): Generator<void, Outcome> {
  const { loads, capacity, startUpSteps, stepSeconds, from } = workload;
  const starting: { readyAt: number; count: number }[] = [];
  const asked: number[] = [];
  const serving: number[] = [];
  const sum = { slots: 0, under: 0, lost: 0, load: 0, cost: 0, over: 0, oracle: 0, actions: 0 };
  let replicas = first;
  let ready = first;

  for (let slot = from; slot < loads.length - 1; slot++) {
    yield;
    const wanted = policy(slot, replicas);
    if (wanted > replicas) starting.push({ readyAt: slot + startUpSteps + 1, count: wanted - replicas });
    else ready -= removeNewest(starting, replicas - wanted);
    if (wanted !== replicas) sum.actions++;
    replicas = wanted;
    while (starting[0] && starting[0].readyAt <= slot + 1) ready += starting.shift()?.count ?? 0;
    asked.push(replicas);
    serving.push(ready);

    const load = loads[slot + 1] ?? NaN;
    if (Number.isNaN(load)) continue;
    const needed = replicasNeeded(load, capacity);
    sum.slots++;
    sum.load += load;
    sum.lost += Math.max(0, load - ready * capacity);
    if (ready * capacity < load - 1e-9 * capacity) sum.under++;
    sum.cost += replicas;
    sum.oracle += needed;
    sum.over += Math.max(0, replicas - needed);
  }
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  const days = ((loads.length - 1 - from) * stepSeconds) / 86_400;
  return {
    underProvisionedPercent: share(100 * sum.under, sum.slots),
    unservedPercent: share(100 * sum.lost, sum.load),
    replicaHoursRatio: share(sum.cost, sum.oracle),
    overProvisionedPercent: share(100 * sum.over, sum.oracle),
    actionsPerDay: share(sum.actions, days),
    replicas: asked,
    ready: serving,
  };
}

/** Takes `count` replicas away, from those that start as far as there are any; what is left comes from the ready ones. */
function removeNewest(starting: { count: number }[], count: number): number {
  let left = count;
  for (let newest = starting.at(-1); newest && left > 0; newest = starting.at(-1)) {
    const taken = Math.min(left, newest.count);
    newest.count -= taken;
    left -= taken;
    if (newest.count === 0) starting.pop();
  }
  return left;
}
