import { Instant, Monotonic } from "./time";

/** Clocks further apart than this are skewed. */
export const toleratedSkewMilliseconds = 60_000;

/** Our clock is not corrected within this: servers behind one address differ as well. */
const uncorrectedMilliseconds = 10_000;

/** HTTP dates have whole seconds. */
const resolutionMilliseconds = 1_000;

export interface Skew {
  server: string;
  /** How far its clock is ahead of the other at least; below 0: behind. */
  milliseconds: number;
}

/** The clock of a server by the Date of its answers, driven by the monotonic one in between; without answers ours. */
export class ServerClock {
  /** Bounds of the server's time at 0 of the monotonic clock. */
  #zero?: { least: Instant; most: Instant };

  constructor(readonly server: string) {}

  get isKnown(): boolean {
    return this.#zero !== undefined;
  }

  /** Takes the time from an answer to a request sent at `sentAt`, unless it has no valid Date, or a cache kept it. */
  observe({ date, age }: { date?: string; age?: string }, sentAt: Monotonic): void {
    const at = Date.parse(date ?? "");
    if (Number.isNaN(at) || age !== undefined) return;
    // The server wrote the date at some time between the request and the answer, and cut off the fraction.
    const newest = { least: at - performance.now(), most: at + resolutionMilliseconds - sentAt };
    const { least, most } = this.#zero ?? newest;
    const both = { least: Math.max(least, newest.least), most: Math.min(most, newest.most) };
    // Answers that contradict each other are those of a clock that was set, or of another server.
    this.#zero = both.least <= both.most ? both : newest;
  }

  /** Our time, corrected where the server shows that it is wrong. */
  get time(): Instant {
    const ours = Date.now();
    const theirs = this.now(ours);
    return Math.abs(theirs - ours) > uncorrectedMilliseconds ? theirs : ours;
  }

  /** The time of the server: of all that the answers allow, the nearest to `other`. */
  now(other: Instant = Date.now()): Instant {
    if (!this.#zero) return other;
    const { least, most } = this.#zero;
    const monotonic = performance.now();
    return Math.min(Math.max(other, least + monotonic), most + monotonic);
  }

  /** How far the server is from `other`, by default our clock; undefined within 60 s. */
  skewFrom(other: Instant = Date.now()): Skew | undefined {
    const milliseconds = this.now(other) - other;
    return Math.abs(milliseconds) > toleratedSkewMilliseconds ? { server: this.server, milliseconds } : undefined;
  }
}

/** A skew as text: "the clock of the API server is 60 min ahead of ours". Whole minutes, so that it rarely changes. */
export const skewText = ({ server, milliseconds }: Skew, other: string): string =>
  `the clock of ${server} is ${Math.round(Math.abs(milliseconds) / 60_000)} min ` +
  `${milliseconds < 0 ? "behind" : "ahead of"} ${other}`;
