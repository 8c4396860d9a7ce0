import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

/** The commands that open a file as the desktop does, by platform. */
const openers: { [platform: string]: string[] } = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a file in the browser of this machine. Throws Error when the machine has no program for it. */
export async function openInBrowser(file: string): Promise<void> {
  const [program = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  // The browser may outlive this process, and its output would disturb ours.
  const child = spawn(program, [...args, resolve(file)], { detached: true, stdio: "ignore" });
  await once(child, "spawn");
  child.unref();
}
