import type { Loads } from "./loads";
import type { Work } from "./work";

/**
 * How much a slot may cost: "state" keeps what runs along (stored history, long ago), "seldom" refits now and then
 * (stored history that forecasts are scored on), "live" refits as often as it pays.
 */
export type Effort = "state" | "seldom" | "live";

/** A model: forecasts loads from those before. One instance a workload. */
export interface Expert {
  readonly name: string;
  /** Learns from the newest slot, once for each slot, gaps included. Absent: there is nothing to keep. */
  learn?(loads: Loads, effort: Effort): void;
  /** What the newest slot gives to do that takes long; to be done before the next slot is learnt from. */
  refit?(loads: Loads, effort: Effort): Work | undefined;
  /**
   * Writes the loads 1, 2, … slots after the newest to `into`, NaN where there is no forecast. The newest slot is one
   * that was learnt from, or one that is still running.
   */
  predict(loads: Loads, into: Float64Array): void;
}
