/** A running sandbox for the tests of one project, which they keep. It is for work on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** The sandbox of a vitest project, separate from those of a user: "test-shared" of the project "e2e shared". */
export const sandboxOf = (project: string): string => given ?? `test-${project.split(" ").at(-1) ?? "e2e"}`;
