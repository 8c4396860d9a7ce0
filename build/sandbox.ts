import { build } from "esbuild";
import { join } from "node:path";
import { root } from "./step";

/**
 * Bundles `npm start`, `npm run sandbox` and the runner of pods into one file each. As sources, with the whole
 * Kubernetes client, they take 2 s of CPU time to load. Throws when esbuild fails.
 * @param outdir a folder in the project's root, because the sandbox finds its other files relative to it
 */
export async function bundleSandbox(outdir: string): Promise<void> {
  await build({
    entryPoints: { start: "start.ts", sandbox: "index.ts", runner: "pods/runner.ts" },
    absWorkingDir: join(root, "sandbox"),
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    outdir,
  });
}
