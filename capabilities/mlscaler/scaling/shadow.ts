import { Metric } from "../metrics/schema";
import { recent, Recommendation, remembered, ScaleEvent } from "./behavior";
import { decide, Proposed, Situation } from "./decide";
import { Proposal, propose } from "./hpa";
import { TargetState } from "./pods";

/** What the metrics ask for where nothing is forecast. */
export interface Reactive {
  /** The loads that are known, each with what one replica is to carry of it. */
  loads: { load: number; capacity: number }[];
  /** How far a load may be above what the replicas are to carry: a share, HPA's tolerance; 0 for none. */
  tolerance: number;
  /** What would be asked for of so many replicas; undefined when nothing may be. */
  asks(replicas: number): Proposed | undefined;
}

/** One sync, as far as it matters without a forecast. */
export interface ShadowedSync extends Pick<Situation, "bounds" | "pause" | "behavior" | "fallback"> {
  /** Epoch milliseconds. */
  now: number;
  /** The replicas that the target has after it. */
  replicas: number;
  /** Absent when the metrics failed. */
  reactive?: Reactive;
  /** From the creation of a replica until it carries load, in ms. */
  startUp: number;
  /** From one sync to the next, in ms. Of what passed two of them count at most: in an outage nobody knows. */
  period: number;
}

/** What HPA alone would have done, beside what was done, over the last 24 hours. */
export interface Comparison {
  /** Replicas that there would be. */
  hpaReplicas: number;
  /** Replica-hours that it would have taken more; below 0: less. */
  replicaHoursSaved: number;
  /** Seconds in which a load was above what the replicas that had started are to carry, with HPA's tolerance. */
  underprovisionedSeconds: number;
  underprovisionedSecondsOfHpa: number;
}

const slotMilliseconds = 300_000;
const daySlots = 288;

/** What is added up in each slot. */
const sums = ["saved", "under", "underOfHpa"] as const;

/**
 * The same loop without the forecast: the rules of this folder over the same loads, with a count, recommendations and
 * scalings of its own. Both sides start their replicas in the same time, so that they differ by what was decided alone.
 */
export class Shadow {
  /** As it was when the newest slot closed. */
  comparison: Comparison;
  readonly #ours: Fleet;
  readonly #hpa: Fleet;
  /** By slot of five minutes, in turn: ms × replicas saved, ms underprovisioned, and those of HPA. */
  readonly #day = new Float32Array(daySlots * sums.length);
  #recommendations: Recommendation[];
  #scaleEvents: ScaleEvent[] = [];
  #lastSync: number;

  /** Begins at `now` (epoch milliseconds) with the replicas that the target has, which count as recommended. */
  constructor(replicas: number, now: number) {
    this.#ours = new Fleet(replicas);
    this.#hpa = new Fleet(replicas);
    this.#recommendations = [{ at: now, replicas }];
    this.#lastSync = now;
    this.comparison = this.#compared();
  }

  /** The count that there would be now. */
  get replicas(): number {
    return this.#hpa.replicas;
  }

  /** Takes in what passed since the sync before, and what HPA alone would do now. */
  observe(sync: ShadowedSync): void {
    const { now, replicas, startUp } = sync;
    this.#turn(slotOf(now));
    this.#add(sync);
    this.#ours.become(replicas, now, startUp);
    this.#hpa.become(this.#decided(sync), now, startUp);
    this.#lastSync = now;
  }

  /** Closes the slots before `slot`, which is the running one. */
  #turn(slot: number): void {
    const running = slotOf(this.#lastSync);
    if (slot === running) return;
    this.comparison = this.#compared();
    // The clock was put back, or nobody looked for a day.
    if (slot < running || slot - running >= daySlots) this.#day.fill(0);
    for (let next = running + 1; next <= slot && next < running + daySlots; next++) this.#slot(next).fill(0);
  }

  #slot(slot: number): Float32Array {
    const first = (slot % daySlots) * sums.length;
    return this.#day.subarray(first, first + sums.length);
  }

  #add({ now, reactive, period }: ShadowedSync): void {
    const passed = Math.min(now - this.#lastSync, 2 * period);
    if (!(passed > 0)) return;
    const under = (fleet: Fleet): number => (isUnder(reactive, fleet.started(now)) ? passed : 0);
    const added = [(this.#hpa.replicas - this.#ours.replicas) * passed, under(this.#ours), under(this.#hpa)];
    const slot = this.#slot(slotOf(now));
    added.forEach((value, which) => (slot[which] = (slot[which] ?? 0) + value));
  }

  /** What HPA alone would have the target be, remembered as its own. */
  #decided({ now, period, bounds, pause, behavior, reactive, fallback }: ShadowedSync): number {
    const { replicas: current } = this.#hpa;
    const looksBack = remembered(behavior);
    this.#recommendations = recent(this.#recommendations, now, looksBack);
    this.#scaleEvents = recent(this.#scaleEvents, now, looksBack);
    const past = { recommendations: this.#recommendations, scaleEvents: this.#scaleEvents };
    // A time without decisions is no time in which growth was allowed.
    const lastSync = Math.max(this.#lastSync, now - period);
    const proposal = reactive?.asks(current);
    const { recommended = current, final } = decide({
      now,
      current,
      bounds,
      pause,
      behavior,
      proposal,
      // A least count holds without a forecast, too.
      fallback: fallback && "floor" in fallback ? fallback : undefined,
      lastSync,
      ...past,
    });
    // Where nothing is known the count stays, and is no sooner to fall when something is.
    this.#recommendations.push({ at: now, replicas: recommended });
    if (final !== current) this.#scaleEvents.push({ at: now, change: final - current });
    return final;
  }

  #compared(): Comparison {
    const sum = (which: (typeof sums)[number]): number =>
      this.#day.reduce((all, one, place) => (place % sums.length === sums.indexOf(which) ? all + one : all), 0) / 1000;
    return {
      hpaReplicas: this.#hpa.replicas,
      replicaHoursSaved: sum("saved") / 3600,
      underprovisionedSeconds: sum("under"),
      underprovisionedSecondsOfHpa: sum("underOfHpa"),
    };
  }
}

/** Replicas, of which the newest have not started yet. */
class Fleet {
  #starting: { from: number; count: number }[] = [];

  constructor(public replicas: number) {}

  /** What is added starts in `startUp` ms; what is removed goes at once, the newest first. */
  become(replicas: number, now: number, startUp: number): void {
    if (replicas > this.replicas) this.#starting.push({ from: now + startUp, count: replicas - this.replicas });
    let gone = this.replicas - replicas;
    for (let newest = this.#starting.at(-1); newest && gone > 0; newest = this.#starting.at(-1)) {
      const taken = Math.min(gone, newest.count);
      newest.count -= taken;
      gone -= taken;
      if (newest.count === 0) this.#starting.pop();
    }
    this.replicas = replicas;
  }

  /** How many carry load at `now`. */
  started(now: number): number {
    this.#starting = this.#starting.filter(({ from }) => from > now);
    return this.#starting.reduce((started, { count }) => started - count, this.replicas);
  }
}

const slotOf = (at: number): number => Math.floor(at / slotMilliseconds);

const isUnder = (reactive: Reactive | undefined, replicas: number): boolean =>
  reactive?.loads.some(({ load, capacity }) => load > replicas * capacity * (1 + reactive.tolerance + 1e-9)) ?? false;

/** A load as HPA knows one: a total of which each replica is to have so much. In these units it is a million. */
const total: Metric = {
  type: "External",
  external: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: "1M" } },
};
const milliOfReplica = 1e9;

/** What HPA's rule asks for of so many replicas that carry a load, whichever pods they are. Throws MetricsError. */
export function proposeTotal(
  { load, capacity }: Reactive["loads"][number],
  replicas: number,
  tolerance: TargetState["tolerance"],
): Proposal {
  // Whole numbers, as the API has them; so a hair above a full replica is that replica.
  const reading = { milli: Math.round((load / capacity) * milliOfReplica) };
  return propose(total, reading, { now: 0, pods: [], specReplicas: replicas, statusReplicas: replicas, tolerance });
}
