/** A running sandbox for the tests, which they keep. It is for work on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** Four keep two cores busy. */
const most = 4;

/** The sandboxes of the tests, separate from those of a user: one for each worker, four at most. */
export const sandboxesFor = (workers: number): string[] =>
  given === undefined ? Array.from({ length: Math.min(workers, most) }, (_, index) => `test-${index + 1}`) : [given];
