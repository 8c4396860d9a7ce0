import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { sandboxPaths } from "./paths";

/**
 * Shows the end of a sandbox's logs with the system's `tail`.
 * @param what a component, `daemon`, `install`, `deploy`, or the beginning of a pod's name; all of them when undefined
 * @throws when there is no such log, listing those there are
 */
export async function showLogs(name: string, what: string | undefined, lines: string, follow = false): Promise<void> {
  const { logs, pods } = sandboxPaths(name);
  const files = [logs, pods].flatMap(logFiles);
  const chosen =
    what === undefined ? files : files.filter(file => logName(file) === what || logName(file).startsWith(what));
  if (chosen.length === 0) throw new Error(`no such log; there are: ${files.map(logName).join(", ") || "none"}`);
  const tail = spawn("tail", ["-n", lines, ...(follow ? ["-F"] : []), "--", ...chosen], { stdio: "inherit" });
  await new Promise<void>((resolve, reject) => {
    tail.once("error", reject);
    tail.once("exit", () => resolve());
  });
}

function logFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(file => file.endsWith(".log"))
      .sort()
      .map(file => join(folder, file));
  } catch {
    return [];
  }
}

/** Pods' logs are called NAMESPACE_POD.log. */
function logName(file: string): string {
  return basename(file, ".log").replace(/^.*_/, "");
}
