import { Pod } from "../../metrics/reading";

/** The default start-up time in seconds, for targets without a Ready pod. */
export const presumedStartUpSeconds = 60;

/** The delay of metrics in seconds: metrics-server scrapes every 15 s, and each scrape covers 15 s. */
const metricDelaySeconds = 30;

/** Round horizons up so that a small change of start-up time writes no status. */
const horizonStepSeconds = 10;

/** The default horizon: the time until new replicas serve load. All values are in seconds. */
export const horizonSecondsOf = (startUp: number, period: number): number =>
  horizonStepSeconds * Math.ceil((startUp + metricDelaySeconds + period) / horizonStepSeconds);

/** A longer time means that the pod lost its readiness since its start, so it does not count. */
const longestStartUpSeconds = 900;

/**
 * The start-up time of the target's pods in seconds: the 90th percentile of the times from the node, or from the
 * creation where it is unknown since when a pod has a node, to Ready. How long a pod waits for a node is no property of
 * the pod: a full cluster would push the horizon, and with it the forecast, ever further. Pure.
 */
export const startUpSeconds = (pods: Pod[]): number => measuredStartUpSeconds(pods) ?? presumedStartUpSeconds;

/** The start-up time; undefined when no pod shows it. */
export function measuredStartUpSeconds(pods: Pod[]): number | undefined {
  const times = pods
    .flatMap(({ createdAt, scheduledAt = createdAt, ready }) =>
      scheduledAt !== undefined && ready?.status ? [(ready.since - scheduledAt) / 1000] : [],
    )
    .filter(seconds => seconds >= 0 && seconds <= longestStartUpSeconds)
    .sort((one, other) => one - other);
  return times[Math.ceil(0.9 * times.length) - 1];
}
