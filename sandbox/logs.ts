import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { sandboxPaths } from "./paths";

/** The last lines of a text file; "" when the file does not exist. */
export function lastLines(path: string, count: number): string {
  try {
    return readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n");
  } catch {
    return "";
  }
}

/**
 * Shows the end of a sandbox's logs with the `tail` of the system.
 * @param what a component, `daemon`, `install`, `deploy`, or the start of a pod's name; undefined shows all logs
 * @throws with the list of logs when there is none of this name
 */
export async function showLogs(name: string, what: string | undefined, lines: string, follow = false): Promise<void> {
  const { logs, pods } = sandboxPaths(name);
  const files = [logs, pods].flatMap(logFiles);
  const chosen = files.filter(file => logName(file).startsWith(what ?? ""));
  if (chosen.length === 0)
    throw new Error(`no log of this name; there are: ${files.map(logName).join(", ") || "none"}`);
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

/** The name of a log. The file of a pod's log is NAMESPACE_POD.log. */
function logName(file: string): string {
  return basename(file, ".log").replace(/^.*_/, "");
}
