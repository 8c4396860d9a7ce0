import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { projectRoot } from "./paths";
import { lastLines } from "./processes";
import { takeStep, type OnStep } from "./steps";

type Kubectl = (args: string[], input?: string) => Promise<string>;

const namespace = "pepr-system";
/** The image of `npm run image`, as in `npx pepr deploy --image`. It takes half the memory and time of Pepr's. */
const image = "localhost/mlscaler:0.1.0";
const deployments = ["pepr-mlscaler", "pepr-mlscaler-watcher"];

/**
 * Applies dist/install and names Prometheus, as an admin does, applies the manifest of the module from dist/, and waits
 * until its Deployments are rolled out.
 * @param pods the module's pods, to show the logs of those that are not ready
 * @throws with the output of a step that fails
 */
export async function deployModule(
  kubectl: Kubectl,
  prometheusUrl: string,
  pods: () => { name: string; ready: boolean; log: string }[],
  onStep: OnStep,
): Promise<void> {
  await takeStep("dist/install: CRDs and roles", onStep, async () => {
    await kubectl(["apply", "-R", "-f", inDist("install")]);
    const secret = ["mlscaler-prometheus", "--namespace", namespace];
    const existing = await kubectl(["get", "secret", ...secret, "--ignore-not-found"]);
    const server = `--from-literal=main=${stringify({ url: prometheusUrl })}`;
    if (existing === "") await kubectl(["create", "secret", "generic", ...secret, server]);
  });
  await takeStep("the module: dist/pepr-module-mlscaler.yaml", onStep, async () => {
    // The module is too large for the annotation of a client-side apply. The manager is that of `npx pepr deploy`.
    const apply = ["apply", "--server-side", "--force-conflicts", "--field-manager=pepr", "-f", "-"];
    const manifest = readFileSync(inDist("pepr-module-mlscaler.yaml"), "utf8");
    await kubectl(apply, manifest.replace(/ image: \S+/g, ` image: ${image}`));
  });
  await takeStep("the module's pods are ready", onStep, async () => {
    try {
      const options = ["--namespace", namespace, "--timeout=10m"];
      for (const name of deployments) await kubectl(["rollout", "status", `deployment/${name}`, ...options]);
    } catch (error) {
      const troubled = pods().filter(({ ready }) => !ready);
      const logs = troubled.map(({ name, log }) => `Not ready: ${name}. The end of ${log}:\n${lastLines(log, 5)}`);
      throw new Error(["the module is not rolled out", ...logs].join("\n"), { cause: error });
    }
  });
}

function inDist(file: string): string {
  const path = join(projectRoot, "dist", file);
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`npm run build\` first`);
  return path;
}
