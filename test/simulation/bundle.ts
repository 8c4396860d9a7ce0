import { build, type Plugin } from "esbuild";
import { resolve } from "node:path";
import { Script } from "node:vm";

const root = resolve(__dirname, "../..");

/** The values of globals and CommonJS names for the code. */
export type Scope = Record<string, unknown>;

/** Names in the scope that are not Node's globals. */
export const names = [
  ...["require", "module", "exports", "__filename", "__dirname"],
  ...["globalThis", "global", "process", "Date", "Math", "performance", "AbortSignal", "WebAssembly", "crypto"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"],
];

/** Packages without side effects. Unused files may be left out of the bundle, and need not run again each time. */
const declares = /\/node_modules\/(@kubernetes\/client-node|kubernetes-fluent-client)\/dist\//;

const onlyWhatIsUsed: Plugin = {
  name: "only what is used",
  setup: bundle => {
    bundle.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      return declares.test(file) && file.endsWith(".js") ? { path: file, sideEffects: false } : undefined;
    });
  },
};

/** A bundle of the module: runs it with the values of a scope. */
export type Bundle = (scope: Scope) => void;

/**
 * Bundles the module as in pepr.ts, with its dependencies in one piece of code. Each run evaluates all of it, including
 * Pepr and kubernetes-fluent-client, so that no state remains from an earlier run. Throws when esbuild fails.
 */
export async function bundleModule(): Promise<Bundle> {
  const { outputFiles } = await build({
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    keepNames: true,
    write: false,
    // Hides warnings about the sources of Pepr 1.1.4.
    logLevel: "error",
    entryPoints: [resolve(root, "pepr.ts")],
    outfile: "pepr.js",
    plugins: [onlyWhatIsUsed],
    alias: { pepr: resolve(root, "node_modules/pepr/src/lib.ts"), "node-fetch": "undici" },
  });
  const code = outputFiles[0]?.text ?? "";
  const script = new Script(`(function (${names.join(", ")}) {${code}\n})`, { filename: "pepr.js" });
  const run = script.runInThisContext() as (...values: unknown[]) => void;
  return scope => run(...names.map(name => scope[name]));
}
