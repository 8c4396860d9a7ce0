import { Forecaster, Outlook, Settings } from "../forecast/forecaster";
import { Trust, trust } from "../forecast/trust";
import { longestBridge } from "../history/series";
import { toleranceOf } from "../scaling/behavior";
import { Behavior } from "../scaling/schema";
import { lineAfter } from "./foresight";
import { Ask, byForecast, byLine, byLoad, policyOf } from "./policies";
import { Scenario } from "./scenario";
import { highest, Outcome, replaying, replicasNeeded } from "./simulation";

/** A load as it was, in slots of five minutes. */
export interface PastLoad {
  /** Means, oldest first, of all loads up to the same slot; NaN is a gap. */
  means: ArrayLike<number>;
  /** What one replica is to carry of it. */
  capacity: number;
}

/** What is replayed: the loads of one target, and how they are scaled for. */
export interface Replayed {
  loads: PastLoad[];
  /** HPA's rule by the load of now, or that of the short form. */
  rule: "hpa" | "short form";
  /** How loads are forecast; or on how many samples the line is fitted, where there is no more to it. */
  forecast: Settings | { historySize: number };
  maxExtraPercent: number;
  bounds: Scenario["bounds"];
  behavior?: Behavior;
  startUpSeconds: number;
  syncPeriodSeconds: number;
}

/** How one way of scaling did over the day. */
export interface Figures {
  /** Percent of the time in which a load was above what the ready replicas are to carry, by more than the tolerance. */
  underProvisionedPercent: number;
  /** Replica-hours, ready or not. */
  replicaHours: number;
  /** Changes of the number of replicas. */
  scalings: number;
}

export interface LastDay {
  mlscaler: Figures;
  hpa: Figures;
  /** The share of the day in which a forecast was trusted; absent with a mere line. */
  trusted?: number;
}

/** A day of five minutes. */
const day = 288;
const slotSeconds = 300;

/**
 * What a spec would have done on the last day of its loads, beside an HPA with the same targets: sync by sync, by the
 * decisions of the controller, with the forecaster of the controller that has learnt what came before that day. The
 * loads of syncs lie on lines between the means of five minutes. Yields between pieces of the work. Undefined when there
 * is less than a day, or less than half of it is known.
 */
export function* lastDay(replayed: Replayed): Generator<void, LastDay | undefined> {
  const { loads, forecast, bounds, behavior, startUpSeconds, syncPeriodSeconds, maxExtraPercent } = replayed;
  const slots = Math.min(...loads.map(({ means }) => means.length));
  const syncsPerSlot = Math.max(1, Math.round(slotSeconds / syncPeriodSeconds));
  const historySize = "historySize" in forecast ? forecast.historySize : 0;
  // The line needs its samples before the first sync that is judged.
  const before = 1 + Math.ceil((historySize + longestBridge) / syncsPerSlot);
  if (slots <= day) return undefined;
  const means = loads.map(load => inReplicas(load, slots));
  const first = Math.max(0, slots - day - before);
  const bySync = means.map(load => joined(load, first, syncsPerSlot));
  const needed = bySync[0]?.map((_, sync) => most(bySync.map(load => load[sync] ?? NaN))) ?? [];
  const from = (slots - day - first) * syncsPerSlot - 1;
  if (2 * needed.slice(from + 1).filter(Number.isNaN).length > day * syncsPerSlot) return undefined;

  // Loads are counted in replicas, of which each can carry as much more as HPA's rule tolerates.
  const capacity = 1 + toleranceOf(behavior).up;
  const stepSeconds = slotSeconds / syncsPerSlot;
  const scenario: Scenario = {
    ...{ capacity, utilization: 1 / capacity, startUpSeconds, syncsPerStep: 1, bounds, behavior, historySize },
    forecast: { model: "last", step: stepSeconds * 1000, horizon: 1, quantile: 0.5 },
    ...{ maxExtraPercent, from },
  };
  function* scaled(ask: Ask): Generator<void, Figures> {
    const startUpSteps = Math.ceil(startUpSeconds / stepSeconds);
    const now = replicasNeeded(most([needed[from] ?? NaN, 1]), 1);
    const replicas = Math.min(Math.max(now, bounds.min), bounds.max);
    const workload = { loads: needed, capacity, startUpSteps, stepSeconds, from };
    return figuresOf(yield* replaying(workload, replicas, policyOf(ask, scenario)), stepSeconds);
  }

  const hpa = yield* scaled(byLoad(needed, scenario));
  if ("historySize" in forecast) return { mlscaler: yield* scaled(byLineOf(needed, scenario)), hpa };
  const foreseen: number[][] = [];
  for (const [index, load] of means.entries())
    foreseen.push(yield* foreseenOf(load, forecast, bySync[index]?.slice(from + 1) ?? []));
  const uppers = Array.from({ length: 2 * day }, (_, half) => known(most(foreseen.map(one => one[half] ?? NaN))));
  const upperOf = (sync: number): number | undefined => uppers[Math.floor((2 * (sync - from)) / syncsPerSlot)];
  const reactive = replayed.rule === "hpa" ? undefined : byLine(needed, [], scenario);
  const ask = byForecast(
    needed,
    needed.map((_, sync) => upperOf(sync)),
    scenario,
    reactive,
  );
  const trusted = uppers.filter(upper => upper !== undefined).length / uppers.length;
  return { mlscaler: yield* scaled(ask), hpa, trusted };
}

/** As the short form without a forecast block; lines are fitted as they are asked for. */
function byLineOf(loads: number[], scenario: Scenario): Ask {
  const foreseen: (number | undefined)[] = [];
  const ask = byLine(loads, foreseen, scenario);
  return (sync, replicas) => {
    foreseen[sync] = lineAfter(loads, sync, scenario.historySize);
    return ask(sync, replicas);
  };
}

/**
 * The highest load to be ready for until the horizon, as the controller sees it on the last day: at the beginning of
 * each slot, and when half of it is over; NaN where the forecast is not trusted.
 * @param bySync loads of the syncs of that day
 */
function* foreseenOf(means: number[], settings: Settings, bySync: number[]): Generator<void, number[]> {
  const from = means.length - day;
  const forecaster = yield* Forecaster.replay(settings, means.slice(0, from));
  const syncs = bySync.length / day;
  const foreseen: number[] = [];
  const upperOf = (outlook: Outlook | undefined): number => (outlook ? highest(outlook.uppers) : NaN);
  let standing: Trust | undefined;
  for (let slot = from; slot < means.length; slot++) {
    standing = trust(standing, forecaster.score, slot * settings.step);
    if (standing.trusted) {
      const seen = bySync.slice((slot - from) * syncs, (slot - from) * syncs + Math.ceil(syncs / 2));
      const [last = NaN, now] = [means[slot - 1], seen.reduce((sum, load) => sum + load, 0) / seen.length];
      // What the running slot is going to be, as CoarseGrid reckons it: half of it is as the slot before.
      const running = Number.isNaN(last) ? now : (last + now) / 2;
      const begun = upperOf(forecaster.forecast());
      foreseen.push(begun, Number.isNaN(running) ? begun : upperOf(forecaster.forecast(running)));
    } else {
      foreseen.push(NaN, NaN);
    }
    yield;
    yield* forecaster.observeAll([means[slot] ?? NaN]);
    yield;
  }
  return foreseen;
}

/** The newest slots of a load, counted in the replicas that are to carry it. */
const inReplicas = ({ means, capacity }: PastLoad, slots: number): number[] =>
  Array.from({ length: slots }, (_, slot) => (means[means.length - slots + slot] ?? NaN) / capacity);

/** The loads of syncs, from slot `first` on: on lines between the middles of slots; beside a gap as the slot is. */
function joined(means: number[], first: number, syncsPerSlot: number): number[] {
  return Array.from({ length: (means.length - first) * syncsPerSlot }, (_, sync) => {
    const slot = first + Math.floor(sync / syncsPerSlot);
    const after = ((sync % syncsPerSlot) + 0.5) / syncsPerSlot - 0.5;
    const [mean = NaN, other = NaN] = [means[slot], means[slot + Math.sign(after)]];
    return Number.isNaN(other) ? mean : mean + (other - mean) * Math.abs(after);
  });
}

function figuresOf({ underProvisionedPercent, actionsPerDay, replicas }: Outcome, stepSeconds: number): Figures {
  const replicaHours = (replicas.reduce((sum, count) => sum + count, 0) * stepSeconds) / 3600;
  return { underProvisionedPercent, replicaHours, scalings: Math.round(actionsPerDay) };
}

/** The highest of those that are numbers; NaN when none is. */
const most = (values: number[]): number =>
  values.reduce((one, other) => (one >= other || Number.isNaN(other) ? one : other), NaN);

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);
