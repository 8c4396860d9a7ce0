import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findHelm } from "../../sandbox/build";

const run = promisify(execFile);

/**
 * The path of a Helm 3: that of the PATH, or one that is built with Go.
 * @throws with the remedy when there is none and it cannot be built
 */
export async function helmProgram(): Promise<string> {
  const version = await run("helm", ["version", "--short"]).then(
    ({ stdout }) => stdout,
    () => "",
  );
  if (version.startsWith("v3.")) return "helm";
  try {
    return await findHelm(text => console.log(`helm: ${text}`));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const found = version === "" ? "no helm is on the PATH" : `the helm on the PATH is ${version.trim()}`;
    throw new Error(`${found}, and it cannot be built: ${reason} Install Helm 3.17 or a newer 3, or Go`, {
      cause: error,
    });
  }
}

/** Runs helm and returns its output. Throws with its standard error. */
export async function helm(program: string, ...args: string[]): Promise<string> {
  return (await run(program, args, { maxBuffer: 64 << 20 })).stdout;
}
