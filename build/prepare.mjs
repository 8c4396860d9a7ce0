// Installs and builds what is missing or older than its sources; a second run has nothing to do. Plain Node, because it
// runs before there is anything else. It tells on standard error: what it prepares for may have an output to be read.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const sources = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "eslint.config.mjs",
  ".prettierrc.json",
  "pepr.ts",
];
sources.push("capabilities", "build", "cli", "sandbox", "test");

/** A digest of `files` (folders with all that is in them), to tell whether they changed. */
function digest(files) {
  const hash = createHash("sha256");
  const add = path => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name));
    else hash.update(path).update(readFileSync(path));
  };
  for (const file of files) add(join(root, file));
  return hash.digest("hex");
}

/** Runs `make` unless it was run for the very same files before; `stamp` remembers for which. */
function ensure(what, stamp, files, make) {
  const path = join(root, stamp);
  const wanted = digest(files);
  if (existsSync(path) && readFileSync(path, "utf8") === wanted) return;
  const started = Date.now();
  console.error(`${what} …`);
  make();
  writeFileSync(path, digest(files));
  console.error(`${what}: ${((Date.now() - started) / 1000).toFixed(0)} s`);
}

const npm = (...args) => execFileSync("npm", args, { cwd: root, stdio: ["inherit", 2, 2] });

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node ${process.versions.node} is too old: Pepr needs 20.19 or newer`);
  process.exit(1);
}
ensure("npm ci", "node_modules/.mlscaler", ["package-lock.json"], () => npm("ci", "--no-audit", "--no-fund"));
ensure("npm run build", "dist/.mlscaler", sources, () => npm("run", "--silent", "build"));
