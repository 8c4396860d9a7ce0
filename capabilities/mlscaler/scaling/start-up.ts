import { Pod } from "./reading";

/** How long a pod is taken to start while none of the target's tells, in seconds. */
export const presumedStartUpSeconds = 60;

/** A pod that was Ready only later than this lost its readiness in between, and says nothing of its start. */
const longestStartUpSeconds = 900;

/**
 * How long the target's pods take from their creation until they are Ready, in seconds: what nine of ten of those that
 * are Ready stayed under. Pure.
 */
export function startUpSeconds(pods: Pod[]): number {
  const times = pods
    .flatMap(({ createdAt, ready }) =>
      createdAt !== undefined && ready?.status ? [(ready.since - createdAt) / 1000] : [],
    )
    .filter(seconds => seconds >= 0 && seconds <= longestStartUpSeconds)
    .sort((one, other) => one - other);
  return times[Math.ceil(0.9 * times.length) - 1] ?? presumedStartUpSeconds;
}
