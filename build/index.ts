import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { parseAllDocuments } from "yaml";
import { bundleController } from "./image/bundle";
import { writeInstall } from "./install";

const root = resolve(__dirname, "..");
const dist = join(root, "dist");
const uuid = "mlscaler";
const bundleBudget = 300_000;
const stepMilliseconds = 600_000;

/** Checks, builds, and looks at what was built, because `pepr build` ends with exit code 0 whatever happened. */
async function build(): Promise<void> {
  // The project of the tests takes in all there is.
  await Promise.all([
    step("type check", "tsc", "-p", "test"),
    step("eslint", "eslint", ".", "--max-warnings", "0"),
    step("prettier", "prettier", "--check", "--log-level", "warn", "."),
  ]);
  rmSync(dist, { recursive: true, force: true });
  await step("pepr build", "pepr", "build");
  await writeInstall(root, join(dist, "install"));
  await step("esbuild cli", "tsx", "build/cli.ts");
  await bundleController(join(dist, "image/controller.js"));
  checkArtefacts();
}

/** Runs a program of node_modules; when it fails, shows what it said and ends with exit code 1. */
async function step(name: string, command: string, ...args: string[]): Promise<void> {
  const started = Date.now();
  try {
    await promisify(execFile)(join(root, "node_modules/.bin", command), args, {
      cwd: root,
      maxBuffer: 64 << 20,
      timeout: stepMilliseconds,
    });
  } catch (error) {
    const { stdout = "", stderr = "", killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    // A timer that lives at import time keeps pepr build from ever ending.
    fail(`${name} ${killed ? `did not end within ${stepMilliseconds / 1000} s` : "failed"}\n${stdout}${stderr}`);
  }
  console.log(`${name}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function checkArtefacts(): void {
  const manifest = join(dist, `pepr-module-${uuid}.yaml`);
  const bundle = join(dist, `pepr-${uuid}.js`);
  for (const file of [bundle, manifest, join(dist, `${uuid}-chart/Chart.yaml`)]) {
    if (!existsSync(file)) fail(`pepr build left no ${file}; run npx pepr build to see why`);
  }
  const documents = parseAllDocuments(readFileSync(manifest, "utf8"));
  const kinds = documents.map(document => String(document.get("kind")));
  for (const kind of ["ValidatingWebhookConfiguration", "Deployment", "ServiceAccount"]) {
    if (!kinds.includes(kind)) fail(`${manifest} holds no ${kind}; there are ${kinds.join(", ")}`);
  }
  const size = gzipSync(readFileSync(bundle)).length;
  if (size > bundleBudget) fail(`the bundle is ${size} bytes gzip, its budget is ${bundleBudget}`);
  console.log(`dist/ is built: the bundle is ${Math.round(size / 1000)} kB gzip of ${bundleBudget / 1000}`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

void build();
