import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The last lines of a text file, read from its end; "" when there is none. */
export function lastLines(path: string, count: number): string {
  const window = 256 * 1024;
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, window));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8").trimEnd().split("\n").slice(-count).join("\n");
  } finally {
    closeSync(file);
  }
}
