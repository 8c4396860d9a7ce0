import type { Loads } from "../loads";
import type { Sliced } from "../sliced";

/** When models are refitted: on schedule, or rarely, for the stored history that forecasts are scored on. */
export type Refits = "seldom" | "live";

/** A model that forecasts loads from earlier loads. Each load has its own instance. */
export interface Expert {
  readonly name: string;
  /** Learns from the newest slot; called once for each slot, gaps included. Absent in a stateless model. */
  learn?(loads: Loads): void;
  /** The refit that the newest slot makes due, if any. The caller finishes it before the next call of `learn`. */
  refit?(loads: Loads, refits: Refits): Sliced | undefined;
  /**
   * Writes the forecast 1, 2, … slots after the newest slot to `into`; NaN where there is none. The newest slot is
   * either the last slot that the model learned from, or the running slot after it.
   */
  predict(loads: Loads, into: Float64Array): void;
}
