/** A computation in slices of about a millisecond. Other code may run between two slices without an effect on it. */
export type Sliced<Result = void> = Generator<void, Result>;

/** Runs all slices of a computation and returns its result. */
export function runSlices<Result>(computation: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = computation.next();
    if (done) return value;
  }
}
