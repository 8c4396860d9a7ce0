import { build, Plugin } from "esbuild";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { fleetPage } from "../cli/fleet/page/page";
import { page } from "../cli/simulate/report/page";
import { surveyPage } from "../cli/survey/page/page";
import { workerCode } from "../cli/survey/worker-code";
import { packageVersion, root } from "./step";

/** Replaces a module that builds a text when it is called, by the finished text. */
const finished = (name: string, filter: RegExp, text: () => string): Plugin => ({
  name: `finished ${name}`,
  setup(bundle) {
    bundle.onLoad({ filter }, () => ({ contents: `export const ${name} = () => ${JSON.stringify(text())};` }));
  },
});

/** Replaces package.json. The CLI needs only its version. */
const finishedVersion = (version: string): Plugin => ({
  name: "finished version",
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]package\.json$/ }, ({ path }) =>
      path === join(root, "package.json") ? { contents: JSON.stringify({ version }), loader: "json" } : undefined,
    );
  },
});

/** Bundles the CLI of this version into one file that needs only Node. Throws when esbuild fails. */
export async function buildCli(outfile: string, version = packageVersion()): Promise<void> {
  await build({
    entryPoints: [join(root, "cli/index.ts")],
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "warning",
    outfile,
    plugins: [
      finished("page", /simulate\/report\/page\.ts$/, page),
      finished("surveyPage", /survey\/page\/page\.ts$/, surveyPage),
      finished("fleetPage", /fleet\/page\/page\.ts$/, fleetPage),
      finished("workerCode", /survey\/worker-code\.ts$/, workerCode),
      finishedVersion(version),
    ],
  });
  chmodSync(outfile, 0o755);
}

// npm run build calls it as a program, beside others.
if (require.main === module) void buildCli(process.argv[2] ?? join(root, "dist/cli/mlscaler.js"));
