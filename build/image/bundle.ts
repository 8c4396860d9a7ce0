import { build, type BuildOptions, type Plugin } from "esbuild";
import { resolve, join } from "node:path";

const nodeModules = resolve(__dirname, "../../node_modules");

/** Packages whose files only declare, but do not say so: what nobody imports of them may stay away. */
const declares = /\/node_modules\/(@kubernetes\/client-node|kubernetes-fluent-client)\/dist\//;

/** How Pepr and what it needs become part of a bundle that holds little else. */
const onlyWhatIsUsed: Plugin = {
  name: "only what is used",
  setup(bundle) {
    // Pepr from its sources: of CommonJS, which its built library is, nothing can be left out.
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
    // Of the 2,500 media types, of which four packages bring a copy each, the module answers with these.
    bundle.onLoad({ filter: /\/mime-db\/db\.json$/ }, () => ({
      contents: JSON.stringify({
        "application/json": { source: "iana", charset: "UTF-8", compressible: true, extensions: ["json"] },
        "application/octet-stream": { source: "iana", compressible: true, extensions: ["bin"] },
        "text/html": { source: "iana", compressible: true, extensions: ["html"] },
        "text/plain": { source: "iana", compressible: true, extensions: ["txt"] },
      }),
      loader: "json",
    }));
    // The API server writes UTF-8.
    bundle.onLoad({ filter: /\/iconv-lite\/encodings\/tables\/.*\.json$/ }, () => ({ contents: "[]", loader: "json" }));
  },
};

/** What esbuild is told of all that runs in the image. */
export const settings = {
  bundle: true,
  minify: true,
  keepNames: true,
  platform: "node",
  target: "node20",
  // Of node-fetch the Kubernetes client uses Headers only, which undici, the client of kubernetes-fluent-client, has too.
  alias: { "node-fetch": "undici" },
  logLevel: "warning",
  plugins: [onlyWhatIsUsed],
} satisfies BuildOptions;

/**
 * Makes one file of controller.ts and all that it and the module need. Throws when esbuild cannot.
 * @param outfile where to put it
 */
export async function bundleController(outfile: string): Promise<void> {
  await build({ ...settings, entryPoints: [join(__dirname, "controller.ts")], outfile });
}
