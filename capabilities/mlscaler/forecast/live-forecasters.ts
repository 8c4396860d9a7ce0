import { CoarseGrid, Place } from "../history/coarse-grid";
import { slotMilliseconds } from "../history/retention";
import { dayMilliseconds } from "../history/time";
import { type Forecast, type OccurrenceForecast, replayDeadlineSeconds, type Replaying } from "./forecast";
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
  "forecasting" | "horizonSeconds" | "idleSeconds" | "occurrence" | "phaseMilliseconds"
>;

interface LiveForecaster {
  readonly settings: Settings;
  readonly grid: CoarseGrid;
  readonly leaders: readonly CoarseGrid[];
  /** The revisions of these grids that the forecaster has learned. */
  revisions: number[];
  /** The forecaster that takes over once it has replayed leaders that changed. */
  successor?: LiveForecaster;
  /** Absent until the history is replayed, and after a failure. */
  forecaster?: Forecaster;
  /** How far the forecaster has read the grid. */
  place: Place;
  /** Whether the last forecast of the load was trusted, as far as this process and the status know. */
  awaited: boolean;
  /** The uptime at which an awaited forecast was first not there; absent while it is there. */
  absentSince?: number;
  /** Message of the last error; a complete replay clears it. */
  failure?: string;
  replaying: boolean;
  /** Whether the registry no longer holds this forecaster. */
  dropped: boolean;
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
 * and give way to the event loop after each slice. Replays of awaited forecasts come first, and all of them rest while
 * objects wait for their first sync. An error of a forecaster becomes the `failure` of its forecast.
 */
export class Forecasters {
  readonly #live = new Map<string, Map<string, LiveForecaster>>();
  #replays: Promise<void> = Promise.resolve();
  /** The replays that have not begun: one place in `#replays` each. */
  readonly #waiting = { awaited: [] as LiveForecaster[], others: [] as LiveForecaster[] };
  #refits: Promise<void> = Promise.resolve();

  /**
   * @param turn resolves in the next turn of the event loop
   * @param rest resolves when the next slice of a replay may run
   */
  constructor(
    readonly turn: () => Promise<void>,
    readonly rest = turn,
  ) {}

  async done(): Promise<void> {
    await Promise.all([this.#replays, this.#refits]);
  }

  /**
   * The forecast of a load from the origin `now`, in epoch milliseconds. Reports errors as `failure`; never throws.
   * @param grid the history of the load
   * @param leaders the histories of the loads that lead it
   */
  forecast(request: ForecastRequest, grid: CoarseGrid, now: number, leaders: readonly CoarseGrid[] = []): Forecast {
    const { forecasting, horizonSeconds, uptime } = request;
    const live = this.#liveOf(request, grid, leaders);
    const wanted = wantedOf(live.settings);
    const none = { model: forecasting.model, horizonSeconds, samples: 0, wanted, trusted: false };
    const found = this.#found(live, request, now);
    return { ...none, ...found, ...replayingOf(live, found, uptime) };
  }

  /** Drops all forecasters of an MLScaler but those of `loads`. */
  keepOnly(key: string, loads: Iterable<string>): void {
    const kept = new Set(loads);
    const byLoad = this.#live.get(key);
    for (const [load, live] of byLoad ?? []) {
      if (kept.has(load)) continue;
      drop(live);
      byLoad?.delete(load);
    }
    if (byLoad?.size === 0) this.#live.delete(key);
  }

  drop(key: string): void {
    this.keepOnly(key, []);
  }

  /** The live forecaster of a load; a new one when there is none, or when its grid or its settings changed. */
  #liveOf(request: ForecastRequest, grid: CoarseGrid, leaders: readonly CoarseGrid[]): LiveForecaster {
    const { key, load, trustedBefore } = request;
    const byLoad = this.#live.get(key) ?? new Map<string, LiveForecaster>();
    const known = byLoad.get(load);
    const settings = settingsOf(request, known?.settings);
    if (known?.grid === grid && isSame(known.settings, settings)) {
      const current = this.#succeeded(known, leaders);
      byLoad.set(load, current);
      return current;
    }
    // A forecast that has to wait for longer than before is not there for a while.
    const waits = known !== undefined && (settings.actAfter ?? 0) > (known.settings.actAfter ?? 0);
    const live: LiveForecaster = {
      ...{ settings, grid, leaders, revisions: revisionsOf(leaders), place: grid.place },
      ...{ replaying: false, dropped: false },
      ...{ awaited: (trustedBefore || (known?.awaited ?? false)) && !waits, absentSince: known?.absentSince },
    };
    if (known) drop(known);
    this.#live.set(key, byLoad.set(load, live));
    this.#replay(live, true);
    return live;
  }

  /**
   * The forecaster that counts now. When leaders have changed, or what is known of them, the known one goes on until
   * another has replayed them: a leader never makes a forecast absent.
   */
  #succeeded(known: LiveForecaster, leaders: readonly CoarseGrid[]): LiveForecaster {
    const { successor } = known;
    if (successor?.forecaster && !successor.replaying) {
      drop(known);
      successor.dropped = false;
      const { awaited, absentSince } = known;
      return Object.assign(successor, { awaited, absentSince });
    }
    // A replay that failed is repeated with the next slot, as that of any forecaster.
    if (successor && !successor.replaying && successor.grid.closedSince(successor.place)?.length !== 0)
      this.#replay(successor, true);
    if (successor || known.replaying || isOf(known, leaders)) return known;
    known.successor = {
      ...{ settings: known.settings, grid: known.grid, leaders, revisions: revisionsOf(leaders) },
      ...{ place: known.grid.place, replaying: false, dropped: false, awaited: known.awaited },
    };
    this.#replay(known.successor, true);
    return known;
  }

  #found(live: LiveForecaster, request: SettingsRequest, now: number): Partial<Forecast> {
    try {
      return this.#outlook(live, request, now);
    } catch (error) {
      fail(live, error);
      return { failure: live.failure };
    }
  }

  /** Observes the slots closed since the last call, then forecasts; queues a replay instead when these are too many. */
  #outlook(live: LiveForecaster, request: SettingsRequest, now: number): Partial<Forecast> {
    const { grid, forecaster, failure, replaying } = live;
    if (replaying) return { failure };
    const closed = grid.closedSince(live.place);
    if (!closed || closed.length > mostInSlices || (!forecaster && closed.length > 0)) this.#replay(live, true);
    else if (closed.length > mostAtOnce) this.#replay(live, false);
    if (!forecaster || !closed || live.replaying) return { failure };
    for (const load of closed) forecaster.observe(load);
    if (closed.length > 0 && forecaster.refits) this.#refit(live, forecaster);
    live.place = grid.place;
    const { skill, coverage } = forecaster.score;
    const { samples, acts: trusted } = forecaster;
    const scored = { samples, skill, coverage };
    const leading = live.leaders.map(({ running }) => running);
    const outlook = forecaster.forecast(grid.running, undefined, leading);
    if (!outlook) return scored;
    const { loads, uppers, ...named } = outlook;
    if (request.idleSeconds === undefined)
      return { ...scored, ...named, load: loads.at(-1), upper: Math.max(...uppers), trusted };
    const steps = slotsIn(request.horizonSeconds);
    const upper = Math.max(...uppers.slice(0, steps));
    const atZero = { idleUpper: Math.max(...uppers), noise: noiseOf(lastDay(grid)) };
    const { wake, idle } = live.settings.occurrence ?? {};
    const found = wake && idle ? occurrenceOf(forecaster, wake, idle) : undefined;
    const occurrence = found && { ...found, ...nextOf(forecaster, now) };
    return {
      ...scored,
      ...named,
      load: loads[steps - 1],
      upper,
      ...atZero,
      trusted,
      ...(occurrence && { occurrence }),
    };
  }

  /** Queues a replay: of the whole history when `fresh`, or else of the slots that the forecaster has not observed. */
  #replay(live: LiveForecaster, fresh: boolean): void {
    live.replaying = true;
    if (fresh) live.forecaster = undefined;
    const { awaited, others } = this.#waiting;
    (live.awaited ? awaited : others).push(live);
    this.#replays = this.#replays.then(() => this.#replayNext(awaited.shift() ?? others.shift()));
  }

  async #replayNext(live: LiveForecaster | undefined): Promise<void> {
    if (!live || live.dropped) return;
    try {
      if (!live.forecaster) live.revisions = revisionsOf(live.leaders);
      const replay = replayOf(live);
      live.place = live.grid.place;
      let slice = replay.next();
      for (; !slice.done; slice = replay.next()) {
        await this.rest();
        if (live.dropped) return;
      }
      Object.assign(live, { forecaster: slice.value, failure: undefined });
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
        while (!live.dropped && forecaster.refit());
      } catch (error) {
        if (live.forecaster === forecaster) fail(live, error);
      }
    });
  }
}

/** Whether an awaited forecast is absent in `found`, and since when. One that acts ends the wait. */
function replayingOf(live: LiveForecaster, found: Partial<Forecast>, uptime: number): { replaying?: Replaying } {
  if (found.trusted) Object.assign(live, { awaited: true, absentSince: undefined });
  if (found.trusted || !live.awaited) return {};
  live.absentSince ??= uptime;
  return { replaying: uptime - live.absentSince < 1000 * replayDeadlineSeconds ? "Held" : "Overdue" };
}

/** The replay of the slots that a forecaster has not observed; of the whole grid when there is no forecaster. */
function replayOf({ forecaster, grid, leaders, place, settings }: LiveForecaster): Sliced<Forecaster> {
  const closed = forecaster && grid.closedSince(place);
  if (closed) return forecaster.observeAll(closed);
  const loads = grid.loads();
  const first = grid.place.next - loads.length;
  const [stored, ...leading] = [grid, ...leaders].map(of => ({ at: (slot: number) => of.at(first + slot) }));
  return Forecaster.replay(settings, loads, stored, leading, first * slotMilliseconds);
}

const revisionsOf = (grids: readonly CoarseGrid[]): number[] => grids.map(({ place }) => place.revision);

/** Whether a forecaster has learned these leaders as they are now. */
const isOf = ({ leaders: learned, revisions }: LiveForecaster, leaders: readonly CoarseGrid[]): boolean =>
  learned.length === leaders.length &&
  leaders.every((grid, which) => grid === learned[which] && grid.place.revision === revisions[which]);

function drop(live: LiveForecaster): void {
  live.dropped = true;
  if (live.successor) live.successor.dropped = true;
}

/** Discards a forecaster after an error. The next closed slot starts a replay of the whole history. */
function fail(live: LiveForecaster, error: unknown): void {
  const failure = error instanceof Error ? error.message : String(error);
  Object.assign(live, { forecaster: undefined, failure, place: live.grid.place });
}

/**
 * The settings of a forecaster. Keeps the horizon of the settings `before` when the request is one slot shorter: a new
 * horizon costs a replay.
 */
export function settingsOf(request: SettingsRequest, before?: Settings): Settings {
  const { forecasting, horizonSeconds, idleSeconds = 0, occurrence, phaseMilliseconds } = request;
  const { model, quantile_percent, seasonality, timezone, act_after_seconds: after } = forecasting;
  const horizon = kept(slotsIn(Math.max(horizonSeconds, idleSeconds)), before?.horizon);
  const quantile = quantile_percent / 100;
  return {
    ...{ model: model === "off" ? "last" : model, step: slotMilliseconds, horizon, quantile },
    phase: Math.floor(phaseMilliseconds / slotMilliseconds),
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

/** When load is usual next. The running slot is the first one after the newest that the forecaster knows. */
function nextOf({ chances }: Forecaster, now: number): Pick<OccurrenceForecast, "next"> {
  if (!chances?.next) return {};
  const { ahead, chance } = chances.next;
  return { next: { at: (Math.floor(now / slotMilliseconds) + ahead - 1) * slotMilliseconds, chance } };
}

/** A number of slots, or the one before if that is one longer. */
const kept = (slots: number, before = 0): number => (before === slots + 1 ? before : slots);

/** The slots that a time ahead reaches into, at least 1. */
const slotsIn = (seconds: number): number => Math.max(1, Math.ceil((1000 * seconds) / slotMilliseconds));

function lastDay(grid: CoarseGrid): number[] {
  const { next } = grid.place;
  const slots = Math.round(dayMilliseconds / slotMilliseconds);
  return Array.from({ length: slots }, (_, back) => grid.at(next - 1 - back));
}
