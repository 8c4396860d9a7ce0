import { buildSync } from "esbuild";
import { join } from "node:path";

/** The program of a worker thread, from worker.ts. The build of the CLI replaces this module by the program. */
export function workerCode(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, "worker.ts")],
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
