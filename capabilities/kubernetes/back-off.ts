/** Pauses that double with each failure in a row, from the first to the longest one. Both in the same unit. */
interface BackOff {
  first: number;
  longest: number;
}

/** Failures in a row of something that is tried again. */
export interface Failures {
  failures: number;
  failedAt: number;
}

/** The pause after a number of failures in a row, in the unit of `backOff`; 0 without one. */
export const pauseAfter = (failures: number, { first, longest }: BackOff): number =>
  failures > 0 ? Math.min(first * 2 ** (failures - 1), longest) : 0;

/**
 * Whether the next try lies after `now` (epoch milliseconds). A failure in the future means that the clock was set
 * back.
 * @param backOff in ms
 */
export const waits = ({ failures, failedAt }: Failures, backOff: BackOff, now: number): boolean =>
  failedAt <= now && now < failedAt + pauseAfter(failures, backOff);
