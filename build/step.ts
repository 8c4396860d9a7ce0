import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** The project's root folder. */
export const root = resolve(__dirname, "..");

/** The version in package.json. */
export const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

/** How often a step tells that it is still running, in ms. A slow machine may take any time. */
const tellMilliseconds = 60_000;

/** Runs a program of node_modules, prints its duration and returns its output. Throws with the output when it fails. */
export async function step(name: string, command: string, ...args: string[]): Promise<string> {
  const started = Date.now();
  const seconds = (): string => ((Date.now() - started) / 1000).toFixed(1);
  const telling = setInterval(() => console.error(`${name}: running for ${seconds()} s`), tellMilliseconds);
  try {
    const { stdout, stderr } = await promisify(execFile)(join(root, "node_modules/.bin", command), args, {
      cwd: root,
      maxBuffer: 64 << 20,
    });
    console.log(`${name}: ${seconds()} s`);
    return stdout + stderr;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${name} failed\n${stdout}${stderr}`, { cause: error });
  } finally {
    clearInterval(telling);
  }
}
