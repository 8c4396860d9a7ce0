import { toleratedSkewMilliseconds } from "../../kubernetes/server-clock";

/** Values older than this are stale: their source has stopped. */
export const staleMilliseconds = 300_000;

/** The age at `now` of a value with the time `at`; unknown without a time (0 or less), or with one in the future. */
export function ageOf(at: number, now: number): "fresh" | "stale" | "unknown" {
  if (at <= 0 || at - now > toleratedSkewMilliseconds) return "unknown";
  return now - at > staleMilliseconds ? "stale" : "fresh";
}
