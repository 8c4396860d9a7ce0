import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The commands that open a file as the desktop does, by platform. */
const openers: { [platform: string]: string[] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** For how long a program may fail to open a file, in ms. One that runs longer is the browser itself. */
const failsWithinMilliseconds = 2_000;

/** Opens a file in the browser of this machine. Throws Error when the machine has no program for it, or it fails. */
export async function openInBrowser(file: string): Promise<void> {
  const [program = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  // The browser may outlive this process, and its output would disturb ours.
  const child = spawn(program, [...args, resolve(file)], { detached: true, stdio: "ignore" });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const waited = new AbortController();
  const stillRuns = delay(failsWithinMilliseconds, [0] as [number | null], { signal: waited.signal });
  stillRuns.catch(() => undefined);
  const [code] = await Promise.race([ended, stillRuns]);
  waited.abort();
  child.unref();
  if (code !== 0) throw new Error(`${program} ended with code ${code}`);
}
