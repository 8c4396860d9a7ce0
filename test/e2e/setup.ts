import type { TestProject } from "vitest/node";
import { down } from "../../sandbox/api";
import { given, sandboxesFor } from "./sandboxes";

declare module "vitest" {
  interface ProvidedContext {
    /** The names of the sandboxes. */
    sandboxes: string[];
    /** Whether the first test file of a sandbox brings it up. */
    bringUp?: boolean;
  }
}

/**
 * Names a sandbox for each test file that runs at the same time, and takes them down afterwards. The first test file of
 * each brings it up, so that one test file starts one control plane.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The API servers take memory in place of processor time, as four of them share it with the tests.
  process.env.GOGC ??= "400";
  const sandboxes = sandboxesFor(Number(project.config.maxWorkers));
  const takeDown = async (): Promise<void> => {
    if (given === undefined) await Promise.all(sandboxes.map(sandbox => down(sandbox)));
  };
  // Removes the leftovers of an interrupted run.
  await takeDown();
  project.provide("sandboxes", sandboxes);
  project.provide("bringUp", true);
  return takeDown;
}
