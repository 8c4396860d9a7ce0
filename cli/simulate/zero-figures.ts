/** A replayed target, sync by sync. */
export interface Replayed {
  /** The load of each sync; NaN is a gap. */
  loads: ArrayLike<number>;
  /** The wanted replicas, and those that are ready. */
  replicas: ArrayLike<number>;
  ready: ArrayLike<number>;
  /** Seconds per sync. */
  stepSeconds: number;
  /** There is work while the load is above this. */
  threshold: number;
}

/** A time in which load met no Ready replica: the first sync, and the one after the last. */
export interface ColdStart {
  from: number;
  to: number;
}

/**
 * A wake from 0 replicas:
 * - Ahead: its first load met a Ready replica.
 * - Late: load met none, before it or first in it.
 * - InVain: the target went back to 0, and there was no load before and in it.
 */
export interface Wake {
  sync: number;
  kind: "Ahead" | "Late" | "InVain";
}

/** What going to 0 cost, and what it saved. */
export interface ZeroFigures {
  coldStarts: ColdStart[];
  wakes: Wake[];
  /** Seconds in which load met no Ready replica. */
  coldSeconds: number;
  /** Percent of the load that met no Ready replica. */
  coldPercent: number;
  /** The load that met no Ready replica, in units of the load times seconds. */
  coldLoad: number;
  replicaHours: number;
  /** Replica-hours while there was no work. */
  idleReplicaHours: number;
}

/** Counts the cold starts and the wakes of a replayed target. A gap counts nowhere, and ends no cold start. Pure. */
export function zeroFiguresOf(replayed: Replayed): ZeroFigures {
  const { loads, replicas, ready, stepSeconds, threshold } = replayed;
  const sum = { cold: 0, load: 0, seconds: 0, replicas: 0, idle: 0 };
  const coldStarts: ColdStart[] = [];
  let running: ColdStart | undefined;
  for (let sync = 0; sync < ready.length; sync++) {
    const [load = NaN, wanted = 0] = [loads[sync], replicas[sync]];
    if (Number.isNaN(load)) continue;
    const works = load > threshold;
    sum.load += load;
    sum.replicas += wanted;
    if (!works) sum.idle += wanted;
    if (!works || (ready[sync] ?? 0) > 0) {
      running = undefined;
      continue;
    }
    sum.cold += load;
    sum.seconds += stepSeconds;
    if (!running) coldStarts.push((running = { from: sync, to: sync + 1 }));
    running.to = sync + 1;
  }
  return {
    coldStarts,
    wakes: wakesOf(replayed),
    coldSeconds: sum.seconds,
    coldPercent: sum.load > 0 ? (100 * sum.cold) / sum.load : 0,
    coldLoad: sum.cold * stepSeconds,
    replicaHours: (sum.replicas * stepSeconds) / 3600,
    idleReplicaHours: (sum.idle * stepSeconds) / 3600,
  };
}

/** The wakes. One at the end of the replay that has met no load yet is not judged. */
function wakesOf({ loads, replicas, ready, threshold }: Replayed): Wake[] {
  const works = (sync: number): boolean => (loads[sync] ?? NaN) > threshold;
  const wakes: Wake[] = [];
  let woken: { sync: number; kind?: Wake["kind"] } | undefined;
  for (let sync = 0; sync < replicas.length; sync++) {
    const [before = NaN, wanted = 0] = [sync === 0 ? NaN : replicas[sync - 1], replicas[sync]];
    if (before === 0 && wanted > 0) woken = { sync, kind: works(sync - 1) ? "Late" : undefined };
    if (!woken) continue;
    if (works(sync)) woken.kind ??= (ready[sync] ?? 0) > 0 ? "Ahead" : "Late";
    if (wanted > 0) continue;
    wakes.push({ sync: woken.sync, kind: woken.kind ?? "InVain" });
    woken = undefined;
  }
  if (woken?.kind) wakes.push({ sync: woken.sync, kind: woken.kind });
  return wakes;
}
