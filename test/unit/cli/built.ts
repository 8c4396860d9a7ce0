import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Answer, run as runIn } from "../../run";

const root = resolve(import.meta.dirname, "../../..");

/** Builds the CLI into a folder as it is released: one file. Returns its path. */
export async function buildInto(folder: string): Promise<string> {
  const cli = join(folder, "mlscaler.js");
  await promisify(execFile)(process.execPath, ["--import", "tsx", "build/cli.ts", cli], { cwd: root });
  return cli;
}

/** Runs the built CLI to its end, without colours. */
export function run(cli: string, args: string[], given: { cwd: string; input?: string | Buffer }): Promise<Answer> {
  // Where tests run for a CI, colours may be asked for.
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  return runIn(process.execPath, [cli, ...args], { ...given, env });
}
