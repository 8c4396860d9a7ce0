import { Forecaster, Settings } from "../forecast/forecaster";

/** A point of a trace from which its load is forecast. */
export interface Origin {
  /** The first slot that the forecaster has not observed. */
  slot: number;
  forecaster: Forecaster;
}

/**
 * Replays a forecaster over `loads`, one per slot, and yields each origin from slot `replayed` to the end of the trace.
 * Between them it yields nothing, after each piece of work. The forecaster learns the loads before slot `replayed`
 * as stored history. An origin is valid until the next step of the generator.
 * @param begins epoch milliseconds of the first load
 */
export function* origins(
  settings: Settings,
  loads: number[],
  replayed: number,
  begins = 0,
): Generator<Origin | void, void> {
  const forecaster = yield* Forecaster.replay(settings, loads.slice(0, replayed), undefined, [], begins);
  for (let slot = replayed; slot <= loads.length; slot++) {
    if (slot > replayed) yield* forecaster.observeAll([loads[slot - 1] ?? NaN]);
    yield { slot, forecaster };
  }
}
