import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseAllDocuments } from "yaml";
import { writeGenerated } from "./generated";
import { bundleController } from "./image/bundle";
import { bundleSandbox } from "./sandbox";
import { root, step } from "./step";

const dist = join(root, "dist");
const uuid = "mlscaler";
/** Bytes after gzip. Pepr's limit is 786 kB. */
const bundleBudget = 300_000;

/** Builds dist/ and checks the result, because `pepr build` exits with code 0 even on a failure. */
async function build(): Promise<void> {
  // These are in the repository and are written again. They are never missing meanwhile: others may apply them.
  for (const name of existsSync(dist) ? readdirSync(dist) : [])
    if (name !== "install" && name !== "optional") rmSync(join(dist, name), { recursive: true, force: true });
  const [said] = await Promise.all([
    step("pepr build", "pepr", "build"),
    step("esbuild cli", "tsx", "build/cli.ts"),
    bundleController(join(dist, "image/controller.js")),
    bundleSandbox(dist),
    writeGenerated(root),
  ]);
  checkArtefacts(said);
  copyFileSync(join(dist, `pepr-${uuid}.js`), join(dist, "image/module.js"));
  // The chart is charts/mlscaler. That of Pepr has a private key and cannot be loaded.
  for (const name of [`${uuid}-chart`, "zarf.yaml"]) rmSync(join(dist, name), { recursive: true, force: true });
}

/**
 * Checks that the build is complete and the bundle within its budget. Throws when it is not.
 * @param said output of `pepr build`
 */
function checkArtefacts(said: string): void {
  const manifest = join(dist, `pepr-module-${uuid}.yaml`);
  const bundle = join(dist, `pepr-${uuid}.js`);
  for (const file of [bundle, manifest]) {
    if (!existsSync(file)) throw new Error(`pepr build left no ${file}\n${said}`);
  }
  const documents = parseAllDocuments(readFileSync(manifest, "utf8"));
  const kinds = documents.map(document => String(document.get("kind")));
  for (const kind of ["ValidatingWebhookConfiguration", "Deployment", "ServiceAccount"]) {
    if (!kinds.includes(kind)) throw new Error(`${manifest} contains no ${kind}, only ${kinds.join(", ")}`);
  }
  const size = gzipSync(readFileSync(bundle)).length;
  if (size > bundleBudget) throw new Error(`the bundle is ${size} bytes gzip, its budget is ${bundleBudget}`);
  console.log(`dist/ is built: the bundle is ${Math.round(size / 1000)} kB gzip of ${bundleBudget / 1000}`);
}

build().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
