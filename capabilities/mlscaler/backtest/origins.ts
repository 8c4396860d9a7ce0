import { Forecaster, Settings } from "../forecast/forecaster";
import { Trust, trust } from "../forecast/trust";

/** A point of a trace from which its load is forecast. */
export interface Origin {
  /** The first slot that the forecaster has not observed. */
  slot: number;
  forecaster: Forecaster;
  /** Whether the controller would trust the forecast. */
  trusted: boolean;
}

/**
 * Replays a forecaster over `loads`, one per slot, and yields each origin from slot `first` to the end of the trace.
 * Between them it yields nothing, after each piece of work. The forecaster learns the loads before slot `replayed`
 * as stored history. The verdicts on trust start at `first`. An origin is valid until the next step of the generator.
 * @param begins epoch milliseconds of the first load
 */
export function* origins(
  settings: Settings,
  loads: number[],
  replayed: number,
  first: number,
  begins = 0,
): Generator<Origin | void, void> {
  const forecaster = yield* Forecaster.replay(settings, loads.slice(0, replayed), undefined, [], begins);
  let standing: Trust | undefined;
  for (let slot = replayed; slot <= loads.length; slot++) {
    if (slot > replayed) yield* forecaster.observeAll([loads[slot - 1] ?? NaN]);
    if (slot < first) continue;
    standing = trust(standing, forecaster.score, slot * settings.step);
    yield { slot, forecaster, trusted: standing.trusted };
  }
}
