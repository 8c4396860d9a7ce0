import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { V1Deployment } from "@kubernetes/client-node";
import { mergePatch, statusOf, type Cluster } from "./cluster";
import type { ServiceForward } from "./forward";
import type { Isolation } from "./launch";
import { withLock } from "./lock";
import { lastLines } from "./logs";
import { projectRoot, type SandboxPaths } from "./paths";
import { moduleNamespace } from "./placement";
import type { PodReport } from "./pod";
import { start, stop } from "./processes";
import { takeStep, type OnStep } from "./steps";
import { waitFor } from "./wait";

/** What deploying the module takes. */
export interface DeploySettings {
  paths: SandboxPaths;
  kubectl: string;
  cluster: Cluster;
  isolation: Isolation;
  forward: ServiceForward;
  takePort: () => Promise<number>;
  /** File with the certificate that signed the loopback certificate. */
  loopbackCa: string;
  /** The module's pods, to say which of them is in trouble. */
  pods: () => PodReport[];
  signal: AbortSignal;
}

/** The build takes 20 to 40 s, the pods' first probe 10 s more. */
const deployTimeoutMs = 480_000;

/**
 * Installs what an admin installs, then runs the real `pepr deploy`, and waits until its Deployments are rolled out. Who
 * had to wait for another that ran it applies the manifest that this has just built.
 * @throws when one of them fails, with the end of its output
 */
export async function deployModule(settings: DeploySettings, onStep: OnStep): Promise<void> {
  await takeStep("install", onStep, () => applyInstall(settings));
  await takeStep("deploy", onStep, async tell => {
    // It builds into dist/ of the project: two at once would mix their output.
    const lock = join(projectRoot, "node_modules", ".cache", "mlscaler-deploy.lock");
    let built = false;
    await withLock(
      lock,
      () => (built && existsSync(manifest()) ? applyManifest(settings) : peprDeploy(settings)),
      pid => {
        built = true;
        tell(`waits for that of process ${pid}`);
      },
    );
  });
  await takeStep("rollout", onStep, async tell => {
    if (settings.isolation === "environment") tell(await callWebhooksByUrl(settings));
    await waitForRollout(settings);
  });
}

async function applyInstall(settings: DeploySettings): Promise<void> {
  const folder = join(projectRoot, "dist", "install");
  if (!existsSync(folder)) throw new Error("dist/install is missing: run `npm run build` first");
  const { kubectl, signal } = settings;
  await runLogged(settings, "install", kubectl, ["apply", "-R", "-f", folder], 60_000);
  await runLogged(
    settings,
    "install",
    kubectl,
    ["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"],
    70_000,
  );
  signal.throwIfAborted();
}

async function peprDeploy(settings: DeploySettings): Promise<void> {
  if (settings.isolation === "environment") await removeWebhooks(settings);
  const cli = join(projectRoot, "node_modules", "pepr", "dist", "cli.js");
  const log = await runLogged(settings, "deploy", process.execPath, [cli, "deploy", "--yes"], deployTimeoutMs);
  // It ends with code 0 whatever happened.
  if (!lastLines(log, 50).includes("Module deployed successfully")) {
    throw new Error(`pepr deploy did not deploy.\n${explain(settings, log)}`);
  }
}

async function applyManifest(settings: DeploySettings): Promise<void> {
  if (settings.isolation === "environment") await removeWebhooks(settings);
  // Server-side: the module is too large for the annotation that an apply by the client leaves.
  const apply = ["apply", "--server-side", "--force-conflicts", "-f", manifest()];
  await runLogged(settings, "deploy", settings.kubectl, apply, deployTimeoutMs);
}

/** What `pepr build`, and `pepr deploy` with it, leaves. */
const manifest = (): string => join(projectRoot, "dist", `${moduleName().replace("pepr-", "pepr-module-")}.yaml`);

/** Returns the log's path. @throws on a failure or after the time, with the end of the output */
async function runLogged(
  settings: DeploySettings,
  name: string,
  command: string,
  args: string[],
  timeoutMs: number,
): Promise<string> {
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
    throw new Error(`${name}: ${why || `code ${exit.code ?? exit.signal ?? "?"}`}.\n${explain(settings, log)}`);
  }
  return log;
}

/** The end of a log without the lines that only count seconds, and of the logs of pods that are not ready. */
function explain({ pods }: DeploySettings, log: string): string {
  const noise = /Waiting for deployment|rollout to finish|^\s*[├│└]/;
  const told = lastLines(log, 1000)
    .split("\n")
    .filter(line => line.trim() && !noise.test(line));
  const troubled = pods().filter(({ ready }) => !ready);
  return [
    `The end of ${log}:`,
    ...told.slice(-15),
    ...troubled.flatMap(pod => [`Not ready: ${pod.name}. The end of ${pod.log}:`, lastLines(pod.log, 5)]),
  ].join("\n");
}

/** What `pepr deploy` does not wait for: the new pods of a redeployment, not only as many as before. */
async function waitForRollout({ cluster, signal }: DeploySettings): Promise<void> {
  await waitFor(
    async () => {
      const { items } = await cluster.apps.listNamespacedDeployment({ namespace: moduleNamespace });
      return items.length > 0 && items.every(rolledOut);
    },
    { what: "the module's Deployments", timeoutMs: 120_000, everyMs: 250, signal },
  );
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

/** Name that Pepr gives the module's objects. */
function moduleName(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const uuid = (manifest as { pepr?: { uuid?: unknown } }).pepr?.uuid;
  if (typeof uuid !== "string") throw new Error("package.json has no pepr.uuid");
  return `pepr-${uuid}`;
}

/** Without the right to listen on the Service's port 443 the API server calls the webhook at a port of 127.0.0.1. */
async function callWebhooksByUrl(settings: DeploySettings): Promise<string> {
  const { cluster, forward } = settings;
  const name = moduleName();
  const { spec } = await cluster.core.readNamespacedService({ name, namespace: moduleNamespace });
  const port = await settings.takePort();
  await forward.listenLocally(port, moduleNamespace, spec?.selector ?? {});
  const caBundle = readFileSync(settings.loopbackCa).toString("base64");
  const byUrl = <T extends { clientConfig?: { service?: { path?: string } } }>(webhook: T): T => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig?.service?.path ?? "/"}`, caBundle },
  });
  const { webhooks } = cluster;
  const validating = await webhooks.readValidatingWebhookConfiguration({ name }).catch(ifMissing);
  if (validating) {
    await webhooks.patchValidatingWebhookConfiguration(
      { name, body: { webhooks: validating.webhooks?.map(byUrl) } },
      mergePatch,
    );
  }
  const mutating = await webhooks.readMutatingWebhookConfiguration({ name }).catch(ifMissing);
  if (mutating) {
    await webhooks.patchMutatingWebhookConfiguration(
      { name, body: { webhooks: mutating.webhooks?.map(byUrl) } },
      mergePatch,
    );
  }
  return `webhooks are called at https://127.0.0.1:${port}, not through their Service`;
}

/** The URL above belongs to the sandbox; `pepr deploy` cannot turn it back into a Service. */
async function removeWebhooks({ cluster: { webhooks } }: DeploySettings): Promise<void> {
  const name = moduleName();
  await webhooks.deleteValidatingWebhookConfiguration({ name }).catch(ifMissing);
  await webhooks.deleteMutatingWebhookConfiguration({ name }).catch(ifMissing);
}

/** @throws anything but "not found" */
function ifMissing(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error;
}
