/**
 * Permits for work, shared out to owners. An owner takes a permit only while more permits are free than it holds (the
 * dynamic threshold of Choudhury and Hahne, 1998). One owner alone holds half of the permits at most. `n` busy owners
 * come to hold total / (n + 1) each, with as many free. At any time an owner without a permit finds one while at most
 * log2(total) others hold permits, because each of them left half of what it found.
 */
export class Permits {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(
    readonly total: number,
    readonly mostEach = total,
  ) {
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  take(owner: string): boolean {
    const held = this.#held.get(owner) ?? 0;
    if (held >= Math.min(this.#free, this.mostEach)) return false;
    this.#held.set(owner, held + 1);
    this.#free--;
    return true;
  }

  release(owner: string): void {
    const held = this.#held.get(owner) ?? 0;
    if (held > 1) this.#held.set(owner, held - 1);
    else this.#held.delete(owner);
    this.#free++;
  }
}

/** A queue before permits. Owners take turns; the items of one owner keep their order. */
export class FairQueue<Item> {
  /** The waiting items by owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Item[]>();

  constructor(readonly permits: Permits) {}

  get length(): number {
    return [...this.#waiting.values()].reduce((sum, items) => sum + items.length, 0);
  }

  push(owner: string, item: Item): void {
    const items = this.#waiting.get(owner);
    if (items) items.push(item);
    else this.#waiting.set(owner, [item]);
  }

  remove(owner: string, item: Item): boolean {
    const items = this.#waiting.get(owner) ?? [];
    const index = items.indexOf(item);
    if (index < 0) return false;
    items.splice(index, 1);
    if (items.length === 0) this.#waiting.delete(owner);
    return true;
  }

  /** Takes the next item and a permit for its owner; undefined when no owner with an item may take one. */
  next(): Item | undefined {
    if (this.permits.free === 0) return undefined;
    for (const [owner, items] of this.#waiting) {
      if (!this.permits.take(owner)) continue;
      const item = items.shift();
      this.#waiting.delete(owner);
      if (items.length > 0) this.#waiting.set(owner, items);
      return item;
    }
    return undefined;
  }
}

export class NoPermit extends Error {}

export class FairPool {
  readonly #queue: FairQueue<() => void>;

  constructor(readonly permits: Permits) {
    this.#queue = new FairQueue(permits);
  }

  /** Runs `work` for `owner`. Throws NoPermit without a permit in time (may be Infinity), or what `work` throws. */
  async run<Result>(owner: string, longestWaitMilliseconds: number, work: () => Promise<Result>): Promise<Result> {
    if (!this.permits.take(owner)) await this.#waitForPermit(owner, longestWaitMilliseconds);
    try {
      return await work();
    } finally {
      this.permits.release(owner);
      for (let start = this.#queue.next(); start; start = this.#queue.next()) start();
    }
  }

  #waitForPermit(owner: string, longestWaitMilliseconds: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#queue.push(owner, start);
      const giveUp = (): void => {
        if (this.#queue.remove(owner, start)) reject(new NoPermit());
      };
      const timer = longestWaitMilliseconds < Infinity ? setTimeout(giveUp, longestWaitMilliseconds) : undefined;
    });
  }
}
