import { Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { errorFields } from "../../capabilities/kubernetes/log";
import { InputError } from "../manifests";

/** A file of manifests, or standard input. */
interface SourceFile {
  file: string;
  text: string;
}

/**
 * Reads the files of `paths`: files, "-" for standard input, and folders with all *.yaml, *.yml and *.json below them,
 * except hidden ones and node_modules. Throws InputError when a file cannot be read or a folder has no such file.
 */
export async function sourcesOf(paths: string[]): Promise<SourceFile[]> {
  const sources: SourceFile[] = [];
  for (const path of new Set(paths)) {
    if (path === "-") sources.push({ file: "standard input", text: await text(process.stdin) });
    else sources.push(...unlessUnreadable(path, () => filesOf(path).map(file => ({ file, text: contentOf(file) }))));
  }
  return sources;
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = manifestsIn(path);
  if (files.length === 0) throw new InputError(`${path}: there is no *.yaml, *.yml or *.json in it; name a file`);
  return files;
}

function manifestsIn(folder: string): string[] {
  const name = ({ name: one }: Dirent): string => one;
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => !name(entry).startsWith(".") && name(entry) !== "node_modules")
    .sort((one, other) => (name(one) < name(other) ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, name(entry));
      if (entry.isDirectory()) return manifestsIn(path);
      return /\.(ya?ml|json)$/.test(path) ? [path] : [];
    });
}

const contentOf = (file: string): string => unlessUnreadable(file, () => readFileSync(file, "utf8"));

function unlessUnreadable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InputError ? error : new InputError(`${path}: cannot be read: ${errorFields(error).error}`);
  }
}
