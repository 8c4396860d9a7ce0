import type { Loads } from "../loads";
import type { Sliced } from "../sliced";

/**
 * How much work the models do for a slot. "none" is for loads that they only look back to. "state" updates their running
 * states. "seldom" also forecasts, and refits rarely: for the stored history that forecasts are scored on. "live" refits
 * on schedule.
 */
export type Effort = "none" | "state" | "seldom" | "live";

/** A model that forecasts loads from earlier loads. Each load has its own instance. */
export interface Expert {
  readonly name: string;
  /** Learns from the newest slot; called once for each slot, gaps included. Absent in a stateless model. */
  learn?(loads: Loads, effort: Effort): void;
  /** The refit that the newest slot makes due, if any. The caller finishes it before the next call of `learn`. */
  refit?(loads: Loads, effort: Effort): Sliced | undefined;
  /**
   * Writes the forecast 1, 2, … slots after the newest slot to `into`; NaN where there is none. The newest slot is
   * either the last slot that the model learned from, or the running slot after it.
   */
  predict(loads: Loads, into: Float64Array): void;
}
