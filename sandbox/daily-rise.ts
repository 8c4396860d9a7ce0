const dayMilliseconds = 86_400_000;
const minuteMilliseconds = 60_000;

/** How long a load stays high each day. */
const highMilliseconds = 3_600_000;

/** History that a rise can tell of. */
const days = 15;

/** A load in requests a second that is `low`, and `high` for an hour from the same time on each day, give or take 3 %. */
export class DailyRise {
  /** When its total begins to count, epoch milliseconds. */
  readonly begin: number;
  /** The total at the beginning of each minute since `begin`, as far as somebody asked. */
  readonly #totals = [0];

  /** @param at when it rises today, epoch milliseconds */
  constructor(
    readonly at: number,
    readonly low: number,
    readonly high: number,
  ) {
    this.begin = at - days * dayMilliseconds;
  }

  /** Requests a second at a time; the same for a whole minute. */
  rate(at: number): number {
    return this.#rateOf(Math.floor((at - this.begin) / minuteMilliseconds));
  }

  /** All requests from `begin` to a time after it: a counter. */
  total(at: number): number {
    const minute = Math.floor((at - this.begin) / minuteMilliseconds);
    for (let next = this.#totals.length; next <= minute; next++) {
      this.#totals.push((this.#totals[next - 1] ?? 0) + (this.#rateOf(next - 1) * minuteMilliseconds) / 1000);
    }
    const since = at - this.begin - minute * minuteMilliseconds;
    return (this.#totals[minute] ?? 0) + (this.#rateOf(minute) * since) / 1000;
  }

  #rateOf(minute: number): number {
    // It begins with a rise.
    const high = (minute * minuteMilliseconds) % dayMilliseconds < highMilliseconds;
    // Anything will do that looks random and is the same in each run.
    const noise = Math.sin(minute * 12.9898) * 43758.5453;
    return (high ? this.high : this.low) * (0.97 + 0.06 * (noise - Math.floor(noise)));
  }
}
