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
  /** Other upper quantiles in percent, among which the outcome chooses. Absent where the spec names one. */
  others?: readonly number[];
  /** The most, in percent, by which a forecast may raise the count above the reactive one. Absent: no limit. */
  maxExtraPercent?: number;
  /** Epoch milliseconds of the first load. Absent where seasons follow UTC. */
  begins?: number;
  /** The first decision follows this slot. The slots before it are history. */
  from: number;
  /** How the target goes to 0 and comes back; absent for a target that keeps a replica. */
  zero?: Zero;
  /** The nodes that replicas wait for; absent where there is always room. */
  nodes?: Nodes;
}

/** The nodes of a scenario. Its forecasts look as far ahead as a node and a replica on it take to start. */
export interface Nodes {
  /** The replicas that fit a node. */
  replicas: number;
  startUpSeconds: number;
  /** The horizon of replicas whose nodes are asked for before them, in steps. */
  replicaHorizon: number;
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
