import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** The project's root folder. */
export const root = resolve(__dirname, "..");

const timeoutMilliseconds = 600_000;

/** Runs a program of node_modules, prints its duration and returns its output. Throws with the output when it fails. */
export async function step(name: string, command: string, ...args: string[]): Promise<string> {
  const started = Date.now();
  try {
    const { stdout, stderr } = await promisify(execFile)(join(root, "node_modules/.bin", command), args, {
      cwd: root,
      maxBuffer: 64 << 20,
      timeout: timeoutMilliseconds,
    });
    console.log(`${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
    return stdout + stderr;
  } catch (error) {
    const { stdout = "", stderr = "", killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    // A timer that starts on import prevents the end of pepr build.
    const how = killed ? `did not end within ${timeoutMilliseconds / 1000} s` : "failed";
    throw new Error(`${name} ${how}\n${stdout}${stderr}`, { cause: error });
  }
}
