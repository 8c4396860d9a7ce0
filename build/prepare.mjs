// Installs and builds outputs that are missing or older than their sources. With the argument "lint", installs and
// lints. A second run does nothing. This file is plain Node, because it runs before the packages are installed. It
// writes to standard error, because the next command may write to standard output for a program.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const sources = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "pepr.ts",
  "capabilities",
  "build",
  "cli",
  "sandbox",
];
/** Folders without sources. */
const notOurs = new Set([".git", "node_modules", "dist"]);

/** A digest of `files` (folders with all their files), to detect changes. */
function digest(files) {
  const hash = createHash("sha256");
  const add = path => {
    if (notOurs.has(basename(path))) return;
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(path).update(readFileSync(path));
  };
  for (const file of files) add(join(root, file));
  return hash.digest("hex");
}

/** Runs `make` unless it has already run for the same files. The file `stamp` stores their digest. */
function ensure(what, stamp, files, make) {
  const path = join(root, stamp);
  const wanted = digest(files);
  if (existsSync(path) && readFileSync(path, "utf8") === wanted) return;
  const started = Date.now();
  console.error(`${what} …`);
  make();
  mkdirSync(dirname(path), { recursive: true });
  // Stores the digest from before `make`, because files that changed in the meantime may not be part of the result.
  writeFileSync(path, wanted);
  console.error(`${what}: ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

/** Runs a program with its output on standard error. When it fails, this process exits with the same code. */
function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["inherit", 2, 2] });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Whether node_modules has the packages of the lock file, by npm's own list of what it installed last. */
function isInstalled() {
  const packagesOf = file => JSON.parse(readFileSync(join(root, file), "utf8")).packages;
  const list = "node_modules/.package-lock.json";
  if (!existsSync(join(root, list))) return false;
  const [wanted, installed] = [packagesOf("package-lock.json"), packagesOf(list)];
  return Object.entries(wanted).every(([path, { integrity, optional }]) => {
    const found = installed[path];
    // An optional package may be for another platform. The project itself has the path "".
    return found ? found.integrity === integrity : optional || path === "";
  });
}

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Pepr needs 20.19 or newer`);
  process.exit(1);
}
if (!isInstalled()) {
  console.error("npm ci …");
  run("npm", "ci", "--no-audit", "--no-fund");
}
if (process.argv[2] === "lint")
  ensure("lint", "node_modules/.cache/mlscaler-lint", ["."], () =>
    run(process.execPath, "--import", "tsx", "build/lint.ts"),
  );
else ensure("build", "dist/.mlscaler", sources, () => run(process.execPath, "--import", "tsx", "build/index.ts"));
