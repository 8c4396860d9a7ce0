import { setImmediate as turn } from "node:timers/promises";
import { errorFields } from "../common/log";
import type { Forecast } from "./forecast";
import { Forecaster, Settings } from "./forecast/forecaster";
import { scoredForecasts, Trust, trust } from "./forecast/trust";
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

interface Entry {
  settings: Settings;
  grid: CoarseGrid;
  /** Absent until history has been replayed. */
  forecaster?: Forecaster;
  place: Place;
  trust?: Trust;
  failure?: string;
}

/**
 * The forecasters of all MLScalers, each fed from a coarse grid. When it is new its history is replayed first, in
 * pieces between which others run, one history at a time. Nothing that a forecaster does, a throw included, gets out.
 */
export class Forecasts {
  readonly #entries = new Map<string, Map<string, Entry>>();
  #replays: Promise<void> = Promise.resolve();

  /** What is forecast now (epoch milliseconds) of a load whose history is in `grid`. */
  of(question: Question, grid: CoarseGrid, now: number): Forecast {
    const { key, load, forecasting, horizonSeconds } = question;
    const entries = this.#entries.get(key) ?? new Map<string, Entry>();
    this.#entries.set(key, entries);
    const known = entries.get(load);
    const settings = settingsOf(question, known?.settings);
    let entry = known;
    if (entry?.grid !== grid || JSON.stringify(entry.settings) !== JSON.stringify(settings)) {
      entry = { settings, grid, place: grid.place };
      entries.set(load, entry);
      this.#replay(entry);
    }
    const none = { model: forecasting.model, horizonSeconds, samples: 0, wanted: scoredForecasts, trusted: false };
    try {
      return { ...none, ...this.#look(entry, question, now) };
    } catch (error) {
      // It begins anew from its history, with the next slot.
      Object.assign(entry, { forecaster: undefined, failure: errorFields(error).error });
      return { ...none, failure: entry.failure };
    }
  }

  /** Of an MLScaler only these loads are forecast. */
  keep(key: string, loads: Iterable<string>): void {
    const kept = new Set(loads);
    const entries = this.#entries.get(key);
    for (const load of entries?.keys() ?? []) if (!kept.has(load)) entries?.delete(load);
    if (kept.size === 0) this.#entries.delete(key);
  }

  #look(entry: Entry, { trustedBefore, horizonSeconds }: Question, now: number): Partial<Forecast> {
    const { grid, forecaster } = entry;
    const closed = grid.closedSince(entry.place);
    if (!forecaster || !closed) {
      if (!closed || (entry.failure !== undefined && closed.length > 0)) this.#replay(entry);
      return { failure: entry.failure };
    }
    for (const load of closed) forecaster.observe(load);
    entry.place = grid.place;
    const { origins, skill, coverage } = forecaster.score;
    entry.trust = trust(
      entry.trust ?? (trustedBefore ? { trusted: true, since: 0 } : undefined),
      forecaster.score,
      now,
    );
    const outlook = forecaster.forecast(grid.running);
    const found = { samples: Math.min(origins, scoredForecasts), skill, coverage, horizonSeconds };
    if (!outlook) return found;
    const { model, loads, uppers } = outlook;
    const { trusted } = entry.trust;
    return { ...found, model, load: loads.at(-1), upper: Math.max(...uppers), trusted };
  }

  #replay(entry: Entry): void {
    entry.place = entry.grid.place;
    entry.forecaster = undefined;
    entry.failure = undefined;
    const { place, grid, settings } = entry;
    const loads = grid.loads();
    this.#replays = this.#replays.then(async () => {
      try {
        const replay = Forecaster.replay(settings, loads);
        let piece = replay.next();
        for (; !piece.done; piece = replay.next()) {
          await turn();
          if (entry.place !== place) return;
        }
        if (entry.place === place) entry.forecaster = piece.value;
      } catch (error) {
        entry.failure = errorFields(error).error;
      }
    });
  }
}

/** How a load is forecast. A horizon that has become shorter by little would only mean to begin anew. */
function settingsOf({ forecasting, horizonSeconds }: Question, before: Settings | undefined): Settings {
  const { model, quantile_percent, seasonality } = forecasting;
  const horizon = Math.max(1, Math.ceil((1000 * horizonSeconds) / slotMilliseconds));
  const stays = before && before.horizon > horizon && before.horizon <= horizon + 1;
  return {
    model: model === "off" ? "last" : model,
    step: slotMilliseconds,
    horizon: stays ? before.horizon : horizon,
    quantile: quantile_percent / 100,
    ...(seasonality && { seasonality }),
  };
}
