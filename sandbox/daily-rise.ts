const dayMilliseconds = 86_400_000;
const minuteMilliseconds = 60_000;

/** Duration of the high load each day. */
const highMilliseconds = 3_600_000;

/** Days of history before the rise of today. */
const days = 15;

/** The load in requests/s before the rise, and for an hour after it. */
const low = 780;
export const high = 2 * low;

/** A load in requests/s that doubles for an hour at the same time each day, with noise of 3 %. */
export class DailyRise {
  /** Start of the total, in epoch milliseconds. */
  readonly begin: number;
  /** The total at the start of each minute since `begin`, up to the last minute that `total` has computed. */
  readonly #totals = [0];

  /** @param at time of the rise today, in epoch milliseconds */
  constructor(readonly at: number) {
    this.begin = at - days * dayMilliseconds;
  }

  /** The load at `at` (epoch milliseconds), in requests/s. It is constant within a minute. */
  rate(at: number): number {
    return this.#rateOf(Math.floor((at - this.begin) / minuteMilliseconds));
  }

  /** The number of requests from `begin` to `at` (epoch milliseconds): a counter. */
  total(at: number): number {
    const minute = Math.floor((at - this.begin) / minuteMilliseconds);
    for (let next = this.#totals.length; next <= minute; next++) {
      this.#totals.push((this.#totals[next - 1] ?? 0) + (this.#rateOf(next - 1) * minuteMilliseconds) / 1000);
    }
    const since = at - this.begin - minute * minuteMilliseconds;
    return (this.#totals[minute] ?? 0) + (this.#rateOf(minute) * since) / 1000;
  }

  #rateOf(minute: number): number {
    // The first minute is the start of a rise.
    const isHigh = (minute * minuteMilliseconds) % dayMilliseconds < highMilliseconds;
    // A hash of the minute: noise that is the same in each run.
    const noise = Math.sin(minute * 12.9898) * 43758.5453;
    return (isHigh ? high : low) * (0.97 + 0.06 * (noise - Math.floor(noise)));
  }
}
