import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { z } from "zod";
import { settings } from "../../build/image/bundle";
import config from "../../package.json";
import { projectRoot } from "../../sandbox/paths";

/** The parts in load order, as in our image. Memory shared with an earlier part counts for the earlier part. */
const parts = [
  { title: "node:https", code: 'import "node:https"' },
  { title: "express, Pepr's HTTP server", code: 'export * from "express"' },
  { title: "undici, the client of kubernetes-fluent-client", code: 'export * from "undici"' },
  {
    title: "kubernetes-fluent-client, its part of @kubernetes/client-node",
    code: 'export * from "kubernetes-fluent-client"; export { KubeConfig } from "@kubernetes/client-node"',
  },
  { title: "the rest of Pepr: pino, ramda, prom-client, itself", code: 'export * from "pepr"' },
  {
    title: "zod, what is used of it",
    code: 'import * as z from "zod"; export const schema = z.object({ of: z.string() })',
  },
  { title: "the module: schemas, controllers, ml-regression", code: 'export * from "./pepr"' },
];

/** Loads its arguments one after another. Prints the resident memory before the first and after each. */
const probe = `
  const { readFileSync } = require("node:fs");
  const resident = () => {
    gc();
    return Number(/^Rss:\\s+(\\d+)/m.exec(readFileSync("/proc/self/smaps_rollup", "utf8"))[1]) * 1024;
  };
  (async () => {
    const seen = [resident()];
    for (const file of process.argv.slice(1)) {
      await import(file);
      seen.push(resident());
    }
    console.log(JSON.stringify(seen));
  })();`;

/** The resident memory that each part of the module adds when it is loaded, in bytes. Throws when esbuild fails. */
export async function measureParts(): Promise<{ title: string; bytes: number }[]> {
  // The folder from which the packages resolve.
  const cache = join(projectRoot, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "footprint-"));
  try {
    await build({
      ...settings,
      entryPoints: parts.map((_, index) => ({ in: `part:${index}`, out: String(index) })),
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      format: "esm",
      splitting: true,
      // CommonJS code in the bundle requires Node's modules.
      banner: { js: 'import { createRequire as ofNode } from "node:module"; const require = ofNode(import.meta.url);' },
      plugins: [
        ...settings.plugins,
        {
          name: "parts",
          setup(bundle) {
            bundle.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }));
            bundle.onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({
              contents: parts[Number(path)]?.code,
              resolveDir: projectRoot,
            }));
          },
        },
      ],
    });
    const files = parts.map((_, index) => join(folder, `${index}.mjs`));
    // The same small space for new objects as in a container of 512 Mi.
    const flags = ["--expose-gc", "--max-semi-space-size=1"];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", probe, ...files], {
      env: { PATH: process.env.PATH, ...config.pepr.env, PEPR_MODE: "build", LOG_LEVEL: "silent" },
    });
    const [bare = 0, ...after] = z.array(z.number()).parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    const added = parts.map(({ title }, index) => ({
      title,
      bytes: (after[index] ?? NaN) - (index === 0 ? bare : (after[index - 1] ?? NaN)),
    }));
    return [{ title: "Node itself", bytes: bare }, ...added];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
