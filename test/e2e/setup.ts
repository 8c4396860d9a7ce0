import type { TestProject } from "vitest/node";
import { down, sandboxEnv, up } from "../../sandbox/api";
import { given, sandboxesFor } from "./sandboxes";

type Environment = ReturnType<typeof sandboxEnv>;

declare module "vitest" {
  interface ProvidedContext {
    /** The environment in which kubectl and the module's Api use a sandbox, by its name. */
    environments: Record<string, Environment>;
  }
}

/**
 * Brings up a control plane with the module for each test file that runs
 * at the same time, and takes them down afterwards.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The API servers take memory in place of processor time, as four of them share it with the tests.
  process.env.GOGC ??= "400";
  const sandboxes = sandboxesFor(Number(project.config.maxWorkers));
  await Promise.all(sandboxes.map(bringUp));
  project.provide("environments", Object.fromEntries(sandboxes.map(sandbox => [sandbox, sandboxEnv(sandbox)])));
  return async () => void (given === undefined && (await Promise.all(sandboxes.map(sandbox => down(sandbox)))));
}

async function bringUp(sandbox: string): Promise<void> {
  // Removes the leftovers of an interrupted run.
  if (given === undefined) await down(sandbox);
  await up({
    name: sandbox,
    onStep: ({ step, state, detail, ms }) => {
      if (state === "done") console.log(`${sandbox}: ${step} ${detail ?? ""} ${((ms ?? 0) / 1000).toFixed(1)} s`);
    },
  });
}
