import { forecast } from "../forecast";
import { Forecaster } from "../forecast/forecaster";
import { scoredForecasts, Trust, trust } from "../forecast/trust";
import { continuous, longestBridge } from "../history/series";
import { Scenario } from "./scenario";
import { highest } from "./simulation";

const dayMilliseconds = 86_400_000;

/** What was foreseen when each slot was over, and how good it was. Arrays have an entry for each slot; undefined is none. */
export interface Foresight {
  /** The highest load to be ready for, over the steps of the horizon: the upper quantiles where the forecast is trusted. */
  highest: (number | undefined)[];
  /** What was foreseen for this slot, at the last step of the horizon: the load and its upper quantile. */
  loads: (number | undefined)[];
  uppers: (number | undefined)[];
  /** 1 - mean error / mean error of the last value, at the last step; absent when nothing could be judged. */
  skill?: number;
  /** The share of the loads at or under their upper quantile. */
  coverage?: number;
  /** The share of the slots in which the forecast was trusted. */
  trusted?: number;
  /** The model that weighed most at the end. */
  model?: string;
}

/**
 * The engine's own forecasts, slot by slot from `from` on, as a controller has them that was started somewhat before: what
 * was until then is replayed, as its store or a backfill would. Yields how many slots of `from` on are done.
 */
export function* foreseen(loads: number[], { forecast: settings, from }: Scenario): Generator<number, Foresight> {
  const started = Math.max(0, from - Math.max(scoredForecasts, Math.round(dayMilliseconds / settings.step)));
  const replayed = Forecaster.replay(settings, loads.slice(0, started));
  let next = replayed.next();
  for (; !next.done; next = replayed.next()) yield 0;
  const forecaster = next.value;
  const foresight = empty(loads.length);
  let standing: Trust | undefined;
  let trusted = 0;
  for (let slot = started; slot < loads.length; slot++) {
    forecaster.observe(loads[slot] ?? NaN);
    standing = trust(standing, forecaster.score, slot * settings.step);
    if (slot < from) {
      yield 0;
      continue;
    }
    const outlook = forecaster.forecast();
    if (standing.trusted) trusted++;
    if (outlook) {
      if (standing.trusted) foresight.highest[slot] = highest(outlook.uppers);
      foresight.model = outlook.model;
      set(foresight, slot + settings.horizon, outlook.loads.at(-1), outlook.uppers.at(-1));
    }
    yield slot - from;
  }
  return { ...judged(foresight, loads, settings.horizon), trusted: trusted / (loads.length - from) };
}

/** The line of the short form through its last loads, one step ahead. */
export function lineForeseen(loads: number[], { historySize, from }: Scenario): Foresight {
  const foresight = empty(loads.length);
  for (let slot = from; slot < loads.length; slot++) {
    const load = lineAfter(loads, slot, historySize);
    foresight.highest[slot] = load;
    set(foresight, slot + 1, load);
  }
  return judged(foresight, loads, 1);
}

/** What the line of the short form foresees for the step after `slot`; undefined where it has not its loads. */
export function lineAfter(loads: number[], slot: number, historySize: number): number | undefined {
  const capacity = historySize + longestBridge;
  const values = loads.slice(Math.max(0, slot + 1 - capacity), slot + 1);
  const series = { step: 1, origin: 0, capacity, last: slot, values };
  return forecast(continuous(series, slot), historySize).load;
}

/** What one would foresee who knew the trace. */
export function perfectlyForeseen(loads: number[], { forecast: { horizon }, from }: Scenario): Foresight {
  const foresight = empty(loads.length);
  for (let slot = from; slot < loads.length; slot++) {
    const coming = loads.slice(slot + 1, slot + 1 + horizon).filter(load => !Number.isNaN(load));
    if (coming.length > 0) foresight.highest[slot] = highest(coming);
    set(foresight, slot + horizon, loads[slot + horizon], loads[slot + horizon]);
  }
  return judged(foresight, loads, horizon);
}

const empty = (length: number): Foresight => ({
  highest: new Array<undefined>(length).fill(undefined),
  loads: new Array<undefined>(length).fill(undefined),
  uppers: new Array<undefined>(length).fill(undefined),
});

function set({ loads, uppers }: Foresight, slot: number, load?: number, upper?: number): void {
  if (slot >= loads.length) return;
  loads[slot] = load;
  uppers[slot] = upper;
}

/** Holds what was foreseen `steps` ahead against the loads that came. */
function judged(foresight: Foresight, loads: number[], steps: number): Foresight {
  let [error, errorOfLast, covered, quantiles] = [0, 0, 0, 0];
  for (const [slot, load] of loads.entries()) {
    const [before, expected, upper] = [loads[slot - steps] ?? NaN, foresight.loads[slot], foresight.uppers[slot]];
    if (expected === undefined || Number.isNaN(load) || Number.isNaN(before)) continue;
    error += Math.abs(load - expected);
    errorOfLast += Math.abs(load - before);
    if (upper === undefined) continue;
    quantiles++;
    if (load <= upper) covered++;
  }
  return {
    ...foresight,
    skill: errorOfLast > 0 ? 1 - error / errorOfLast : undefined,
    coverage: quantiles > 0 ? covered / quantiles : undefined,
  };
}
