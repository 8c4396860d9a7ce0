/**
 * Reads that many want at once. Who comes while one is under way shares the next with all who come meanwhile: no answer is
 * older than its question, and there are never more than two for one key.
 */
export class JointReads<Found> {
  readonly #reads = new Map<string, { running: Promise<Found>; next?: Promise<Found> }>();

  /** What `read` finds, begun now or when the one under way has ended. Throws what it throws. */
  ask(key: string, read: () => Promise<Found>): Promise<Found> {
    const known = this.#reads.get(key);
    if (!known) return this.#begin(key, read);
    known.next ??= known.running.then(
      () => this.#begin(key, read),
      () => this.#begin(key, read),
    );
    return known.next;
  }

  #begin(key: string, read: () => Promise<Found>): Promise<Found> {
    const running = read().finally(() => {
      if (!this.#reads.get(key)?.next) this.#reads.delete(key);
    });
    this.#reads.set(key, { running });
    return running;
  }
}
