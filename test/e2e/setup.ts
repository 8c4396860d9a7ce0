import type { TestProject } from "vitest/node";
import { down } from "../../sandbox/api";
import { given, sandboxOf } from "./sandboxes";

declare module "vitest" {
  interface ProvidedContext {
    /** The name of the sandbox. */
    sandbox: string;
    /** How test files use the sandbox that the first of them brings up. Absent for one that is up already. */
    use?: "shared" | "alone";
  }
}

/** Names the sandbox of a project, which its first test file brings up, and takes it down after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The API servers take memory in place of processor time, which they share with the tests.
  process.env.GOGC ??= "400";
  const sandbox = sandboxOf(project.name);
  const takeDown = async (): Promise<void> => {
    if (given === undefined) await down(sandbox);
  };
  // Removes the leftovers of an interrupted run.
  await takeDown();
  project.provide("sandbox", sandbox);
  project.provide("use", project.name === "e2e shared" ? "shared" : "alone");
  return takeDown;
}
