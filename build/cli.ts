import { build, Plugin } from "esbuild";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { page } from "../cli/simulate/report/page";

/** The page of reports as it is now, in place of the module that puts it together. */
const finishedPage: Plugin = {
  name: "finished page",
  setup(bundle) {
    bundle.onLoad({ filter: /simulate\/report\/page\.ts$/ }, () => ({
      contents: `export const page = () => ${JSON.stringify(page())};`,
    }));
  },
};

/** Makes the CLI one file that runs with Node alone, wherever it is. Throws when esbuild cannot. */
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
