import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { sandboxPaths } from "./paths";

/** The last lines of a text file; "" when the file does not exist. */
export function lastLines(path: string, count: number): string {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n") : "";
}

/**
 * Shows the end of a sandbox's logs with the `tail` of the system.
 * @param what a component, or the start of a pod's name; all logs by default
 * @throws with the list of logs when there is none of this name
 */
export async function showLogs(name: string, what: string, lines: string, follow = false): Promise<void> {
  const { logs, pods } = sandboxPaths(name);
  const files = [logs, pods].filter(existsSync).flatMap(folder => readdirSync(folder).map(file => join(folder, file)));
  // The file of a pod's log is NAMESPACE_POD.log.
  const named = files
    .filter(file => file.endsWith(".log"))
    .map(file => ({ file, log: basename(file, ".log").replace(/^.*_/, "") }));
  const chosen = named.filter(({ log }) => log.startsWith(what)).map(({ file }) => file);
  const known = named.map(({ log }) => log).sort();
  if (chosen.length === 0) throw new Error(`no log of this name; there are: ${known.join(", ") || "none"}`);
  const tail = spawn("tail", ["-n", lines, ...(follow ? ["-F"] : []), "--", ...chosen], { stdio: "inherit" });
  await once(tail, "exit");
}
