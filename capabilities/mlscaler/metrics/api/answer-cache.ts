/** Caches answers for a fixed time. Concurrent and later callers with the same key share one request. */
export class AnswerCache<Answer> {
  readonly #answers = new Map<string, { requestedAt: number; answer: Promise<Answer>; pending: boolean }>();

  constructor(readonly milliseconds: number) {}

  /** Returns the cached answer to `key`, or else the answer of `request`. Throws what `request` throws. */
  get(key: string, request: () => Promise<Answer>): Promise<Answer> {
    const now = performance.now();
    // The map is in insertion order, so the oldest entries come first.
    for (const [old, { requestedAt, pending }] of this.#answers) {
      if (now - requestedAt < this.milliseconds) break;
      if (!pending) this.#answers.delete(old);
    }
    const known = this.#answers.get(key);
    if (known) return known.answer;
    const cached = { requestedAt: now, answer: request(), pending: true };
    this.#answers.set(key, cached);
    const settled = (): void => void (cached.pending = false);
    cached.answer.then(settled, settled);
    return cached.answer;
  }
}
