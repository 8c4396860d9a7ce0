/** A sandbox that is up and is to be tested, and left up: for working on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** The sandbox of a worker, counted from 1: of the tests' own, beside any that a user has up. */
export const sandboxOf = (worker: number): string => given ?? `test-${worker}`;

/** The sandbox that the tests of this file run on, alone as long as they do. */
export const sandbox = sandboxOf(Number(process.env.VITEST_POOL_ID ?? 1));
