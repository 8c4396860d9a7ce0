import type { TestProject } from "vitest/node";
import { down } from "../../sandbox/api";

declare module "vitest" {
  interface ProvidedContext {
    /** The names of the sandboxes of a project. */
    sandboxes: string[];
    /** How test files use a sandbox that the first of them brings up. Absent for one that is up already. */
    use?: "shared" | "alone";
  }
}

/** Takes the sandboxes of a project, which its first test files bring up, down after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The API servers take memory in place of processor time, which they share with the tests.
  process.env.GOGC ??= "400";
  const { sandboxes } = project.getProvidedContext();
  const takeDown = async (): Promise<void> => {
    if (process.env.MLSCALER_SANDBOX === undefined) await Promise.all(sandboxes.map(name => down(name)));
  };
  // Removes the leftovers of an interrupted run.
  await takeDown();
  return takeDown;
}
