import { CoarseGrid, Cursor } from "../history/coarse-grid";
import { daySlots, slotMilliseconds } from "../history/retention";
import { defaultTolerance } from "../hpa-defaults";
import {
  firstQuantile,
  type Forecast,
  type NodesForecast,
  otherQuantiles,
  replayBegunSeconds,
  replayDeadlineSeconds,
  type Replaying,
} from "./forecast";
import { Forecaster, occurrenceOf, Settings, wantedOf } from "./forecaster";
import { noiseOf } from "./occurrence/noise";
import type { Forecasting } from "./schema";
import type { Sliced } from "./sliced";

/** One load to forecast, and how. */
export interface ForecastRequest {
  key: string;
  load: string;
  forecasting: Forecasting;
  /** The shortest horizon to forecast. */
  horizonSeconds: number;
  /** The horizon of new nodes, at least `horizonSeconds`. Absent where no nodes are asked for. */
  nodesHorizonSeconds?: number;
  /** Seconds that a target at 0 must stay idle, 0 by HPA's rule. Absent for a target that does not go to 0. */
  idleSeconds?: number;
  /** For the load of an activation: its threshold, and the cool-down that waking is tried against. */
  occurrence?: { threshold: number; coolDownSeconds: number };
  /** The MLScaler's own time within `refitPeriodSeconds`. It keeps forecasters from refitting all at once. */
  phaseMilliseconds: number;
  /**
   * Whether the status of the MLScaler trusts a forecast, of this load or another. Counts for a new forecaster only.
   */
  trustedBefore: boolean;
  /** Milliseconds of a clock that is never set. */
  uptime: number;
}

export type SettingsRequest = Pick<
  ForecastRequest,
  "forecasting" | "horizonSeconds" | "nodesHorizonSeconds" | "idleSeconds" | "occurrence" | "phaseMilliseconds"
>;

/** A forecaster, and how far it has read the grid of its load. */
interface LiveForecaster {
  readonly key: string;
  readonly settings: Settings;
  readonly grid: CoarseGrid;
  readonly leaders: readonly CoarseGrid[];
  /** The revisions of the leaders that the forecaster has learned. */
  revisions: number[];
  cursor: Cursor;
  /** Absent until the history is replayed, and after a failure. */
  forecaster?: Forecaster;
  /** Whether a replay waits or runs. */
  replaying: boolean;
  /** How soon the load usually rises, when the replay was queued. */
  slotsToRise: number;
  /** Message of the last error; a complete replay clears it. */
  failure?: string;
}

/** What forecasts one load. */
interface LiveLoad {
  current: LiveForecaster;
  /** The forecaster that takes over once it has replayed leaders that changed. */
  successor?: LiveForecaster;
  /** Whether the last forecast of the load was trusted, as far as this process and the status know. */
  awaited: boolean;
  /** The uptime at which an awaited forecast was first not there; absent while it is there. */
  absentSince?: number;
}

/** The period over which refits are spread, in seconds. Trees, the slowest models, are refitted once in it. */
export const refitPeriodSeconds = 6 * 3600;

/** Up to this number of new slots, the forecaster observes them at once. */
const mostAtOnce = 3;
/** Up to this number of new slots, the forecaster observes them in slices; with more, it replays the whole history. */
const mostInSlices = 72;

/**
 * The registry of all live forecasters: one for each load of each MLScaler. A forecaster reads the coarse grid of its
 * load. A new forecaster first replays the history of the grid. Replays and refits run in slices, one after another,
 * and give way to the event loop after each slice. Replays of awaited forecasts come first, in the order in which their
 * loads rise, and all of them rest while objects wait for their first sync. An error of a forecaster becomes the
 * `failure` of its forecast.
 */
export class Forecasters {
  readonly #live = new Map<string, Map<string, LiveLoad>>();
  #replays: Promise<void> = Promise.resolve();
  /** The replays that have not begun: one place in `#replays` each. */
  readonly #waiting = { awaited: [] as LiveForecaster[], others: [] as LiveForecaster[] };
  #refits: Promise<void> = Promise.resolve();

  /**
   * @param turn resolves in the next turn of the event loop
   * @param rest resolves when the next slice of a replay may run
   * @param wake called with the key of an MLScaler when a replay brings a forecast that acts
   */
  constructor(
    readonly turn: () => Promise<void>,
    readonly rest = turn,
    readonly wake: (key: string) => void = () => undefined,
  ) {}

  async done(): Promise<void> {
    await Promise.all([this.replayed(), this.#refits]);
  }

  /** Resolves when the replays end that wait or run now. */
  async replayed(): Promise<void> {
    await this.#replays;
  }

  /**
   * The forecast of a load from the origin `now`, in epoch milliseconds. Reports errors as `failure`; never throws.
   * @param grid the history of the load
   * @param leaders the histories of the loads that lead it
   */
  forecast(request: ForecastRequest, grid: CoarseGrid, now: number, leaders: readonly CoarseGrid[] = []): Forecast {
    const { forecasting, horizonSeconds, uptime } = request;
    const live = this.#liveOf(request, grid, leaders);
    const wanted = wantedOf(live.current.settings);
    const none = { model: forecasting.model, horizonSeconds, samples: 0, wanted, trusted: false };
    const found = this.#found(live, request, now);
    return { ...none, ...found, ...awaitedIn(live, found, uptime) };
  }

  /** Drops all forecasters of an MLScaler but those of `loads`. */
  keepOnly(key: string, loads: Iterable<string>): void {
    const kept = new Set(loads);
    const byLoad = this.#live.get(key);
    for (const [load, live] of byLoad ?? []) {
      if (kept.has(load)) continue;
      stop(live);
      byLoad?.delete(load);
    }
    if (byLoad?.size === 0) this.#live.delete(key);
  }

  drop(key: string): void {
    this.keepOnly(key, []);
  }

  /** The forecaster of a load. A missing one, or one of another grid or other settings, is replaced by a new one. */
  #liveOf(request: ForecastRequest, grid: CoarseGrid, leaders: readonly CoarseGrid[]): LiveLoad {
    const { key, load, trustedBefore } = request;
    const byLoad = this.#live.get(key) ?? new Map<string, LiveLoad>();
    const known = byLoad.get(load);
    const settings = settingsOf(request, known?.current.settings);
    if (known?.current.grid === grid && isSame(known.current.settings, settings)) {
      this.#succeed(known, leaders);
      return known;
    }
    // A forecast that has to wait for longer than before is not there for a while.
    const waits = known !== undefined && (settings.actAfter ?? 0) > (known.current.settings.actAfter ?? 0);
    const awaited = (trustedBefore || known?.awaited === true) && !waits;
    const live = { current: liveForecaster(key, settings, grid, leaders), awaited, absentSince: known?.absentSince };
    if (known) stop(known);
    this.#live.set(key, byLoad.set(load, live));
    this.#replay(live.current, awaited, true);
    return live;
  }

  /**
   * When leaders have changed, or what is known of them, the current forecaster goes on until another has replayed
   * them: a leader never makes a forecast absent.
   */
  #succeed(live: LiveLoad, leaders: readonly CoarseGrid[]): void {
    const { current, successor, awaited } = live;
    if (successor?.replaying) return;
    if (successor?.forecaster) {
      stop({ current });
      Object.assign(live, { current: successor, successor: undefined });
    } else if (successor) {
      // A replay that failed is repeated with the next slot, as that of any forecaster.
      if (successor.grid.closedSince(successor.cursor)?.length !== 0) this.#replay(successor, awaited, true);
    } else if (!current.replaying && !isOf(current, leaders)) {
      live.successor = liveForecaster(current.key, current.settings, current.grid, leaders);
      this.#replay(live.successor, awaited, true);
    }
  }

  #found(live: LiveLoad, request: SettingsRequest, now: number): Partial<Forecast> {
    try {
      return this.#outlook(live, request, now);
    } catch (error) {
      fail(live.current, error);
      return { failure: live.current.failure };
    }
  }

  /** Observes the slots closed since the last call, then forecasts; queues a replay instead when these are too many. */
  #outlook({ current: live, awaited }: LiveLoad, request: SettingsRequest, now: number): Partial<Forecast> {
    const { grid, forecaster, failure } = live;
    if (live.replaying) return { failure };
    const closed = grid.closedSince(live.cursor);
    if (!closed || closed.length > mostInSlices || (!forecaster && closed.length > 0))
      this.#replay(live, awaited, true);
    else if (closed.length > mostAtOnce) this.#replay(live, awaited, false);
    if (!forecaster || !closed || live.replaying) return { failure };
    for (const load of closed) forecaster.observe(load);
    if (closed.length > 0 && forecaster.refits) this.#refit(live, forecaster);
    live.cursor = grid.cursor;
    const { skill, coverage } = forecaster.score;
    const { samples, acts: trusted } = forecaster;
    const scored = { samples, skill, coverage };
    const leading = live.leaders.map(({ running }) => running);
    const others = request.forecasting.quantile_percent === undefined ? otherQuantiles : [];
    const quantiles = [live.settings.quantile, ...others.map(percent => percent / 100)];
    const outlook = forecaster.forecast(grid.running, quantiles, leading);
    if (!outlook) return scored;
    const { loads, uppers, model } = outlook;
    const { horizonSeconds, nodesHorizonSeconds, idleSeconds } = request;
    const goesToZero = idleSeconds !== undefined;
    const looksFurther = goesToZero || nodesHorizonSeconds !== undefined;
    const steps = looksFurther ? slotsIn(horizonSeconds) : loads.length;
    const upper = Math.max(...uppers.slice(0, steps));
    return {
      ...{ ...scored, model, load: loads[steps - 1], upper, trusted },
      ...quantilesIn(request, steps, outlook.others),
      ...(nodesHorizonSeconds !== undefined && { nodes: nodesIn(forecaster, uppers, nodesHorizonSeconds) }),
      ...(goesToZero && {
        idleUpper: Math.max(...uppers),
        noise: noiseOf(grid.slots(grid.cursor.next - daySlots, grid.cursor.next)),
      }),
      ...occurrenceIn(live.settings, forecaster, now),
    };
  }

  /** Queues a replay: of the whole history when `fresh`, or else of the slots that the forecaster has not observed. */
  #replay(live: LiveForecaster, isAwaited: boolean, fresh: boolean): void {
    live.replaying = true;
    if (fresh) live.forecaster = undefined;
    const { awaited, others } = this.#waiting;
    const queue = isAwaited ? awaited : others;
    live.slotsToRise = slotsToRise(live.grid);
    const later = queue.findIndex(other => other.slotsToRise > live.slotsToRise);
    queue.splice(later < 0 ? queue.length : later, 0, live);
    this.#replays = this.#replays.then(() => this.#replayNext(awaited.shift() ?? others.shift()));
  }

  async #replayNext(live: LiveForecaster | undefined): Promise<void> {
    if (!live?.replaying) return;
    try {
      if (!live.forecaster) live.revisions = revisionsOf(live.leaders);
      const replay = replayOf(live);
      live.cursor = live.grid.cursor;
      let slice = replay.next();
      for (; !slice.done; slice = replay.next()) {
        await this.rest();
        if (!live.replaying) return;
      }
      Object.assign(live, { forecaster: slice.value, failure: undefined });
      if (slice.value.acts) this.wake(live.key);
    } catch (error) {
      fail(live, error);
    } finally {
      live.replaying = false;
    }
  }

  #refit(live: LiveForecaster, forecaster: Forecaster): void {
    this.#refits = this.#refits.then(async () => {
      try {
        do await this.turn();
        while (live.forecaster === forecaster && forecaster.refit());
      } catch (error) {
        fail(live, error);
      }
    });
  }
}

function liveForecaster(
  key: string,
  settings: Settings,
  grid: CoarseGrid,
  leaders: readonly CoarseGrid[],
): LiveForecaster {
  const revisions = revisionsOf(leaders);
  return { key, settings, grid, leaders, revisions, cursor: grid.cursor, replaying: false, slotsToRise: Infinity };
}

/** The slots until the load rose a day ago by more than HPA tolerates; infinite where it did not within six hours. */
function slotsToRise(grid: CoarseGrid): number {
  const { next } = grid.cursor;
  const dayAgo = (slot: number): number => grid.at(next - daySlots + slot);
  for (let slot = 0; slot < daySlots / 4; slot++) if (dayAgo(slot) > (1 + defaultTolerance) * dayAgo(-1)) return slot;
  return Infinity;
}

/** Ends the replays and refits of a load that is no longer forecast by these. */
function stop({ current, successor }: Pick<LiveLoad, "current" | "successor">): void {
  for (const live of [current, successor]) if (live) Object.assign(live, { replaying: false, forecaster: undefined });
}

/** Whether an awaited forecast is absent in `found`, and since when. One that acts ends the wait. */
function awaitedIn(live: LiveLoad, found: Partial<Forecast>, uptime: number): { replaying?: Replaying } {
  if (found.trusted) Object.assign(live, { awaited: true, absentSince: undefined });
  if (found.trusted || !live.awaited) return {};
  live.absentSince ??= uptime;
  const seconds = (uptime - live.absentSince) / 1000;
  return { replaying: seconds < replayBegunSeconds ? "Begun" : seconds < replayDeadlineSeconds ? "Held" : "Overdue" };
}

/** The replay of the slots that a forecaster has not observed; of the whole grid when there is no forecaster. */
function replayOf({ forecaster, grid, leaders, cursor, settings }: LiveForecaster): Sliced<Forecaster> {
  const closed = forecaster && grid.closedSince(cursor);
  if (closed) return forecaster.observeAll(closed);
  const loads = grid.loads();
  const first = grid.cursor.next - loads.length;
  const [stored, ...leading] = [grid, ...leaders].map(of => ({ at: (slot: number) => of.at(first + slot) }));
  return Forecaster.replay(settings, loads, stored, leading, first * slotMilliseconds);
}

const revisionsOf = (grids: readonly CoarseGrid[]): number[] => grids.map(({ cursor }) => cursor.revision);

/** Whether a forecaster has learned these leaders as they are now. */
const isOf = ({ leaders: learned, revisions }: LiveForecaster, leaders: readonly CoarseGrid[]): boolean =>
  learned.length === leaders.length &&
  leaders.every((grid, which) => grid === learned[which] && grid.cursor.revision === revisions[which]);

/** Discards a forecaster after an error. The next closed slot starts a replay of the whole history. */
function fail(live: LiveForecaster, error: unknown): void {
  const failure = error instanceof Error ? error.message : String(error);
  Object.assign(live, { forecaster: undefined, failure, cursor: live.grid.cursor });
}

/**
 * The settings of a forecaster. Keeps the horizon of the settings `before` when the request is one slot shorter: a new
 * horizon costs a replay.
 */
export function settingsOf(request: SettingsRequest, before?: Settings): Settings {
  const { forecasting, horizonSeconds, nodesHorizonSeconds = 0, idleSeconds = 0, occurrence } = request;
  const { model, quantile_percent, seasonality, timezone, act_after_seconds: after } = forecasting;
  const horizon = kept(slotsIn(Math.max(horizonSeconds, nodesHorizonSeconds, idleSeconds)), before?.horizon);
  const quantile = (quantile_percent ?? firstQuantile) / 100;
  return {
    ...{ model: model === "off" ? "last" : model, step: slotMilliseconds, horizon, quantile },
    phase: Math.floor(request.phaseMilliseconds / slotMilliseconds),
    ...(seasonality && { seasonality }),
    ...(timezone !== undefined && { timezone }),
    ...(after !== undefined && { actAfter: Math.ceil((1000 * after) / slotMilliseconds) }),
    ...(occurrence && {
      occurrence: {
        threshold: occurrence.threshold,
        coolDown: Math.ceil((1000 * occurrence.coolDownSeconds) / slotMilliseconds),
        // Counted from the last whole slot: a time ahead of now reaches one slot further.
        wake: kept(slotsIn(horizonSeconds) + 1, before?.occurrence?.wake),
        idle: horizon + 1,
        least: 1 - quantile,
      },
    }),
  };
}

const isSame = (before: Settings, after: Settings): boolean => JSON.stringify(before) === JSON.stringify(after);

/** What a forecaster says until the horizon of new nodes. */
function nodesIn(forecaster: Forecaster, uppers: number[], horizonSeconds: number): NodesForecast {
  const steps = slotsIn(horizonSeconds);
  // Counted from the last whole slot: a time ahead of now reaches one slot further.
  const chances = forecaster.chances?.chances.slice(0, steps + 1);
  const upper = Math.max(...uppers.slice(0, steps));
  return { horizonSeconds, upper, ...(chances && { wake: Math.max(...chances) }) };
}

/** The quantile of a forecast, and the others that may act in its place, by step. */
function quantilesIn(
  { forecasting, nodesHorizonSeconds }: SettingsRequest,
  steps: number,
  uppersOfOthers: number[][],
): Pick<Forecast, "percent" | "others"> {
  const { quantile_percent: given } = forecasting;
  if (given !== undefined) return { percent: given };
  const others = otherQuantiles.map((percent, which) => {
    const uppers = uppersOfOthers[which] ?? [];
    const highest = (within: number): number => Math.max(...uppers.slice(0, within));
    const nodesUpper = nodesHorizonSeconds === undefined ? undefined : highest(slotsIn(nodesHorizonSeconds));
    return { percent, upper: highest(steps), nodesUpper };
  });
  return { percent: firstQuantile, others };
}

/** The chance of load, and when load is usual next. The running slot is the first after the newest observed one. */
function occurrenceIn({ occurrence }: Settings, forecaster: Forecaster, now: number): Pick<Forecast, "occurrence"> {
  const found = occurrence && occurrenceOf(forecaster, occurrence.wake, occurrence.idle);
  if (!found) return {};
  const { next } = forecaster.chances ?? {};
  if (!next) return { occurrence: found };
  const at = (Math.floor(now / slotMilliseconds) + next.ahead - 1) * slotMilliseconds;
  return { occurrence: { ...found, next: { at, chance: next.chance } } };
}

/** A number of slots, or the one before if that is one longer. */
const kept = (slots: number, before = 0): number => (before === slots + 1 ? before : slots);

/** The slots that a time ahead reaches into, at least 1. */
const slotsIn = (seconds: number): number => Math.max(1, Math.ceil((1000 * seconds) / slotMilliseconds));
