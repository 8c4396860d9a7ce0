import { writeFileSync } from "node:fs";
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
