import { slotOf } from "../../history/coarse-grid";
import { daySlots } from "../../history/retention";
import type { Forecast, LoopSums } from "../../forecast/forecast";
import { type Past, toleranceOf } from "../rule/behavior";
import { atQuantile, marginFactor, noTrial, type Trial } from "./benefit";
import { Fleet } from "./fleet";
import { type Loads, settledLoads } from "../loads";
import { isCountedPerUnit } from "../../metrics/registry";
import { noPast, recommended } from "../past";
import { carriedOut, plan, type PlanFields, type World } from "../plan";
import { outlooksOf, quantilesOf } from "../propose";

export interface Outcome {
  /** Epoch milliseconds. */
  now: number;
  replicas: number;
  failedSyncs: number;
  /** Milliseconds from the creation of a replica until it serves load. */
  startUp: number;
}

/** The comparison of HPA alone with the MLScaler over the last 24 hours. */
export interface HpaComparison {
  hpaReplicas: number;
  /** The replica-hours of HPA alone minus those of the target; negative when the target used more. */
  replicaHoursSaved: number;
  /** Seconds in which a load exceeded the capacity of the ready replicas by more than HPA's tolerance. */
  underprovisionedSeconds: number;
  underprovisionedSecondsOfHpa: number;
}

const sums = ["saved", "under", "underOfHpa"] as const;

class Loop {
  readonly fleet: Fleet;
  #past: Past;
  #lastSync: number;

  constructor(replicas: number, now: number) {
    this.fleet = new Fleet(replicas);
    this.#past = recommended(noPast, now, replicas);
    this.#lastSync = now;
  }

  scale(
    spec: PlanFields,
    { bounds, totals }: World,
    loads: Loads,
    forecasts: World["forecasts"],
    { now, startUp, failedSyncs }: Outcome,
  ): void {
    const { replicas: current } = this.fleet;
    const scale = { replicas: current, observed: current };
    // The limit on a forecast's count stays out: a floor does not depend on a forecast.
    const memory = { past: this.#past, lastSync: this.#lastSync, failedSyncs: failedSyncs - 1, benefit: [] };
    const world = { scale, bounds, loads, totals, activations: [], forecasts, idle: true };
    const done = plan(spec, world, memory, now);
    const { past } = carriedOut(memory, done, scale, now);
    // After an outage, the current count stays for the stabilization window.
    this.#past = done.decision.recommended === undefined ? recommended(past, now, current) : past;
    this.#lastSync = now;
    this.fleet.scaleTo(done.decision.final, now + startUp);
  }
}

/** Control loops beside the target: HPA alone, with a margin, and with each quantile, by the same loads and rules. */
export class Shadow {
  /** The comparison at the end of the newest closed slot. */
  comparison: HpaComparison;
  /** The sums of the loops between the last two syncs. */
  trial: Trial = noTrial;
  readonly #ours: Fleet;
  readonly #hpa: Loop;
  readonly #margin: Loop;
  /** The loops that forecasts raise, by the quantile in percent. */
  readonly #raised = new Map<number, Loop>();
  /** Three sums per slot: ms × replicas saved, ms underprovisioned, ms underprovisioned of HPA. */
  readonly #day = new Float32Array(daySlots * sums.length);
  #lastSync: number;

  /** Starts at `now` (epoch ms) with the target's replicas, which count as recommended. */
  constructor(replicas: number, now: number) {
    this.#ours = new Fleet(replicas);
    this.#hpa = new Loop(replicas, now);
    this.#margin = new Loop(replicas, now);
    this.#lastSync = now;
    this.comparison = this.#compared();
  }

  get counts(): { hpa: number; margin: number; raised: Record<string, number> } {
    const count = ({ fleet }: Loop): number => fleet.replicas;
    return { hpa: count(this.#hpa), margin: count(this.#margin), raised: this.#byQuantile(count) };
  }

  /** Adds the time since the last sync to the sums, and lets each loop plan. */
  learnOutcome(spec: PlanFields, world: World, outcome: Outcome): void {
    const { now, replicas, startUp } = outcome;
    const loads = settledLoads(world.loads);
    const ahead = outlooksOf(loads, world.forecasts);
    this.#turn(slotOf(now));
    this.#raise(quantilesOf(spec), replicas, now);
    const forecasted = ahead.some(({ upper }) => upper !== undefined);
    this.#add(spec, loads, now, forecasted);
    this.#ours.scaleTo(replicas, now + startUp);
    const { sync_period_seconds, pause, behavior, forecast, on_metric_failure } = spec;
    const alone: PlanFields = { sync_period_seconds, pause, behavior, forecast, on_metric_failure };
    this.#hpa.scale(alone, world, loads, [], outcome);
    this.#margin.scale(alone, world, loads, marginsOf(ahead), outcome);
    for (const [percent, loop] of this.#raised) {
      const forecasts = world.forecasts.map(forecast => forecast && atQuantile(forecast, percent));
      loop.scale(alone, world, loads, forecasts, outcome);
    }
    this.#lastSync = now;
  }

  /** Keeps a loop for each quantile. A new one starts with the target's replicas. */
  #raise(percents: readonly number[], replicas: number, now: number): void {
    for (const known of this.#raised.keys()) if (!percents.includes(known)) this.#raised.delete(known);
    for (const percent of percents) if (!this.#raised.has(percent)) this.#raised.set(percent, new Loop(replicas, now));
  }

  #byQuantile<Value>(of: (loop: Loop) => Value): Record<string, Value> {
    return Object.fromEntries([...this.#raised].map(([percent, loop]) => [percent, of(loop)]));
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

  /** At most two periods count between two syncs, because no sync observes an outage. */
  #add(spec: PlanFields, loads: Loads, now: number, trusted: boolean): void {
    const passed = Math.max(0, Math.min(now - this.#lastSync, 2000 * spec.sync_period_seconds));
    const missing = (fleet: Fleet): number => missingOf(spec, loads, fleet.readyAt(now)) * passed;
    const under = (fleet: Fleet): number => (missing(fleet) > 0 ? passed : 0);
    const sumsOf = ({ fleet }: Loop): LoopSums => ({ replicas: fleet.replicas * passed, missing: missing(fleet) });
    const hpa = this.#hpa.fleet;
    const added = [(hpa.replicas - this.#ours.replicas) * passed, under(this.#ours), under(hpa)];
    const slot = this.#slot(slotOf(now));
    added.forEach((value, index) => (slot[index] = (slot[index] ?? 0) + value));
    const tried = trusted ? passed : 0;
    this.trial = { tried, hpa: sumsOf(this.#hpa), margin: sumsOf(this.#margin), raised: this.#byQuantile(sumsOf) };
  }

  #compared(): HpaComparison {
    const sum = (name: (typeof sums)[number]): number => {
      let all = 0;
      for (let place = sums.indexOf(name); place < this.#day.length; place += sums.length) all += this.#day[place] ?? 0;
      return all / 1000;
    };
    return {
      hpaReplicas: this.#hpa.fleet.replicas,
      replicaHoursSaved: sum("saved") / 3600,
      underprovisionedSeconds: sum("under"),
      underprovisionedSecondsOfHpa: sum("underOfHpa"),
    };
  }
}

const marginsOf = (ahead: { load?: number }[]): (Forecast | undefined)[] =>
  ahead.map(({ load }) =>
    load === undefined
      ? undefined
      : { model: "last", horizonSeconds: 0, samples: 0, wanted: 0, trusted: true, upper: load * marginFactor },
  );

/** The replicas that a load needs beyond the ready ones, by more than the tolerance; 0 when it is unknown. */
const missingOf = ({ behavior }: PlanFields, { measured }: Loads, ready: number): number =>
  Math.max(
    0,
    ...measured.map(one => {
      if (!("total" in one)) return 0;
      const tolerance = isCountedPerUnit(one.metric) ? 0 : toleranceOf(behavior).up;
      const needed = one.total.load / (one.total.capacity * (1 + tolerance + 1e-9));
      return needed > ready ? needed - ready : 0;
    }),
  );
