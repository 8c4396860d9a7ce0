import type { TestProject } from "vitest/node";
import { down, sandboxEnv, up } from "../../sandbox/api";

/** A sandbox that is up and is to be tested, and left up: for working on the tests. */
const given = process.env.MLSCALER_SANDBOX;

/** The sandbox of the tests: its own, beside any that a user has up. */
export const sandbox = given ?? "test";

declare module "vitest" {
  interface ProvidedContext {
    environment: { KUBECONFIG: string; PATH: string };
  }
}

/** Brings the control plane up with the module deployed, once for all end-to-end tests; takes it down afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What an interrupted run left is not what this run is to be judged on.
  if (given === undefined) await down(sandbox);
  await up({
    name: sandbox,
    onStep: ({ step, state, detail, ms }) => {
      if (state === "done") console.log(`sandbox: ${step} ${detail ?? ""} ${((ms ?? 0) / 1000).toFixed(1)} s`);
    },
  });
  project.provide("environment", sandboxEnv(sandbox));
  return async () => void (given === undefined && (await down(sandbox)));
}
