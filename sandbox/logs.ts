import { existsSync, readFileSync } from "node:fs";

/** The last lines of a text file; "" when the file does not exist. */
export function lastLines(path: string, count: number): string {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n") : "";
}
