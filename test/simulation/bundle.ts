import { context, type Plugin } from "esbuild";
import { relative, resolve } from "node:path";
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

/** Texts in place of files, by path from the root: "capabilities/mlscaler/controller.ts". */
export type Sources = ReadonlyMap<string, string>;

const inPlaceOfFiles = (sources: () => Sources): Plugin => ({
  name: "in place of files",
  setup: bundle => {
    bundle.onLoad({ filter: /\/capabilities\/.*\.ts$/ }, ({ path }) => {
      const contents = sources().get(relative(root, path));
      return contents === undefined ? undefined : { contents, loader: "ts" };
    });
  },
});

/** A bundle of the module: runs it with the values of a scope. */
export type Bundle = (scope: Scope) => void;

/**
 * Bundles the module as in pepr.ts, with its dependencies in one piece of code. Each run evaluates all of it, including
 * Pepr and kubernetes-fluent-client, so that no state remains from an earlier run. `sources` replace files of
 * capabilities. Throws when esbuild fails.
 */
export async function bundleModule(sources: Sources = new Map()): Promise<Bundle> {
  const one = await bundler();
  try {
    return await one.bundle(sources);
  } finally {
    await one.dispose();
  }
}

/** Bundles the module several times, and parses only the files that differ from the time before. */
export async function bundler(): Promise<{
  bundle: (sources: Sources) => Promise<Bundle>;
  dispose: () => Promise<void>;
}> {
  let current: Sources = new Map();
  const building = await context({
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
    plugins: [onlyWhatIsUsed, inPlaceOfFiles(() => current)],
    alias: { pepr: resolve(root, "node_modules/pepr/src/lib.ts"), "node-fetch": "undici" },
  });
  const bundle = async (sources: Sources): Promise<Bundle> => {
    current = sources;
    const { outputFiles } = await building.rebuild();
    return bundleOf(outputFiles[0]?.text ?? "");
  };
  return { bundle, dispose: () => building.dispose() };
}

function bundleOf(code: string): Bundle {
  const script = new Script(`(function (${names.join(", ")}) {${code}\n})`, { filename: "pepr.js" });
  const run = script.runInThisContext() as (...values: unknown[]) => void;
  return scope => run(...names.map(name => scope[name]));
}
