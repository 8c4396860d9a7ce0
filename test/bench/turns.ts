import { closeSync, openSync, readSync } from "node:fs";

/**
 * CPU time of the main thread between two turns of the event loop: the length of a pause on an idle core. Linux only.
 */
export class Turns {
  readonly #file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  readonly #text = Buffer.alloc(64);
  #turns: number[] = [];
  #last = this.#used();
  #running = true;

  constructor() {
    setImmediate(() => this.#note());
  }

  /** The longest pause since the last call, and the 99.9th percentile. */
  told(): string {
    const turns = Float64Array.from(this.#turns).sort();
    this.#turns = [];
    const at = (share: number): string => milliseconds(turns[Math.floor(share * (turns.length - 1))] ?? NaN);
    const text = `by CPU time ${at(1)} ms, 99.9 % below ${at(0.999)} ms`;
    // The sort is not a pause of the engine.
    this.#last = this.#used();
    return text;
  }

  /** The longest pause and all CPU time since the last call, in ms. */
  taken(): { longest: number; total: number } {
    let [longest, total] = [0, 0];
    for (const nanoseconds of this.#turns) {
      longest = Math.max(longest, nanoseconds);
      total += nanoseconds;
    }
    this.#turns = [];
    return { longest: longest / 1e6, total: total / 1e6 };
  }

  stop(): void {
    this.#running = false;
    closeSync(this.#file);
  }

  #note(): void {
    if (!this.#running) return;
    const used = this.#used();
    this.#turns.push(used - this.#last);
    this.#last = used;
    setImmediate(() => this.#note());
  }

  /** In nanoseconds. */
  #used(): number {
    const length = readSync(this.#file, this.#text, 0, this.#text.length, 0);
    return Number.parseInt(this.#text.toString("latin1", 0, length), 10);
  }
}

/** Nanoseconds as text in milliseconds. */
export const milliseconds = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);
