import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { images } from "../../sandbox/node/images";
import { nodePaths } from "../../sandbox/node/paths";
import { runProgram } from "../../sandbox/run";
import { projectRoot } from "../../sandbox/paths";
import { applyScaler, createDeployment, kube } from "../e2e/cluster";
import { readyPods } from "./containers";
import { tellHandover } from "./figures";
import { leftSince, objects } from "./leftovers";
import { handover } from "./probes";

const namespace = "pepr-system";
const shop = "shop";

/** A copy of the project, because `pepr deploy` writes to dist. */
const project = join(nodePaths().root, "project");

let before: Set<string>;

/**
 * Deploys the module as docs/how-to/install-with-pepr.md says, in our own image. Throws unless it says that it did: its
 * exit code is no proof.
 */
async function deploy(): Promise<void> {
  const output = await runProgram("npx", ["pepr", "deploy", "--yes", "--image", images.module], { cwd: project });
  expect(output).toContain("Module deployed successfully");
  await readyPods(namespace, "pepr.dev/controller=watcher", 1);
  await readyPods(namespace, "pepr.dev/controller=admission", 2);
}

beforeAll(async () => {
  before = await objects();
  const generated = ["node_modules", "dist", ".git"];
  cpSync(projectRoot, project, { recursive: true, filter: path => !generated.includes(basename(path)) });
  symlinkSync(join(projectRoot, "node_modules"), join(project, "node_modules"));
  await kube(["create", "namespace", shop]);
  await kube(["apply", "-R", "-f", join(projectRoot, "dist", "install")]);
  await deploy();
  await createDeployment(shop, "still", 0);
  await applyScaler(shop, "still", { target_deployment: "still", max_replicas: 10, metric: "cpu", history_size: 5 });
});

it("goes on through a deploy of a changed module", async () => {
  const manifest = join(project, "package.json");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace('"version": "0.1.0"', '"version": "0.1.1"'));
  const seen = await handover(shop, "still", deploy);
  tellHandover("an upgrade by npx pepr deploy", seen);
  expect(seen.unaskedSeconds).toBeLessThanOrEqual(1);
  // On a busy machine it takes the next watcher long to start.
  expect(seen.nobodySeconds).toBeLessThanOrEqual(15);
});

it("leaves nothing when it is uninstalled as docs/how-to/upgrade.md#uninstall says", async () => {
  await kube(["delete", "mls", "--all", "-A"]);
  await kube(["delete", "hlo", "--all", "-A"]);
  // The objects of the last deploy have the names of the manifest.
  const manifest = join(projectRoot, "dist", "pepr-module-mlscaler.yaml");
  await kube(["delete", "--ignore-not-found", "-f", manifest]);
  await kube(["delete", "--ignore-not-found", "-R", "-f", join(projectRoot, "dist", "install")]);
  await kube(["delete", "--ignore-not-found", "crd", "peprstores.pepr.dev"]);
  await kube(["delete", "--ignore-not-found", "namespace", namespace, shop]);
  expect(await leftSince(before)).toEqual([]);
});
