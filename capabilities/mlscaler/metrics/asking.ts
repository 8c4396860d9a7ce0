/** After so many questions in a row without an answer in time a server counts as silent, */
const silentQuestions = 3;
/** and is asked once in this time: who waits for it holds up others. */
const silentMilliseconds = 10_000;

/** Answers that serve all who ask the same within some time, those included who ask while one is under way. */
export class Shared<Answer> {
  readonly #answers = new Map<string, { askedAt: number; answer: Promise<Answer> }>();

  constructor(readonly milliseconds: number) {}

  /** What was answered to `question` a moment ago, or else what `ask` comes to. Throws what `ask` throws. */
  ask(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const now = performance.now();
    // The oldest come first.
    for (const [old, { askedAt }] of this.#answers) {
      if (now - askedAt < this.milliseconds) break;
      this.#answers.delete(old);
    }
    const shared = this.#answers.get(question);
    if (shared) return shared.answer;
    const answer = ask();
    this.#answers.set(question, { askedAt: now, answer });
    return answer;
  }
}

/** How often a server is asked that does not answer: while it is silent once in ten seconds. */
export class Patience {
  /** Questions in a row that had no answer in time. */
  #unanswered = 0;
  #askAgainAt = 0;

  /** How many questions in a row had no answer, when it is not to be asked now; 0 when it may be. */
  silentAfter(): number {
    const now = performance.now();
    if (this.#unanswered < silentQuestions) return 0;
    if (now < this.#askAgainAt) return this.#unanswered;
    this.#askAgainAt = now + silentMilliseconds;
    return 0;
  }

  /** Takes note of whether a question was answered in time, whatever the answer was. */
  hear(answered: boolean): void {
    if (answered) this.#unanswered = 0;
    else if (++this.#unanswered === silentQuestions) this.#askAgainAt = performance.now() + silentMilliseconds;
  }
}
