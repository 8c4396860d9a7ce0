import { Settings } from "../forecast/forecaster";
import { Behavior } from "../scaling/rule/behavior-schema";
import { ScaleToZero } from "../scaling/zero/scale-to-zero";

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
  /** The number of loads that a line is fitted to. */
  historySize: number;
  forecast: Settings;
  /** The most, in percent, by which a forecast may raise the count above the reactive one. Absent: no limit. */
  maxExtraPercent?: number;
  /** Epoch milliseconds of the first load. Absent where seasons follow UTC. */
  begins?: number;
  /** The first decision follows this slot. The slots before it are history. */
  from: number;
  /** How the target goes to 0 and comes back; absent for a target that keeps a replica. */
  zero?: Zero;
}

/** The rules between 0 replicas and 1. */
export interface Zero {
  /** Without it HPA's rule decides. */
  block?: ScaleToZero;
  /** There is work while the load is above this. */
  threshold: number;
  /** The steps within which a forecast load keeps the target awake. */
  idleSteps: number;
}
