import { slotOf } from "../history/coarse-grid";
import { slotMilliseconds } from "../history/retention";
import { dayMilliseconds } from "../history/time";
import { Past } from "./behavior";
import { loops, noTrial, type LoopSums, type Trial } from "./benefit";
import { Proposed, Situation } from "./decide";
import { Fleet } from "./fleet";
import { decideNext, noPast, recommended } from "./past";
import { HpaCount } from "./target-load";

/** A sync as input of HPA alone. */
export interface ShadowedSync extends Pick<Situation, "bounds" | "pause" | "behavior" | "fallback"> {
  /** Epoch milliseconds. */
  now: number;
  /** The target's replicas after the sync. */
  replicas: number;
  /** The recommendation without a forecast for the loop of HPA alone; absent when the metrics failed. */
  hpa?: HpaCount;
  /** The recommendations with trusted forecasts, and with a margin, for their loops. */
  raised?: Proposed;
  margin?: Proposed;
  /** Whether a forecast is trusted. */
  trusted: boolean;
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
 * Control loops beside that of the target: without the forecast, with it whether it may act or not, and with a margin
 * instead. All use the same loads and the same rules. Replicas take the same time to start everywhere, so only
 * decisions differ.
 */
export class Shadow {
  /** The comparison at the end of the newest closed slot. */
  comparison: HpaComparison;
  /** The sums of the loops between the last two syncs. */
  trial: Trial = noTrial;
  readonly #ours: Fleet;
  readonly #loops: Record<(typeof loops)[number], Loop>;
  /** Three sums per slot: ms × replicas saved, ms underprovisioned, ms underprovisioned of HPA. */
  readonly #day = new Float32Array(daySlots * sums.length);
  #lastSync: number;

  /** Starts at `now` (epoch ms) with the target's replicas, which count as recommended. */
  constructor(replicas: number, now: number) {
    this.#ours = new Fleet(replicas);
    const loop = (): Loop => new Loop(replicas, now);
    this.#loops = { hpa: loop(), raised: loop(), margin: loop() };
    this.#lastSync = now;
    this.comparison = this.#compared();
  }

  /** The replicas that each loop would have now. */
  get counts(): Record<(typeof loops)[number], number> {
    const { hpa, raised, margin } = this.#loops;
    return { hpa: hpa.fleet.replicas, raised: raised.fleet.replicas, margin: margin.fleet.replicas };
  }

  /** Adds the time since the last sync to the sums, and makes the decisions of all loops. */
  observe(sync: ShadowedSync): void {
    const { now, replicas, startUp, hpa, raised, margin } = sync;
    this.#turn(slotOf(now));
    this.#add(sync);
    this.#ours.scaleTo(replicas, now + startUp);
    this.#loops.hpa.scale(hpa?.proposed, sync, this.#lastSync);
    this.#loops.raised.scale(raised, sync, this.#lastSync);
    this.#loops.margin.scale(margin, sync, this.#lastSync);
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
    const { now, period, trusted } = sync;
    const passed = Math.max(0, Math.min(now - this.#lastSync, 2 * period));
    const { hpa, raised, margin } = this.#loops;
    const missing = (fleet: Fleet): number => missingOf(sync, fleet.readyAt(now)) * passed;
    const under = (fleet: Fleet): number => (missing(fleet) > 0 ? passed : 0);
    const sumsOf = ({ fleet }: Loop): LoopSums => ({ replicas: fleet.replicas * passed, missing: missing(fleet) });
    const added = [(hpa.fleet.replicas - this.#ours.replicas) * passed, under(this.#ours), under(hpa.fleet)];
    const slot = this.#slot(slotOf(now));
    added.forEach((value, index) => (slot[index] = (slot[index] ?? 0) + value));
    this.trial = {
      ...{ tried: trusted ? passed : 0 },
      ...{ hpa: sumsOf(hpa), raised: sumsOf(raised), margin: sumsOf(margin) },
    };
  }

  #compared(): HpaComparison {
    const sum = (name: (typeof sums)[number]): number =>
      this.#day.reduce((all, one, place) => (place % sums.length === sums.indexOf(name) ? all + one : all), 0) / 1000;
    return {
      hpaReplicas: this.#loops.hpa.fleet.replicas,
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
