import { Instant } from "./time";

/** Pauses that double with each failure in a row, from the first to the longest one. Both in the same unit. */
interface BackOff {
  first: number;
  longest: number;
}

/** The pauses after errors of the API server in a row: none longer than the sync period of an HPA. */
export const afterApiError = { firstSeconds: 5, atMostSeconds: 15 };

export interface Failures {
  failures: number;
  failedAt: Instant;
}

/** The pause after a number of failures in a row, in the unit of `backOff`; 0 without one. */
export const pauseAfter = (failures: number, { first, longest }: BackOff): number =>
  failures > 0 ? Math.min(first * 2 ** (failures - 1), longest) : 0;

/** Whether the next try lies after `now`; `backOff` in ms. A failure in the future means a clock that was set back. */
export const waits = ({ failures, failedAt }: Failures, backOff: BackOff, now: Instant): boolean =>
  failedAt <= now && now < failedAt + pauseAfter(failures, backOff);

/** Resolves after `milliseconds`, or as soon as `signal` is aborted. Never throws. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
