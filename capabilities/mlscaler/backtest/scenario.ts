import { Settings } from "../forecast/forecaster";
import { Behavior } from "../scaling/schema";

/** What is replayed: the target, how it is scaled and how its load is forecast. */
export interface Scenario {
  /** The load that one ready replica can serve. */
  capacity: number;
  /** The load that one replica is to carry, over its capacity. */
  utilization: number;
  startUpSeconds: number;
  /** Syncs in one step of the loads, at least 1. */
  syncsPerStep: number;
  bounds: { min: number; max: number };
  behavior?: Behavior;
  /** Loads that the line of the short form is fitted on. */
  historySize: number;
  forecast: Settings;
  /** How far a forecast may raise the count above the reactive one. */
  maxExtraPercent: number;
  /** The first slot after which is decided: what comes before is history only. */
  from: number;
}
