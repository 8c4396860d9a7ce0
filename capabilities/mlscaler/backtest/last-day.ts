import { Outlook, Settings } from "../forecast/forecaster";
import { daySlots as day, slotMilliseconds } from "../history/retention";
import { longestBridge } from "../history/series";
import { toleranceOf } from "../scaling/rule/behavior";
import { type Metric, isCountedPerUnit } from "../metrics/registry";
import { Behavior } from "../scaling/rule/behavior-schema";
import { autoscalerOf, type Policy } from "./autoscalers";
import { lineAfter } from "../forecast/models/line";
import { origins } from "./origins";
import { Figures, replaying, replicasNeeded } from "./replay";
import { type Rises, risesOf } from "./rises";
import { Scenario } from "./scenario";

/** A recorded load in slots of five minutes. */
export interface PastLoad {
  /** The means, oldest first. The loads of a target end at the same slot. NaN is a gap. */
  means: ArrayLike<number>;
  /** The target load of one replica. */
  capacity: number;
}

/** The loads of a target and its scaling. */
export interface Replayed {
  loads: PastLoad[];
  /** Epoch milliseconds of the end of the loads. Absent where seasons follow UTC. */
  ends?: number;
  metrics: Metric[];
  /** The forecast of the loads; without a forecast block only the number of samples that the line is fitted to. */
  forecast: Settings | { historySize: number };
  maxExtraPercent?: number;
  bounds: Scenario["bounds"];
  behavior?: Behavior;
  startUpSeconds: number;
  syncPeriodSeconds: number;
}

/** The result of an autoscaler over the day. */
interface DayFigures {
  /** Percent of the time in which a load was above the target of the ready replicas, beyond the tolerance. */
  underProvisionedPercent: number;
  /** Replica-hours, ready or not. */
  replicaHours: number;
  /** Changes of the count. */
  scalings: number;
}

export interface LastDay {
  mlscaler: DayFigures;
  hpa: DayFigures;
  /** The share of the day in which a forecast may act; absent without a forecast block. */
  trusted?: number;
  /** The rises that forecasts asked for; absent without a forecast block. */
  rises?: Rises;
}

const slotSeconds = slotMilliseconds / 1000;

/**
 * Replays a spec and an HPA with the same targets on the last day of the loads. Each sync decides as the controller
 * does. The forecaster has learned the loads before that day. The load of a sync lies on the line between the means of
 * two slots. Yields between pieces of work. Undefined when the loads are shorter than a day, or when less than half of
 * the day is known.
 */
export function* lastDay(replayed: Replayed): Generator<void, LastDay | undefined> {
  const { loads, forecast, bounds, behavior, startUpSeconds, syncPeriodSeconds, maxExtraPercent } = replayed;
  const slots = Math.min(...loads.map(({ means }) => means.length));
  const syncsPerSlot = Math.max(1, Math.round(slotSeconds / syncPeriodSeconds));
  const historySize = "historySize" in forecast ? forecast.historySize : 0;
  // The line needs its samples before the first scored sync.
  const before = 1 + Math.ceil((historySize + longestBridge) / syncsPerSlot);
  if (slots <= day) return undefined;
  const means = loads.map(load => inReplicas(load, slots));
  const first = Math.max(0, slots - day - before);
  const bySync = means.map(load => interpolated(load, first, syncsPerSlot));
  const needed = bySync[0]?.map((_, sync) => most(bySync.map(load => load[sync] ?? NaN))) ?? [];
  const from = (slots - day - first) * syncsPerSlot - 1;
  if (2 * needed.slice(from + 1).filter(Number.isNaN).length > day * syncsPerSlot) return undefined;

  // The unit of a load is a replica's target. A replica is under-provisioned only beyond HPA's tolerance.
  const capacity = 1 + toleranceOf(behavior).up;
  const stepSeconds = slotSeconds / syncsPerSlot;
  const scenario: Scenario = {
    ...{ capacity, utilization: 1 / capacity, startUpSeconds, syncsPerStep: 1, bounds, behavior, historySize },
    forecast: { model: "last", step: stepSeconds * 1000, horizon: 1, quantile: 0.5 },
    ...{ maxExtraPercent, from },
  };
  function* scaled(policy: Policy): Generator<void, DayFigures> {
    const startUpSteps = Math.ceil(startUpSeconds / stepSeconds);
    const now = replicasNeeded(most([needed[from] ?? NaN, 1]), 1);
    const replicas = Math.min(Math.max(now, bounds.min), bounds.max);
    const workload = { loads: needed, capacity, startUpSteps, stepSeconds, from };
    return dayFigures(yield* replaying(workload, replicas, autoscalerOf(needed, policy, scenario)), stepSeconds);
  }

  const hpa = yield* scaled({});
  if ("historySize" in forecast) {
    const foreseen = yield* lineForecasts(needed, scenario);
    return { mlscaler: yield* scaled({ foreseen, rule: "per unit" }), hpa };
  }
  const highest: number[][] = [];
  const begins = (replayed.ends ?? 0) - slots * slotMilliseconds;
  for (const [index, load] of means.entries())
    highest.push(yield* highestForecasts(load, forecast, bySync[index]?.slice(from + 1) ?? [], begins));
  const uppers = Array.from({ length: 2 * day }, (_, half) => known(most(highest.map(one => one[half] ?? NaN))));
  const foreseen = needed.map((_, sync) => uppers[Math.floor((2 * (sync - from)) / syncsPerSlot)]);
  const rule = replayed.metrics.some(isCountedPerUnit) ? "per unit" : "hpa";
  const trusted = uppers.filter(upper => upper !== undefined).length / uppers.length;
  const rises = risesOf(needed, foreseen, scenario);
  return { mlscaler: yield* scaled({ foreseen, rule }), hpa, trusted, rises };
}

/** The forecasts of a line from each sync of the day. Yields after each. */
function* lineForecasts(loads: number[], { from, historySize }: Scenario): Generator<void, (number | undefined)[]> {
  const forecasts: (number | undefined)[] = [];
  for (let sync = from; sync < loads.length; sync++) {
    forecasts[sync] = lineAfter(loads, sync, historySize);
    yield;
  }
  return forecasts;
}

/**
 * The highest upper quantile until the horizon, as the controller forecasts it on the last day: two per slot, at its
 * start and at its half; NaN while the forecast is not trusted. Yields between pieces of work.
 * @param bySync the loads of the syncs of that day
 * @param begins epoch milliseconds of the first mean
 */
function* highestForecasts(
  means: number[],
  settings: Settings,
  bySync: number[],
  begins: number,
): Generator<void, number[]> {
  const from = means.length - day;
  const syncs = bySync.length / day;
  const forecasts: number[] = [];
  const upperOf = (outlook: Outlook | undefined): number => (outlook ? Math.max(...outlook.uppers) : NaN);
  // The forecast from the end of the last slot belongs to the next day.
  for (const origin of origins(settings, means.slice(0, -1), from, begins)) {
    if (origin?.forecaster.acts) {
      const { slot, forecaster } = origin;
      const seen = bySync.slice((slot - from) * syncs, (slot - from) * syncs + Math.ceil(syncs / 2));
      const [last = NaN, now] = [means[slot - 1], seen.reduce((sum, load) => sum + load, 0) / seen.length];
      // The expected mean of the running slot, as in CoarseGrid: its second half has the mean of the slot before.
      const running = Number.isNaN(last) ? now : (last + now) / 2;
      const atStart = upperOf(forecaster.forecast());
      forecasts.push(atStart, Number.isNaN(running) ? atStart : upperOf(forecaster.forecast(running)));
    } else if (origin) {
      forecasts.push(NaN, NaN);
    }
    yield;
  }
  return forecasts;
}

/** The newest slots of a load. The unit is the target load of one replica. */
const inReplicas = ({ means, capacity }: PastLoad, slots: number): number[] =>
  Array.from({ length: slots }, (_, slot) => (means[means.length - slots + slot] ?? NaN) / capacity);

/** The loads of the syncs from slot `first` on, interpolated between the middles of slots; next to a gap the mean. */
function interpolated(means: number[], first: number, syncsPerSlot: number): number[] {
  return Array.from({ length: (means.length - first) * syncsPerSlot }, (_, sync) => {
    const slot = first + Math.floor(sync / syncsPerSlot);
    const after = ((sync % syncsPerSlot) + 0.5) / syncsPerSlot - 0.5;
    const [mean = NaN, other = NaN] = [means[slot], means[slot + Math.sign(after)]];
    return Number.isNaN(other) ? mean : mean + (other - mean) * Math.abs(after);
  });
}

function dayFigures({ underProvisionedPercent, actionsPerDay, replicas }: Figures, stepSeconds: number): DayFigures {
  const replicaHours = (replicas.reduce((sum, count) => sum + count, 0) * stepSeconds) / 3600;
  return { underProvisionedPercent, replicaHours, scalings: Math.round(actionsPerDay) };
}

/** The highest number of `values`; NaN when there is none. */
const most = (values: number[]): number =>
  values.reduce((one, other) => (one >= other || Number.isNaN(other) ? one : other), NaN);

const known = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);
