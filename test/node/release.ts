import { join } from "node:path";
import { findHelm } from "../../sandbox/build";
import { nodePaths } from "../../sandbox/node/paths";
import { runProgram } from "../../sandbox/run";
import { projectRoot } from "../../sandbox/paths";
import { readyPods, type Pod } from "./containers";

/** The namespace of the release. */
export const namespace = "scaling";

/** The port of admission pods, as in values.yaml. */
export const admissionPort = 10250;

const chart = join(projectRoot, "charts", "mlscaler");

/** Runs helm. Throws with its output when it fails. */
export async function helm(...args: string[]): Promise<string> {
  const cache = join(nodePaths().root, "helm");
  const program = await findHelm(console.log);
  return runProgram(program, args, { env: { HELM_CACHE_HOME: cache, HELM_CONFIG_HOME: cache } });
}

/**
 * Installs or upgrades the chart with an image, as docs/how-to/install-with-helm.md says, and waits until its pods are
 * ready.
 */
export async function deployChart(image: string, ...args: string[]): Promise<void> {
  const [, registry = "", repository = "", tag = ""] = /^(.*)\/(.*):(.*)$/.exec(image) ?? [];
  const values = `image.registry=${registry},image.repository=${repository},image.tag=${tag}`;
  const release = ["mlscaler", chart, "--namespace", namespace, "--set", values];
  await helm("upgrade", "--install", ...release, "--wait", "--timeout", "15m", ...args);
}

/** The pods of the release, all of them ready. */
export async function modulePods(): Promise<{ watcher: Pod; admission: Pod[] }> {
  const ofRole = (role: string, count: number): Promise<Pod[]> =>
    readyPods(namespace, `app.kubernetes.io/component=${role}`, count);
  const [watcher] = await ofRole("watcher", 1);
  if (!watcher) throw new Error("no watcher is ready");
  return { watcher, admission: await ofRole("admission", 2) };
}
