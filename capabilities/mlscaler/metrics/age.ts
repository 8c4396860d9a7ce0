import { toleratedSkewMilliseconds } from "../../kubernetes/server-clock";

/** Values older than this are stale: their source has stopped. */
export const staleMilliseconds = 300_000;

/**
 * What the time `at` of a value tells about its age at `now` (epoch milliseconds). Untold: there is no time (0 or
 * less, as Go writes it), or it is in the future.
 */
export function ageOf(at: number, now: number): "fresh" | "stale" | "untold" {
  if (at <= 0 || at - now > toleratedSkewMilliseconds) return "untold";
  return now - at > staleMilliseconds ? "stale" : "fresh";
}
