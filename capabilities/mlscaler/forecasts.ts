import { setImmediate as turn } from "node:timers/promises";
import { errorFields } from "../common/log";
import { placeMilliseconds } from "../common/scheduler";
import type { Forecast } from "./forecast";
import { Forecaster, Settings } from "./forecast/forecaster";
import { scoredForecasts, Trust, trust } from "./forecast/trust";
import type { Work } from "./forecast/work";
import { CoarseGrid, Place, slotMilliseconds } from "./history/coarse";
import type { Forecasting } from "./schema";

/** What is forecast, and how. */
export interface Question {
  /** The MLScaler, and which of its loads (`loadId`). */
  key: string;
  load: string;
  forecasting: Forecasting;
  /** How far ahead is looked at least. */
  horizonSeconds: number;
  /** Whether it was trusted before this process came, as far as its status says. */
  trustedBefore: boolean;
}

/** The forecast of one load. */
interface Entry {
  readonly settings: Settings;
  readonly grid: CoarseGrid;
  /** Absent until history has been replayed. */
  forecaster?: Forecaster;
  /** Up to where it has seen the grid. */
  place: Place;
  trust?: Trust;
  failure?: string;
  replaying: boolean;
  /** Whether it is wanted no more. */
  dropped: boolean;
}

/** Over so long the refits of all forecasters are spread: trees are grown anew as often. */
const phasesSeconds = 6 * 3600;

/** So many slots that came while nobody looked are taken in at once; up to so many in turns, more are replayed anew. */
const mostAtOnce = 3;
const mostInTurns = 72;

/**
 * The forecasters of all MLScalers, each fed from a coarse grid, which keeps their loads. When one is new its history is replayed first, in
 * pieces between which others run, one history at a time; refits are made the same way. Nothing that a forecaster does, a throw included, gets out.
 */
export class Forecasts {
  readonly #entries = new Map<string, Map<string, Entry>>();
  #replays: Promise<void> = Promise.resolve();
  #refits: Promise<void> = Promise.resolve();
  #turns: Promise<void> = Promise.resolve();

  /**
   * Waits for a turn of the event loop of one's own, where anything is to be forecast: many syncs that go on with the
   * same answer must not forecast all in one, in which nobody else is heard.
   */
  async turn(forecasting: Forecasting | undefined): Promise<void> {
    if (!forecasting || forecasting.model === "off") return;
    await (this.#turns = this.#turns.then(() => turn()));
  }

  /** Waits until all that was to be replayed and refitted by now is. */
  async done(): Promise<void> {
    await Promise.all([this.#replays, this.#refits]);
  }

  /** What is forecast at `now` (epoch milliseconds) of a load whose history is in `grid`. */
  of(question: Question, grid: CoarseGrid, now: number): Forecast {
    const { forecasting, horizonSeconds } = question;
    const entry = this.#entryOf(question, grid);
    const none = { model: forecasting.model, horizonSeconds, samples: 0, wanted: scoredForecasts, trusted: false };
    try {
      return { ...none, ...this.#look(entry, now) };
    } catch (error) {
      fail(entry, error);
      return { ...none, failure: entry.failure };
    }
  }

  /** Of an MLScaler only these loads are forecast. */
  keep(key: string, loads: Iterable<string>): void {
    const kept = new Set(loads);
    const entries = this.#entries.get(key);
    for (const [load, entry] of entries ?? []) {
      if (kept.has(load)) continue;
      entry.dropped = true;
      entries?.delete(load);
    }
    if (entries?.size === 0) this.#entries.delete(key);
  }

  #entryOf(question: Question, grid: CoarseGrid): Entry {
    const { key, load, trustedBefore } = question;
    const entries = this.#entries.get(key) ?? new Map<string, Entry>();
    const known = entries.get(load);
    const settings = settingsOf(question, known?.settings);
    if (known?.grid === grid && JSON.stringify(known.settings) === JSON.stringify(settings)) return known;
    const entry: Entry = { settings, grid, place: grid.place, replaying: false, dropped: false };
    // Another model has its own trust to earn.
    if (known?.settings.model === settings.model) entry.trust = known.trust;
    else if (!known && trustedBefore) entry.trust = { trusted: true, since: 0 };
    if (known) known.dropped = true;
    this.#entries.set(key, entries.set(load, entry));
    this.#replay(entry, true);
    return entry;
  }

  #look(entry: Entry, now: number): Partial<Forecast> {
    const { grid, forecaster, failure, replaying } = entry;
    if (replaying) return { failure };
    const closed = grid.closedSince(entry.place);
    if (!closed || closed.length > mostInTurns || (!forecaster && closed.length > 0)) this.#replay(entry, true);
    else if (closed.length > mostAtOnce) this.#replay(entry, false);
    if (!forecaster || !closed || entry.replaying) return { failure };
    for (const load of closed) forecaster.observe(load);
    if (closed.length > 0 && forecaster.refits) this.#refit(entry, forecaster);
    entry.place = grid.place;
    const { origins, skill, coverage } = forecaster.score;
    entry.trust = trust(entry.trust, forecaster.score, now);
    const found = { samples: Math.min(origins, scoredForecasts), skill, coverage };
    const outlook = forecaster.forecast(grid.running);
    if (!outlook) return found;
    const { model, loads, uppers } = outlook;
    return { ...found, model, load: loads.at(-1), upper: Math.max(...uppers), trusted: entry.trust.trusted };
  }

  /** Has the forecaster take in what the grid holds when its turn comes; `anew`: all of it, or else what is new. */
  #replay(entry: Entry, anew: boolean): void {
    entry.replaying = true;
    if (anew) entry.forecaster = undefined;
    this.#replays = this.#replays.then(async () => {
      if (entry.dropped) return;
      try {
        const work = takingIn(entry);
        entry.place = entry.grid.place;
        let piece = work.next();
        for (; !piece.done; piece = work.next()) {
          await turn();
          if (entry.dropped) return;
        }
        Object.assign(entry, { forecaster: piece.value, failure: undefined });
      } catch (error) {
        fail(entry, error);
      } finally {
        entry.replaying = false;
      }
    });
  }

  /** Has the forecaster do what its newest slot left to do, when its turn comes. */
  #refit(entry: Entry, forecaster: Forecaster): void {
    this.#refits = this.#refits.then(async () => {
      try {
        do await turn();
        while (!entry.dropped && forecaster.refit());
      } catch (error) {
        if (entry.forecaster === forecaster) fail(entry, error);
      }
    });
  }
}

/** The taking in of what the grid of an entry holds, as far as its forecaster has not seen it. */
function takingIn({ forecaster, grid, place, settings }: Entry): Work<Forecaster> {
  const closed = forecaster && grid.closedSince(place);
  if (closed) return forecaster.observeAll(closed);
  const loads = grid.loads();
  const first = grid.place.next - loads.length;
  return Forecaster.replay(settings, loads, { at: slot => grid.at(first + slot) });
}

/** It begins anew from its history, with the next slot. */
function fail(entry: Entry, error: unknown): void {
  Object.assign(entry, { forecaster: undefined, failure: errorFields(error).error, place: entry.grid.place });
}

/** How a load is forecast. A horizon that has become shorter by little would only mean to begin anew. */
export function settingsOf(
  { key, forecasting, horizonSeconds }: Pick<Question, "key" | "forecasting" | "horizonSeconds">,
  before?: Settings,
): Settings {
  const { model, quantile_percent, seasonality } = forecasting;
  const horizon = Math.max(1, Math.ceil((1000 * horizonSeconds) / slotMilliseconds));
  const stays = before && before.horizon > horizon && before.horizon <= horizon + 1;
  return {
    model: model === "off" ? "last" : model,
    step: slotMilliseconds,
    horizon: stays ? before.horizon : horizon,
    quantile: quantile_percent / 100,
    phase: Math.floor(placeMilliseconds(key, phasesSeconds) / slotMilliseconds),
    ...(seasonality && { seasonality }),
  };
}
