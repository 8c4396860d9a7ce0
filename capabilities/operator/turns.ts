import { setImmediate as nextTurn } from "node:timers/promises";

/** The CPU time of this process, in ms. On a busy machine the clock tells more of other processes. */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Runs the steps of syncs and reviews one at a time, each in a turn of its own, so that the Lease and the webhook wait for
 * one step at most. The namespace that has used the least CPU comes first (start-time fair queueing, Goyal et al. 1996).
 */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The CPU that each namespace has used since steps last waited, in ms. */
  readonly #used = new Map<string, number>();
  /** The least of these when the last step began. A namespace that comes counts as having used as much. */
  #least = 0;
  #serving = false;

  /** @param cpu the CPU time used so far, in ms */
  constructor(
    readonly turn: () => Promise<unknown> = () => nextTurn(),
    readonly cpu = cpuMilliseconds,
  ) {}

  /** Runs `work` for a namespace in a turn of its own; `used` gets its CPU time, in ms. Throws what it throws. */
  async run<Result>(namespace: string, work: () => Result, used?: (milliseconds: number) => void): Promise<Result> {
    await this.#waitForTurn(namespace);
    const began = this.cpu();
    try {
      return work();
    } finally {
      const milliseconds = this.cpu() - began;
      this.#used.set(namespace, this.#least + milliseconds);
      used?.(milliseconds);
    }
  }

  #waitForTurn(namespace: string): Promise<void> {
    return new Promise(resolve => {
      const steps = this.#waiting.get(namespace);
      if (steps) return void steps.push(resolve);
      this.#waiting.set(namespace, [resolve]);
      this.#used.set(namespace, Math.max(this.#used.get(namespace) ?? 0, this.#least));
      if (!this.#serving) void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (let next = await this.#next(); next; next = await this.#next()) next();
    this.#serving = false;
    this.#used.clear();
    this.#least = 0;
  }

  /** The next step, in the next turn of the event loop; undefined when none waits. */
  async #next(): Promise<(() => void) | undefined> {
    if (this.#waiting.size === 0) return undefined;
    await this.turn();
    let [first, least] = ["", Infinity];
    for (const namespace of this.#waiting.keys()) {
      const used = this.#used.get(namespace) ?? 0;
      if (used < least) [first, least] = [namespace, used];
    }
    this.#least = least;
    const steps = this.#waiting.get(first) ?? [];
    const step = steps.shift();
    // The next step of the namespace comes after those of others that have used as much.
    this.#waiting.delete(first);
    if (steps.length > 0) this.#waiting.set(first, steps);
    return step;
  }
}
