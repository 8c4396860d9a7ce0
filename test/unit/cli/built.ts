import { execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

const root = resolve(import.meta.dirname, "../../..");

/** Builds the CLI into a folder as it is released: one file. Returns its path. */
export async function buildInto(folder: string): Promise<string> {
  const cli = join(folder, "mlscaler.js");
  await promisify(execFile)(process.execPath, ["--import", "tsx", "build/cli.ts", cli], { cwd: root });
  return cli;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built CLI to its end, without colours. */
export async function run(
  cli: string,
  args: string[],
  { cwd, input = "" }: { cwd: string; input?: string | Buffer },
): Promise<Ended> {
  // Where tests run for a CI, colours may be asked for.
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined };
  const child = spawn(process.execPath, [cli, ...args], { cwd, env });
  // It may end without reading its input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number>(done => child.on("close", code => done(code ?? -1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
