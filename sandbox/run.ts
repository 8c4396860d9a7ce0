import { execFile } from "node:child_process";

/** How to run a program: variables besides those of this process, a folder, its standard input, and a signal to end it. */
export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  input?: string;
  signal?: AbortSignal;
}

/** Runs a program to its end and returns what it printed. @throws with its output when it fails */
export function runProgram(
  program: string,
  args: string[],
  { env = {}, cwd, input = "", signal }: RunOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, cwd, signal, maxBuffer: 64 << 20 };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(" ")}: ${stderr || stdout || error.message}`));
      else resolve(stdout);
    });
    // A program that fails early does not read its input.
    child.stdin?.on("error", () => undefined).end(input);
  });
}
