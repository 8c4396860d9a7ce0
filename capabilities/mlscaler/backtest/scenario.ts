import { Settings } from "../forecast/forecaster";
import { Behavior } from "../scaling/behavior-schema";

/** A target, its scaling and its forecast. */
export interface Scenario {
  /** The load that one ready replica can serve. */
  capacity: number;
  /** The target load of one replica over its capacity. */
  utilization: number;
  startUpSeconds: number;
  /** Syncs per step of the loads, at least 1. */
  syncsPerStep: number;
  bounds: { min: number; max: number };
  behavior?: Behavior;
  /** The number of loads that the line of the short form is fitted to. */
  historySize: number;
  forecast: Settings;
  /** The most, in percent, by which a forecast may raise the count above the reactive one. */
  maxExtraPercent: number;
  /** The first decision follows this slot. The slots before it are history. */
  from: number;
}
