/** Values older than this are stale: their source has stopped. */
export const staleMilliseconds = 300_000;

/** Clocks differ by no more than this where they are kept. A value further ahead has no age that can be told. */
const skewMilliseconds = 60_000;

/**
 * What the time `at` of a value tells about its age at `now` (epoch milliseconds). Untold: there is no time (0 or
 * less, as Go writes it), or it is in the future.
 */
export function ageOf(at: number, now: number): "fresh" | "stale" | "untold" {
  if (at <= 0 || at - now > skewMilliseconds) return "untold";
  return now - at > staleMilliseconds ? "stale" : "fresh";
}
