import { Pod } from "./reading";

/** How long a pod is taken to start while none of the target's tells, in seconds. */
export const presumedStartUpSeconds = 60;

/** Until a change of load shows in the metrics: metrics-server asks kubelets every 15 s for what they counted in 15 s. */
export const metricDelaySeconds = 30;

/** A horizon is of so many whole seconds, lest the status be written for each pod that took a second longer. */
const horizonStepSeconds = 10;

/** How far ahead is looked where no spec says it: until new replicas start to matter. */
export const horizonSecondsOf = (startUp: number, period: number): number =>
  horizonStepSeconds * Math.ceil((startUp + metricDelaySeconds + period) / horizonStepSeconds);

/** A pod that was Ready only later than this lost its readiness in between, and says nothing of its start. */
const longestStartUpSeconds = 900;

/**
 * How long the target's pods take from their creation until they are Ready, in seconds: what nine of ten of those that
 * are Ready stayed under. Pure.
 */
export const startUpSeconds = (pods: Pod[]): number => startsWithin(pods) ?? presumedStartUpSeconds;

/** The same, undefined while no pod tells. */
export function startsWithin(pods: Pod[]): number | undefined {
  const times = pods
    .flatMap(({ createdAt, ready }) =>
      createdAt !== undefined && ready?.status ? [(ready.since - createdAt) / 1000] : [],
    )
    .filter(seconds => seconds >= 0 && seconds <= longestStartUpSeconds)
    .sort((one, other) => one - other);
  return times[Math.ceil(0.9 * times.length) - 1];
}
