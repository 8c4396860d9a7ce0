import { slotOf } from "../history/coarse-grid";
import { slotMilliseconds } from "../history/retention";
import { dayMilliseconds } from "../history/time";
import { Past } from "./behavior";
import { Situation } from "./decide";
import { Fleet } from "./fleet";
import { decideNext, noPast, recommended } from "./past";
import { HpaCount } from "./target-load";

/** A sync as input of HPA alone. */
export interface ShadowedSync extends Pick<Situation, "bounds" | "pause" | "behavior" | "fallback"> {
  /** Epoch milliseconds. */
  now: number;
  /** The target's replicas after the sync. */
  replicas: number;
  /** The recommendation without a forecast for `Shadow.replicas`; absent when the metrics failed. */
  hpa?: HpaCount;
  /** Milliseconds from the creation of a replica until it serves load. */
  startUp: number;
  /** Sync period in ms. At most two periods count between two syncs, because no sync observes an outage. */
  period: number;
}

/** The comparison of HPA alone with the MLScaler over the last 24 hours. */
export interface HpaComparison {
  /** The replicas that HPA alone would have. */
  hpaReplicas: number;
  /** The replica-hours of HPA alone minus those of the target; negative when the target used more. */
  replicaHoursSaved: number;
  /** Seconds in which a load exceeded the capacity of the ready replicas by more than HPA's tolerance. */
  underprovisionedSeconds: number;
  underprovisionedSecondsOfHpa: number;
}

/** The slots of a day. */
const daySlots = dayMilliseconds / slotMilliseconds;

/** The sums per slot. */
const sums = ["saved", "under", "underOfHpa"] as const;

/**
 * The control loop without the forecast. It uses the same loads and the same rules, with its own count, recommendations
 * and scale events. Replicas of both sides take the same time to start, so only decisions differ.
 */
export class Shadow {
  /** The comparison at the end of the newest closed slot. */
  comparison: HpaComparison;
  readonly #ours: Fleet;
  readonly #hpa: Fleet;
  /** Three sums per slot: ms × replicas saved, ms underprovisioned, ms underprovisioned of HPA. */
  readonly #day = new Float32Array(daySlots * sums.length);
  #past: Past;
  #lastSync: number;

  /** Starts at `now` (epoch ms) with the target's replicas, which count as recommended. */
  constructor(replicas: number, now: number) {
    this.#ours = new Fleet(replicas);
    this.#hpa = new Fleet(replicas);
    this.#past = recommended(noPast, now, replicas);
    this.#lastSync = now;
    this.comparison = this.#compared();
  }

  /** The replicas that HPA alone would have now. */
  get replicas(): number {
    return this.#hpa.replicas;
  }

  /** Adds the time since the last sync to the sums, and makes the decision of HPA alone. */
  observe(sync: ShadowedSync): void {
    const { now, replicas, startUp } = sync;
    this.#turn(slotOf(now));
    this.#add(sync);
    this.#ours.scaleTo(replicas, now + startUp);
    this.#hpa.scaleTo(this.#decide(sync), now + startUp);
    this.#lastSync = now;
  }

  /** Closes the running slot when `slot` is a later one, and clears the slots up to `slot`. */
  #turn(slot: number): void {
    const running = slotOf(this.#lastSync);
    if (slot === running) return;
    this.comparison = this.#compared();
    // The clock was set back, or there was no sync for a day.
    if (slot < running || slot - running >= daySlots) this.#day.fill(0);
    for (let next = running + 1; next <= slot && next < running + daySlots; next++) this.#slot(next).fill(0);
  }

  #slot(slot: number): Float32Array {
    const first = (slot % daySlots) * sums.length;
    return this.#day.subarray(first, first + sums.length);
  }

  #add(sync: ShadowedSync): void {
    const { now, period } = sync;
    const passed = Math.min(now - this.#lastSync, 2 * period);
    if (!(passed > 0)) return;
    const under = (fleet: Fleet): number => (isUnder(sync, fleet.readyAt(now)) ? passed : 0);
    const added = [(this.#hpa.replicas - this.#ours.replicas) * passed, under(this.#ours), under(this.#hpa)];
    const slot = this.#slot(slotOf(now));
    added.forEach((value, index) => (slot[index] = (slot[index] ?? 0) + value));
  }

  /** Makes the decision of HPA alone and adds it to the past. */
  #decide({ now, period, bounds, pause, behavior, hpa, fallback }: ShadowedSync): number {
    const { replicas: current } = this.#hpa;
    const { decision, past } = decideNext(this.#past, {
      now,
      current,
      bounds,
      pause,
      behavior,
      idle: true,
      proposal: hpa?.proposed,
      // A floor does not depend on a forecast.
      fallback: fallback && "floor" in fallback ? fallback : undefined,
      // Growth is limited per time between decisions. An outage must not raise the limit.
      lastSync: Math.max(this.#lastSync, now - period),
    });
    // After an outage, the current count stays for the stabilization window.
    this.#past = decision.recommended === undefined ? recommended(past, now, current) : past;
    return decision.final;
  }

  #compared(): HpaComparison {
    const sum = (name: (typeof sums)[number]): number =>
      this.#day.reduce((all, one, place) => (place % sums.length === sums.indexOf(name) ? all + one : all), 0) / 1000;
    return {
      hpaReplicas: this.#hpa.replicas,
      replicaHoursSaved: sum("saved") / 3600,
      underprovisionedSeconds: sum("under"),
      underprovisionedSecondsOfHpa: sum("underOfHpa"),
    };
  }
}

const isUnder = ({ hpa }: ShadowedSync, replicas: number): boolean =>
  hpa?.loads.some(({ load, capacity }) => load > replicas * capacity * (1 + hpa.tolerance + 1e-9)) ?? false;
