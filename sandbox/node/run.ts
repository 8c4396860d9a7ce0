import { execFile } from "node:child_process";

/** Runs a program to its end and returns what it printed. @throws with its output when it fails */
export function runProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  cwd?: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env: { ...process.env, ...env }, cwd, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(" ")}: ${stderr || stdout || error.message}`));
      else resolve(stdout);
    });
  });
}
