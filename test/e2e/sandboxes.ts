/** A running sandbox for the tests, which they keep. It is for work on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** The sandboxes of the tests, separate from those of a user: one for each file that runs at the same time. */
export const sandboxesFor = (workers: number): string[] =>
  given === undefined ? Array.from({ length: workers }, (_, index) => `test-${index + 1}`) : [given];
