import type { TestProject } from "vitest/node";
import { down } from "../../sandbox/api";
import { given, sandboxesOf } from "./sandboxes";

declare module "vitest" {
  interface ProvidedContext {
    /** The names of the sandboxes. */
    sandboxes: string[];
    /** How test files use a sandbox that the first of them brings up. Absent for one that is up already. */
    use?: "shared" | "alone";
  }
}

/** Names the sandboxes of a project, which its first test files bring up, and takes them down after the last one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The API servers take memory in place of processor time, which they share with the tests.
  process.env.GOGC ??= "400";
  const sandboxes = sandboxesOf(project.name);
  const takeDown = async (): Promise<void> => {
    if (given === undefined) await Promise.all(sandboxes.map(sandbox => down(sandbox)));
  };
  // Removes the leftovers of an interrupted run.
  await takeDown();
  project.provide("sandboxes", sandboxes);
  project.provide("use", project.name === "e2e shared" ? "shared" : "alone");
  return takeDown;
}
