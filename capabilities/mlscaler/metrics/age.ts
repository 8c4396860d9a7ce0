import { toleratedSkewMilliseconds } from "../../kubernetes/server-clock";

/** Values older than this are stale: their source has stopped. */
export const staleMilliseconds = 300_000;

/**
 * The age at `now` of a value with the time `at` (both epoch milliseconds). Its age is unknown when it has no time (0
 * or less, as Go writes it), or one in the future.
 */
export function ageOf(at: number, now: number): "fresh" | "stale" | "unknown" {
  if (at <= 0 || at - now > toleratedSkewMilliseconds) return "unknown";
  return now - at > staleMilliseconds ? "stale" : "fresh";
}
