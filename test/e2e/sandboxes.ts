/** A sandbox that is up and is to be tested, and left up: for working on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** The sandboxes of the tests' own, beside any that a user has up: one for each file that runs at a time. */
export const sandboxesFor = (workers: number): string[] =>
  given === undefined ? Array.from({ length: workers }, (_, index) => `test-${index + 1}`) : [given];
