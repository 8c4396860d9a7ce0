import { withForecasts } from "../scaling/raise";
import { replicasFor } from "../scaling/per-unit";
import type { Scenario } from "./scenario";

/** How often forecasts asked for clearly more than the current load, and how often the cap held them back. */
export interface Rises {
  all: number;
  heldBack: number;
}

/** The count over that for the current load from which on a forecast asks for a rise. */
const clearly = 1.5;

/**
 * The rises that forecasts ask for. One lasts while they ask for 1.5 times the replicas of the current load, or for
 * more than they may add. Pure.
 * @param foreseen the highest forecast load until the horizon, by slot; undefined while no forecast acts
 */
export function risesOf(loads: number[], foreseen: (number | undefined)[], scenario: Scenario): Rises {
  const { maxExtraPercent, bounds, capacity, utilization, from } = scenario;
  const rises = { all: 0, heldBack: 0 };
  let running: { heldBack: boolean } | undefined;
  for (let slot = from; slot < loads.length; slot++) {
    const [load = NaN, upper] = [loads[slot], foreseen[slot]];
    if (Number.isNaN(load)) continue;
    const ahead = [{ load, upper, capacity: capacity * utilization }];
    const reactive = Math.max(bounds.min, replicasFor(load, 1 / (capacity * utilization)));
    const raised = withForecasts({ reactive, recommended: reactive }, ahead, reactive, bounds.min, maxExtraPercent);
    const { predictive = 0, recommended } = raised;
    const isHeld = predictive > recommended;
    if (!isHeld && predictive < clearly * reactive) {
      running = undefined;
      continue;
    }
    if (!running) {
      running = { heldBack: false };
      rises.all++;
    }
    if (isHeld && !running.heldBack) rises.heldBack++;
    running.heldBack ||= isHeld;
  }
  return rises;
}
