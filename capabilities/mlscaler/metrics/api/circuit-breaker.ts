import { LRUCache } from "lru-cache";
import { Permits } from "../../../kubernetes/fair-queue";

/** A question, or the whole server, is in doubt after this number of consecutive requests without an answer. */
const doubtAfter = 3;
/** Time between requests for a question in doubt. A request to a silent server blocks the sync until its timeout. */
const probeMilliseconds = 10_000;
/** The limit on concurrent requests in doubt, shared out by namespace. */
const mostInDoubt = 16;
/** The limit on the text of questions without an answer, in characters. The least recently asked is forgotten. */
const mostText = 1 << 20;

/** The result of a request: an answer, an error response included, or none in time. */
export type Result = "answered" | "silent" | "unsent";

/** A request was not sent, because the server did not answer lately. */
export class Silent extends Error {}

/** Stops requests that a server does not answer, by question, so that one that hangs costs no other its answer. */
export class CircuitBreaker {
  readonly #questions = new LRUCache<string, { unanswered: number; askAt: number }>({
    maxSize: mostText,
    sizeCalculation: (_, key) => key.length,
  });
  readonly #inDoubt = new Permits(mostInDoubt);
  #unanswered = 0;

  /** Sends `request`, whose errors `resultOf` explains. Throws Silent instead, or what `request` throws. */
  async ask<Answer>(
    namespace: string,
    question: string,
    request: () => Promise<Answer>,
    resultOf: (error: unknown) => Result,
  ): Promise<Answer> {
    const key = `${namespace} ${question}`;
    const { unanswered = 0, askAt = 0 } = this.#questions.get(key) ?? {};
    const inDoubt = unanswered >= doubtAfter || this.#unanswered >= doubtAfter;
    if (inDoubt && (performance.now() < askAt || !this.#inDoubt.take(namespace))) throw new Silent();
    try {
      const answer = await request();
      this.#record(key, "answered");
      return answer;
    } catch (error) {
      this.#record(key, resultOf(error));
      throw error;
    } finally {
      if (inDoubt) this.#inDoubt.release(namespace);
    }
  }

  #record(key: string, result: Result): void {
    if (result === "answered") {
      this.#unanswered = 0;
      this.#questions.delete(key);
    } else if (result === "silent") {
      this.#unanswered++;
      const unanswered = (this.#questions.get(key)?.unanswered ?? 0) + 1;
      const askAt = unanswered >= doubtAfter ? performance.now() + probeMilliseconds : 0;
      this.#questions.set(key, { unanswered, askAt });
    }
  }
}
