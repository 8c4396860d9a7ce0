import { build, type BuildOptions, type Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { resolve, join } from "node:path";

const nodeModules = resolve(__dirname, "../../node_modules");

/** Files without side effects in packages that do not say so. Unused ones may be left out of the bundle. */
const declares = /\/node_modules\/(@kubernetes\/client-node|kubernetes-fluent-client)\/dist\//;

/** Keeps unused code of Pepr and its dependencies out of the bundle. */
const onlyWhatIsUsed: Plugin = {
  name: "only what is used",
  setup(bundle) {
    // Uses the sources of Pepr, because tree shaking does not work on its built library, which is CommonJS.
    bundle.onResolve({ filter: /^pepr$/ }, () => ({ path: join(nodeModules, "pepr/src/lib.ts") }));
    bundle.onResolve({ filter: /^pepr\/dist\// }, ({ path }) => ({
      path: join(nodeModules, `${path.replace("/dist/", "/src/")}.ts`),
    }));
    bundle.onResolve(
      { filter: /^(@kubernetes\/client-node|kubernetes-fluent-client|\.)/ },
      async ({ path, pluginData, ...where }) => {
        if (pluginData === "resolved") return undefined;
        const found = await bundle.resolve(path, { ...where, pluginData: "resolved" });
        return declares.test(found.path) ? { path: found.path, sideEffects: false } : undefined;
      },
    );
    // The module uses only these media types. The full list has 2,500, and four packages bring a copy each.
    bundle.onLoad({ filter: /\/mime-db\/db\.json$/ }, () => ({
      contents: JSON.stringify({
        "application/json": { source: "iana", charset: "UTF-8", compressible: true, extensions: ["json"] },
        "application/octet-stream": { source: "iana", compressible: true, extensions: ["bin"] },
        "text/html": { source: "iana", compressible: true, extensions: ["html"] },
        "text/plain": { source: "iana", compressible: true, extensions: ["txt"] },
      }),
      loader: "json",
    }));
    // Pepr keeps its store in the namespace pepr-system, and serves nothing before the store is there. No capability of
    // the module uses it, so the image has none: it runs in any namespace, without rights on CRDs and stores.
    bundle.onLoad({ filter: /\/pepr\/src\/lib\/controller\/store\.ts$/ }, () => ({
      contents: readFileSync(join(__dirname, "store.ts"), "utf8"),
      loader: "ts",
    }));
    // The API server uses only UTF-8, so no other encodings are needed.
    bundle.onLoad({ filter: /\/iconv-lite\/encodings\/tables\/.*\.json$/ }, () => ({ contents: "[]", loader: "json" }));
  },
};

/** Settings of esbuild for all code in the image. */
export const settings = {
  bundle: true,
  minify: true,
  keepNames: true,
  platform: "node",
  target: "node20",
  // The Kubernetes client uses only Headers of node-fetch. undici, which kubernetes-fluent-client needs, has them too.
  alias: { "node-fetch": "undici" },
  logLevel: "warning",
  plugins: [onlyWhatIsUsed],
} satisfies BuildOptions;

/**
 * Bundles controller.ts and all dependencies of the module into one file. Throws when esbuild fails.
 * @param outfile path of the bundle
 */
export async function bundleController(outfile: string): Promise<void> {
  await build({ ...settings, entryPoints: [join(__dirname, "controller.ts")], outfile });
}
