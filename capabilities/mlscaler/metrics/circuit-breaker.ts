/** The breaker opens after this number of consecutive timeouts. */
const openAfter = 3;
/** Time between probes of an open breaker. A request to a silent server blocks the sync until its timeout. */
const probeMilliseconds = 10_000;

/** Stops requests to a server that does not answer. An open breaker lets one probe through every ten seconds. */
export class CircuitBreaker {
  /** Consecutive requests without an answer in time. */
  #unanswered = 0;
  #probeAt = 0;

  /** Returns 0 if a request may be sent now, or else the number of consecutive timeouts. */
  openAfter(): number {
    const now = performance.now();
    if (this.#unanswered < openAfter) return 0;
    if (now < this.#probeAt) return this.#unanswered;
    this.#probeAt = now + probeMilliseconds;
    return 0;
  }

  /** Records whether the server answered in time. An error response is an answer. */
  record(answered: boolean): void {
    if (answered) this.#unanswered = 0;
    else if (++this.#unanswered === openAfter) this.#probeAt = performance.now() + probeMilliseconds;
  }
}
