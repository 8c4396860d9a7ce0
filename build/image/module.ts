import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";
import { gunzipSync } from "node:zlib";

/**
 * Reads the code of the module from `folder`, where `pepr deploy` mounts it as module-HASH.js.gz.
 * @param hash SHA-256 of the code, hexadecimal
 * @throws when the file is missing or does not match the hash
 */
export function readModule(folder: string, hash: string): string {
  if (!/^[a-f0-9]{64}$/.test(hash)) throw new Error(`"${hash}" is no SHA-256 hash in hexadecimal digits`);
  const path = join(folder, `module-${hash}.js.gz`);
  if (!existsSync(path)) throw new Error(`File not found: ${path}`);
  const code = gunzipSync(readFileSync(path));
  const actual = createHash("sha256").update(code).digest("hex");
  if (actual !== hash) throw new Error(`File hash does not match, expected ${hash} but got ${actual}`);
  return code.toString();
}

type Function = (exports: object, require: (name: string) => unknown, module: object, ...paths: string[]) => void;

/**
 * Runs CommonJS code in this process as the file `path`.
 * @param packages the packages that the code can require besides Node's modules, by name
 * @throws the error of the code, and when it requires another package
 */
export function runModule(code: string, path: string, packages: Record<string, unknown>): void {
  const ofNode = createRequire(path);
  const require = (name: string): unknown => {
    if (isBuiltin(name)) return ofNode(name);
    if (Object.hasOwn(packages, name)) return packages[name];
    const names = Object.keys(packages).join(", ");
    throw new Error(`the image has ${names}, not ${name}: add it to build/image/controller.ts, then npm run image`);
  };
  const parameters = ["exports", "require", "module", "__filename", "__dirname"];
  const run = compileFunction(code, parameters, { filename: path }) as Function;
  const module = { exports: {} };
  run(module.exports, require, module, path, dirname(path));
}
