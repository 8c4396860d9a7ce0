import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { V1Deployment } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { statusOf, type Cluster } from "./cluster";
import { withLock } from "./lock";
import { lastLines } from "./logs";
import { projectRoot, type SandboxPaths } from "./paths";
import { moduleNamespace } from "./placement";
import type { PodReport } from "./pod";
import { start, stop } from "./processes";
import { prometheusUrl } from "./prometheus";
import { takeStep, type OnStep } from "./steps";
import { messageOf, waitFor } from "./wait";

/** Settings of a deployment of the module. */
export interface DeploySettings {
  paths: SandboxPaths;
  kubectl: string;
  cluster: Cluster;
  /** The module's pods, to name those that are not ready. */
  pods: () => PodReport[];
  signal: AbortSignal;
}

/**
 * Applies dist/install as an admin does, applies the manifest of the module from dist/, and waits until its
 * Deployments are rolled out.
 * @throws with the end of the output of a step that fails
 */
export async function deployModule(settings: DeploySettings, onStep: OnStep): Promise<void> {
  await takeStep("install", onStep, () => applyInstall(settings));
  // Liveness probes fail when the pods of several sandboxes start at once on a small machine.
  const oneAtATime = `${dirname(settings.paths.root)}.rollout.lock`;
  const rollOut = async (): Promise<void> => {
    await takeStep("deploy", onStep, () => applyManifest(settings));
    await takeStep("rollout", onStep, () => waitForRollout(settings));
  };
  await withLock(oneAtATime, rollOut, undefined, settings.signal);
}

async function applyInstall(settings: DeploySettings): Promise<void> {
  const folder = join(projectRoot, "dist", "install");
  if (!existsSync(folder)) throw new Error("dist/install is missing: run `npm run build` first");
  const { kubectl, signal } = settings;
  await runLogged(settings, "install", kubectl, ["apply", "-R", "-f", folder], 60_000);
  await namePrometheus(settings);
  signal.throwIfAborted();
}

/** Creates the Secret that names the Prometheus of the sandbox, as an admin does. Keeps an existing Secret. */
async function namePrometheus({ cluster, paths }: DeploySettings): Promise<void> {
  const body = {
    metadata: { name: "mlscaler-prometheus" },
    stringData: { main: stringify({ url: prometheusUrl(paths) }) },
  };
  await cluster.core.createNamespacedSecret({ namespace: moduleNamespace, body }).catch((error: unknown) => {
    if (statusOf(error) !== 409) throw error;
  });
}

async function applyManifest(settings: DeploySettings): Promise<void> {
  const manifest = join(projectRoot, "dist", `${moduleName().replace("pepr-", "pepr-module-")}.yaml`);
  if (!existsSync(manifest)) throw new Error(`${manifest} is missing: run \`npm run build\` first`);
  // The module is too large for the annotation of a client-side apply. The manager is that of `npx pepr deploy`.
  const apply = ["apply", "--server-side", "--force-conflicts", "--field-manager=pepr", "-f", manifest];
  await runLogged(settings, "deploy", settings.kubectl, apply, 120_000);
}

/** Runs a command with its output in a log. @throws with the end of the output on a failure and on a timeout */
async function runLogged(
  settings: DeploySettings,
  name: string,
  command: string,
  args: string[],
  timeoutMs: number,
): Promise<void> {
  const { paths, signal } = settings;
  const log = join(paths.logs, `${name}.log`);
  if (name === "deploy") rmSync(log, { force: true });
  const env = { ...process.env, KUBECONFIG: paths.kubeconfig };
  const running = await start({ name, command, args, env, cwd: projectRoot, log, records: paths.processes });
  let why = "";
  const end = (reason: string) => (): void => {
    why = reason;
    void stop(running, 1000);
  };
  const timer = setTimeout(end(`no end after ${timeoutMs / 1000} s`), timeoutMs);
  const abort = end("interrupted");
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const exit = await running.ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", abort);
  if (exit.code !== 0) {
    throw new Error(`${name}: ${why || `code ${exit.code ?? exit.signal ?? "?"}`}.\n${explain(settings.pods(), log)}`);
  }
}

/** The end of a log and of the logs of pods that are not ready. */
function explain(pods: PodReport[], log?: string): string {
  const troubled = pods.filter(({ ready }) => !ready);
  return [
    ...(log === undefined ? [] : [`The end of ${log}:`, lastLines(log, 15)]),
    ...troubled.flatMap(pod => [`Not ready: ${pod.name}. The end of ${pod.log}:`, lastLines(pod.log, 5)]),
  ].join("\n");
}

/** Waits until all pods of the module are new and ready. @throws with the logs of pods that are not ready */
async function waitForRollout({ cluster, pods, signal }: DeploySettings): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    const { items } = await cluster.apps.listNamespacedDeployment({ namespace: moduleNamespace });
    return items.length > 0 && items.every(rolledOut);
  };
  try {
    await waitFor(attempt, { what: "the module's Deployments", timeoutMs: 240_000, everyMs: 250, signal });
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${explain(pods())}`, { cause: error });
  }
}

function rolledOut({ metadata, spec, status }: V1Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.readyReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted
  );
}

/** The name that Pepr gives the module's objects. @throws when package.json has no pepr.uuid */
function moduleName(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const uuid = (manifest as { pepr?: { uuid?: unknown } }).pepr?.uuid;
  if (typeof uuid !== "string") throw new Error("package.json has no pepr.uuid");
  return `pepr-${uuid}`;
}
