/** Work in pieces: between them others may run. What comes out does not depend on when the pieces are done. */
export type Work<Result = void> = Generator<void, Result>;

/** Does all the pieces. */
export function finished<Result>(work: Work<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
