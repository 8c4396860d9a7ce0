import { slotOf } from "../history/coarse-grid";
import { slotMilliseconds } from "../history/retention";
import { dayMilliseconds } from "../history/time";
import { Past } from "./behavior";
import type { Trial } from "./benefit";
import { Proposed, Situation } from "./decide";
import { Fleet } from "./fleet";
import { decideNext, noPast, recommended } from "./past";
import type { Raised } from "./propose";
import { HpaCount } from "./target-load";

/** A sync as input of HPA alone. */
export interface ShadowedSync extends Pick<Situation, "bounds" | "pause" | "behavior" | "fallback"> {
  /** Epoch milliseconds. */
  now: number;
  /** The target's replicas after the sync. */
  replicas: number;
  /** The recommendation without a forecast for `Shadow.replicas`; absent when the metrics failed. */
  hpa?: HpaCount;
  /** The recommendation with trusted forecasts for `Shadow.raisedReplicas`. */
  raised: Raised;
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

/** A control loop with its own count, recommendations and scale events. */
class Loop {
  readonly fleet: Fleet;
  #past: Past;

  /** Starts at `now` (epoch ms) with a count, which counts as recommended. */
  constructor(replicas: number, now: number) {
    this.fleet = new Fleet(replicas);
    this.#past = recommended(noPast, now, replicas);
  }

  /** Scales by a proposal; undefined when the metrics failed. */
  scale(proposal: Proposed | undefined, sync: ShadowedSync, lastSync: number): void {
    const { now, period, bounds, pause, behavior, fallback, startUp } = sync;
    const { replicas: current } = this.fleet;
    const { decision, past } = decideNext(this.#past, {
      ...{ now, current, bounds, pause, behavior, idle: true, proposal },
      // A floor does not depend on a forecast.
      fallback: fallback && "floor" in fallback ? fallback : undefined,
      // Growth is limited per time between decisions. An outage must not raise the limit.
      lastSync: Math.max(lastSync, now - period),
    });
    // After an outage, the current count stays for the stabilization window.
    this.#past = decision.recommended === undefined ? recommended(past, now, current) : past;
    this.fleet.scaleTo(decision.final, now + startUp);
  }
}

/**
 * The control loop without the forecast, and the one with it whether it may act or not. Both use the same loads and the
 * same rules as the target. Replicas take the same time to start everywhere, so only decisions differ.
 */
export class Shadow {
  /** The comparison at the end of the newest closed slot. */
  comparison: HpaComparison;
  /** What a trusted forecast brought and cost between the last two syncs. */
  trial: Trial = { tried: 0, saved: 0, added: 0 };
  readonly #ours: Fleet;
  readonly #hpa: Loop;
  readonly #raised: Loop;
  /** Three sums per slot: ms × replicas saved, ms underprovisioned, ms underprovisioned of HPA. */
  readonly #day = new Float32Array(daySlots * sums.length);
  #lastSync: number;

  /** Starts at `now` (epoch ms) with the target's replicas, which count as recommended. */
  constructor(replicas: number, now: number) {
    this.#ours = new Fleet(replicas);
    this.#hpa = new Loop(replicas, now);
    this.#raised = new Loop(replicas, now);
    this.#lastSync = now;
    this.comparison = this.#compared();
  }

  /** The replicas that HPA alone would have now. */
  get replicas(): number {
    return this.#hpa.fleet.replicas;
  }

  /** The replicas that HPA would have if trusted forecasts raised its count. */
  get raisedReplicas(): number {
    return this.#raised.fleet.replicas;
  }

  /** Adds the time since the last sync to the sums, and makes the decisions of both loops. */
  observe(sync: ShadowedSync): void {
    const { now, replicas, startUp, hpa, raised } = sync;
    this.#turn(slotOf(now));
    this.#add(sync);
    this.#ours.scaleTo(replicas, now + startUp);
    this.#hpa.scale(hpa?.proposed, sync, this.#lastSync);
    this.#raised.scale(raised.proposed, sync, this.#lastSync);
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
    const { now, period, raised } = sync;
    const passed = Math.max(0, Math.min(now - this.#lastSync, 2 * period));
    const missing = (fleet: Fleet): number => missingOf(sync, fleet.readyAt(now)) * passed;
    const under = (fleet: Fleet): number => (missing(fleet) > 0 ? passed : 0);
    const [hpa, withForecast] = [this.#hpa.fleet, this.#raised.fleet];
    const added = [(hpa.replicas - this.#ours.replicas) * passed, under(this.#ours), under(hpa)];
    const slot = this.#slot(slotOf(now));
    added.forEach((value, index) => (slot[index] = (slot[index] ?? 0) + value));
    this.trial = {
      tried: raised.trusted ? passed : 0,
      saved: missing(hpa) - missing(withForecast),
      added: (withForecast.replicas - hpa.replicas) * passed,
    };
  }

  #compared(): HpaComparison {
    const sum = (name: (typeof sums)[number]): number =>
      this.#day.reduce((all, one, place) => (place % sums.length === sums.indexOf(name) ? all + one : all), 0) / 1000;
    return {
      hpaReplicas: this.#hpa.fleet.replicas,
      replicaHoursSaved: sum("saved") / 3600,
      underprovisionedSeconds: sum("under"),
      underprovisionedSecondsOfHpa: sum("underOfHpa"),
    };
  }
}

/** The replicas that a load needs beyond the ready ones, by more than the tolerance; 0 when it is unknown. */
const missingOf = ({ hpa }: ShadowedSync, ready: number): number =>
  Math.max(
    0,
    ...(hpa?.loads ?? []).map(({ load, capacity }) => {
      const needed = load / (capacity * (1 + (hpa?.tolerance ?? 0) + 1e-9));
      return needed > ready ? needed - ready : 0;
    }),
  );
