import { expect } from "vitest";
import { Progress } from "../../../../cli/simulate/progress";

/** Runs work to its end, and checks that its progress never exceeds its total. */
export function finished<Result>(work: Generator<Progress, Result>): Result {
  let next = work.next();
  while (!next.done) {
    expect(next.value.done).toBeLessThanOrEqual(next.value.total);
    next = work.next();
  }
  return next.value;
}
