/** Caches answers for a fixed time. Concurrent and later callers with the same key share one request. */
export class AnswerCache<Answer> {
  readonly #answers = new Map<string, { requestedAt: number; answer: Promise<Answer> }>();

  constructor(readonly milliseconds: number) {}

  /** Returns the cached answer to `key`, or else the answer of `request`. Throws what `request` throws. */
  get(key: string, request: () => Promise<Answer>): Promise<Answer> {
    const now = performance.now();
    // The map is in insertion order, so the oldest entries come first.
    for (const [old, { requestedAt }] of this.#answers) {
      if (now - requestedAt < this.milliseconds) break;
      this.#answers.delete(old);
    }
    const cached = this.#answers.get(key);
    if (cached) return cached.answer;
    const answer = request();
    this.#answers.set(key, { requestedAt: now, answer });
    return answer;
  }
}
