import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Sources } from "../bundle";

const root = resolve(__dirname, "../../..");

/** A change of a file: the text from offset `at` up to, not including, `end` becomes `replacement`. */
export interface Edit {
  /** Path from the root: "capabilities/mlscaler/controller.ts". */
  file: string;
  at: number;
  end: number;
  replacement: string;
}

/** A bug that is put into the module on purpose. */
export interface Mutant {
  name: string;
  edits: Edit[];
  /** The unit test that notices it, because no seed can; a path from the root. */
  test?: string;
}

/** The text of a file of this repository, by its path from the root. */
export const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** The paths of all TypeScript files of capabilities, sorted. */
export const capabilityFiles = (): string[] =>
  readdirSync(join(root, "capabilities"), { recursive: true, encoding: "utf8" })
    .filter(file => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map(file => `capabilities/${file}`)
    .sort();

/** The changed files of a mutant. Edits of one file must not overlap. */
export function sourcesOf({ edits }: Mutant): Sources {
  const sources = new Map<string, string>();
  for (const { file, at, end, replacement } of [...edits].sort((one, other) => other.at - one.at)) {
    const text = sources.get(file) ?? textOf(file);
    sources.set(file, text.slice(0, at) + replacement + text.slice(end));
  }
  return sources;
}
