import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { deploy, down, sandboxEnv, up } from "../../sandbox/api";
import { consoleSteps } from "../../sandbox/console";
import { projectRoot } from "../../sandbox/paths";

/** The sandbox of the benchmarks. It is separate from the sandboxes of a user. */
export const sandbox = "bench";

/** The name of this module. */
export const ours = "mlscaler";

/**
 * Brings up a sandbox, runs `work` with its environment, and takes it down, also on an error and on `signal`.
 * @throws where there is no /proc, or no build
 */
export async function withSandbox<Result>(
  withModule: boolean,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!existsSync("/proc/self/smaps_rollup")) throw new Error("this benchmark reads /proc: it needs Linux");
  if (!existsSync(join(projectRoot, "dist", "install")))
    throw new Error("dist/install is missing: run `npm run build` first");
  try {
    // Removes the leftovers of an interrupted run.
    await down(sandbox);
    await consoleSteps(onStep => up({ name: sandbox, withModule, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    return await work();
  } finally {
    await down(sandbox);
  }
}

/** Deploys the module into the sandbox. Throws when that fails, and at once on `signal`. */
export async function deployModule(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // kubectl itself cannot be interrupted. The end of the sandbox, which follows, ends it.
  const interrupted = once(signal, "abort").then(() => signal.throwIfAborted());
  await Promise.race([deploy(sandbox), interrupted]);
}

/** Runs kubectl against the sandbox. Throws with its standard error. */
export async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", args, { maxBuffer: 64 << 20 });
  return stdout;
}
