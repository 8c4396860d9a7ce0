/** The replicas of one target in a simulation. Times are in any one unit, such as slots or ms. */
export class Fleet {
  #starting: { readyAt: number; count: number }[] = [];

  constructor(public replicas: number) {}

  /** Scales to `replicas`. New replicas are ready at `readyAt`. Removed replicas stop at once, the newest first. */
  scaleTo(replicas: number, readyAt: number): void {
    if (replicas > this.replicas) this.#starting.push({ readyAt, count: replicas - this.replicas });
    let surplus = this.replicas - replicas;
    for (let newest = this.#starting.at(-1); newest && surplus > 0; newest = this.#starting.at(-1)) {
      const removed = Math.min(surplus, newest.count);
      newest.count -= removed;
      surplus -= removed;
      if (newest.count === 0) this.#starting.pop();
    }
    this.replicas = replicas;
  }

  /** The replicas that are ready at `now`. The `now` of later calls is the same or later. */
  readyAt(now: number): number {
    this.#starting = this.#starting.filter(({ readyAt }) => readyAt > now);
    return this.#starting.reduce((ready, { count }) => ready - count, this.replicas);
  }
}
