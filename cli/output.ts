import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "./manifests";
import { inWords } from "./simulate/input";
import { tell } from "./terminal";

/** Writes a text to a file, and says so: "report written to web.html". Throws InputError when it cannot be written. */
export function writeOut(file: string, what: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InputError(`${file}: ${inWords(error, "a file", "write")}`);
  }
  tell(`${what} written to ${file}`);
}

/** Writes files into the folder of --write, and says so. Throws InputError when one cannot be written. */
export function writeInto(folder: string, what: string, files: { name: string; text: string }[]): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new InputError(`--write: ${folder}: ${inWords(error, "a folder", "write")}`);
  }
  for (const { name, text } of files) writeOut(join(folder, name), what, text);
}
