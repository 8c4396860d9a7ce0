/** A running sandbox for the tests of one project, which they keep. It is for work on the tests. */
export const given = process.env.MLSCALER_SANDBOX;

/** How many test files of "e2e alone" run at once, each with a sandbox of its own. */
export const alone = 2;

/** The sandboxes of a vitest project, separate from those of a user: "test-shared" of the project "e2e shared". */
export const sandboxesOf = (project: string): string[] => {
  if (given !== undefined) return [given];
  if (project === "e2e alone") return Array.from({ length: alone }, (_, index) => `test-alone-${index + 1}`);
  return [`test-${project.split(" ").at(-1) ?? "e2e"}`];
};
