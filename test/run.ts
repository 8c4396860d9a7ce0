import { execFile } from "node:child_process";
import { resolve } from "node:path";

/** What a program printed, and its exit code. */
export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

interface Settings {
  /** By default the folder of the repository. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string | Buffer;
}

const root = resolve(__dirname, "..");

/** Runs a program to its end. Never throws: one that cannot start, or that is killed, has the exit code 1. */
export function run(command: string, args: string[], { cwd = root, env, input }: Settings = {}): Promise<Answer> {
  return new Promise(done => {
    const child = execFile(command, args, { cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
      done({ code: error ? (typeof error.code === "number" ? error.code : 1) : 0, stdout, stderr }),
    );
    // A program that fails early does not read its input.
    child.stdin?.on("error", () => undefined).end(input ?? "");
  });
}
