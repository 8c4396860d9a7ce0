import { build, Plugin } from "esbuild";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { page } from "../cli/simulate/report/page";

/** Replaces the module that assembles the report page by the finished page. */
const finishedPage: Plugin = {
  name: "finished page",
  setup(bundle) {
    bundle.onLoad({ filter: /simulate\/report\/page\.ts$/ }, () => ({
      contents: `export const page = () => ${JSON.stringify(page())};`,
    }));
  },
};

/** Bundles the CLI into one file that needs only Node. Throws when esbuild fails. */
async function buildCli(root: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(root, "cli/index.ts")],
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    outfile,
    plugins: [finishedPage],
  });
  chmodSync(outfile, 0o755);
}

void buildCli(join(__dirname, ".."), process.argv[2] ?? join(__dirname, "../dist/cli/mlscaler.js"));
