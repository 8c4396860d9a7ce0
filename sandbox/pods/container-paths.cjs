// Node loads this file first in the process of a pod. It redirects paths of the container, such as /app/load, to the
// pod's folders on this machine. MLSCALER_SANDBOX_PATHS lists these paths; all other paths stay as they are.
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");

const folders = Object.entries(JSON.parse(process.env.MLSCALER_SANDBOX_PATHS));

/** The path on this machine for a path of the container. */
function here(path) {
  const found = typeof path === "string" && folders.find(([to]) => path === to || path.startsWith(`${to}/`));
  return found ? found[1] + path.slice(found[0].length) : path;
}

/** Wraps the function `name` of `of` so that it redirects its first argument, a path. */
function translate(of, name) {
  const original = of[name];
  const translated = function (path, ...others) {
    return original.call(this, here(path), ...others);
  };
  of[name] = Object.defineProperties(translated, Object.getOwnPropertyDescriptors(original));
}

const names = ["access", "lstat", "mkdir", "open", "readdir", "readFile", "readlink", "realpath", "rm", "stat"];
names.push("unlink", "writeFile");
for (const name of names) {
  translate(fs, name);
  translate(fs, `${name}Sync`);
  translate(fs.promises, name);
}
for (const name of ["existsSync", "createReadStream", "createWriteStream"]) translate(fs, name);
translate(Module, "_findPath");
Module.syncBuiltinESMExports();
os.hostname = () => process.env.HOSTNAME;
