import { Pod } from "../../metrics/reading";
import { presumedNodeSeconds, usualSeconds } from "./node-waits";

/** The default start-up time in seconds, for targets without a Ready pod. */
export const presumedStartUpSeconds = 60;

/** The delay of metrics in seconds: metrics-server scrapes every 15 s, and each scrape covers 15 s. */
export const metricDelaySeconds = 30;

/** Round horizons up so that a small change of start-up time writes no status. */
const horizonStepSeconds = 10;

/** What passes until new replicas serve load, in seconds. */
export interface Lead {
  startUp: number;
  node?: number;
  /** Whether nodes are made before their pods, so that no pod waits. */
  nodesFirst: boolean;
}

/** The time from the creation of a replica until it serves load, in seconds. */
export const startSecondsOf = ({ startUp, node = 0, nodesFirst }: Lead): number => startUp + (nodesFirst ? 0 : node);

/** The horizon of nodes that are there when pods with this horizon are asked for. All values are in seconds. */
export const nodesHorizonSecondsOf = (horizon: number, { node = presumedNodeSeconds }: Lead): number =>
  horizon + tens(node);

const tens = (seconds: number): number => horizonStepSeconds * Math.ceil(seconds / horizonStepSeconds);

/** The default horizon: the time until new replicas serve load. All values are in seconds. */
export const horizonSecondsOf = (startUp: number, period: number): number =>
  tens(startUp + metricDelaySeconds + period);

/** Longer times do not count. A default horizon of more than an hour would be of little use. */
const longestStartUpSeconds = 3600;

/** A pod that lost its readiness looks like a slow start, so longer times count only where most pods have one. */
const usualStartUpSeconds = 900;

/**
 * The start-up time in seconds: the usual time from a node to Ready. A full cluster does not count: it would push the
 * horizon, and with it the forecast, ever further. Undefined when no pod shows it. Pure.
 */
export function measuredStartUpSeconds(pods: Pod[]): number | undefined {
  const times = timesToReady(pods).filter(seconds => seconds <= longestStartUpSeconds);
  const usual = times.filter(seconds => seconds <= usualStartUpSeconds);
  return usualSeconds(2 * usual.length >= times.length ? usual : times);
}

/** Whether there are Ready pods, and all took longer than counts. */
export function startsTooSlowly(pods: Pod[]): boolean {
  const times = timesToReady(pods);
  return times.length > 0 && times.every(seconds => seconds > longestStartUpSeconds);
}

const timesToReady = (pods: Pod[]): number[] =>
  pods
    .flatMap(({ createdAt, scheduledAt = createdAt, ready }) =>
      scheduledAt !== undefined && ready?.status ? [(ready.since - scheduledAt) / 1000] : [],
    )
    .filter(seconds => seconds >= 0);
