import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { registration } from "./apis";
import { findBinaries } from "./binaries";
import { apiserverPort, portOf, type ComponentName } from "./components";
import * as controlPlane from "./controlplane";
import type { ComponentStatus } from "./controlplane";
import { withLock } from "./lock";
import { deployModule } from "./module";
import { sandboxPaths, sandboxSources, type SandboxPaths } from "./paths";
import type { PodState } from "./pods/pod";
import { groupMembers, sweep, type GroupMember } from "./processes";
import { prometheusUrl } from "./prometheus";
import { runProgram } from "./run";
import { takeStep, type OnStep } from "./steps";
import { waitFor } from "./wait";

/** The name of the default sandbox. */
export const defaultName = "default";

/** Options of `up`. */
export interface UpOptions {
  name?: string;
  /** True (the default) deploys the module too; false starts the control plane alone. */
  withModule?: boolean;
  onStep?: OnStep;
  /** Ends `up` and all that it has started. */
  signal?: AbortSignal;
}

/** A pod of the module, with the processes of its group and their resident memory. */
export type PodReport = PodState & { processes: GroupMember[] };

/** The state of a sandbox. It is "incomplete" until `up` has got to its end. */
export interface SandboxStatus {
  name: string;
  state: "running" | "incomplete" | "down";
  /** URLs of the API server and of Prometheus. */
  server?: string;
  prometheus?: string;
  components?: ComponentStatus[];
  pods?: PodReport[];
  kubeconfig?: string;
  logs?: string;
}

/**
 * Brings a sandbox up and returns when everything is ready. Removes the leftovers of an earlier `up` that failed. In a
 * running sandbox, starts only the components that have ended.
 * @throws with the end of the log when a component does not start; no process is left running then
 */
export async function up(options: UpOptions = {}): Promise<SandboxStatus> {
  const name = options.name ?? defaultName;
  return withLock(lockFile(name), () => upLocked(name, options), undefined, options.signal);
}

async function upLocked(name: string, options: UpOptions): Promise<SandboxStatus> {
  const { onStep = () => undefined, signal, withModule = true } = options;
  const paths = sandboxPaths(name);
  if (existsSync(paths.ready)) {
    for (const { state, name: component } of controlPlane.componentStatus(paths))
      if (state === "ended") await controlPlane.startComponent(paths, component);
    return statusNow(name);
  }
  await cleanUp(paths);
  try {
    const binaries = await takeStep("the programs", onStep, tell => findBinaries(tell, signal));
    await takeStep("keys and configuration", onStep, async () => {
      await controlPlane.prepareControlPlane(paths, binaries);
      await controlPlane.startComponent(paths, "runner", {}, signal);
      controlPlane.configureControlPlane(paths);
    });
    await takeStep("etcd", onStep, () => controlPlane.startComponent(paths, "etcd", {}, signal));
    await takeStep("API server", onStep, () => controlPlane.startComponent(paths, "apiserver", {}, signal));
    // These steps do not depend on each other. Only the module's pods wait for all of them.
    await Promise.all([
      takeStep("controller-manager, scheduler, kwok, metrics-server, Prometheus", onStep, async () => {
        const others = ["controller-manager", "scheduler", "kwok", "metrics-server", "prometheus"] as const;
        await Promise.all(others.map(component => controlPlane.startComponent(paths, component, {}, signal)));
      }),
      takeStep("nodes: five fake ones", onStep, async () => {
        await kubectlOf(paths, signal)(["apply", "-f", join(sandboxSources, "kwok", "cluster.yaml")]);
        await registerMetricsApi(paths, signal);
        await kubectlOf(paths, signal)(["wait", "--for=condition=Ready", "nodes", "--all", "--timeout=10m"]);
      }),
      withModule && deploy(name, onStep, signal),
    ]);
    await takeStep("metrics.k8s.io answers", onStep, () => waitForMetricsApi(paths, signal));
    signal?.throwIfAborted();
    writeFileSync(paths.ready, "");
    return statusNow(name);
  } catch (error) {
    await sweep(paths.processes);
    throw error;
  }
}

const kubectlOf =
  (paths: SandboxPaths, signal?: AbortSignal) =>
  (args: string[], input?: string): Promise<string> =>
    runProgram(join(paths.bin, "kubectl"), args, { env: kubectlEnvironment(paths), input, signal });

/** Registers metrics-server, at its port of this machine, as metrics.k8s.io. */
export async function registerMetricsApi(paths: SandboxPaths, signal?: AbortSignal): Promise<void> {
  const api = { group: "metrics.k8s.io", version: "v1beta1" };
  const items = registration(api, "metrics-server", portOf(paths, "metrics-server"));
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  // The API server creates the namespace kube-system shortly after it is ready.
  await waitFor(() => kubectlOf(paths, signal)(["apply", "-f", "-"], input), {
    ...{ what: "the Service of metrics-server", timeoutMilliseconds: 300_000, signal },
  });
}

/**
 * Waits until metrics.k8s.io answers. It has no metrics of a new pod for 10 to 20 s, until metrics-server has scraped
 * the pod twice.
 */
export async function waitForMetricsApi(paths: SandboxPaths, signal?: AbortSignal): Promise<void> {
  const available = ["wait", "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io", "--timeout=10m"];
  await kubectlOf(paths, signal)(available);
}

/** Ends all processes of a sandbox, running or crashed, and removes its data. Returns the state before. */
export async function down(name: string = defaultName): Promise<SandboxStatus["state"]> {
  const { state } = statusNow(name);
  // An `up` in progress notices that its components have ended, and gives the lock back.
  await sweep(sandboxPaths(name).processes);
  await withLock(lockFile(name), () => cleanUp(sandboxPaths(name)));
  return state;
}

/** The state of a sandbox. @throws when the name is not valid */
export const status = (name: string = defaultName): Promise<SandboxStatus> => Promise.resolve(statusNow(name));

function statusNow(name: string): SandboxStatus {
  const paths = sandboxPaths(name);
  const { root, ready, kubeconfig, logs } = paths;
  if (!existsSync(root)) return { name, state: "down" };
  const state = existsSync(ready) ? "running" : "incomplete";
  if (!existsSync(paths.port)) return { name, state, logs };
  return {
    name,
    state,
    server: `https://127.0.0.1:${apiserverPort(paths)}`,
    prometheus: prometheusUrl(paths),
    components: controlPlane.componentStatus(paths),
    pods: podReports(paths),
    kubeconfig,
    logs,
  };
}

function podReports({ pods }: SandboxPaths): PodReport[] {
  const files = readdirSync(pods).filter(file => file.endsWith(".json"));
  return files.flatMap(file => {
    try {
      const state = JSON.parse(readFileSync(join(pods, file), "utf8")) as PodState;
      return { ...state, processes: state.pid === undefined ? [] : groupMembers(state.pid) };
    } catch {
      // The pod has gone in the meantime.
      return [];
    }
  });
}

/**
 * Starts a component again at the same port and on the same data. Does nothing when it runs.
 * @param flags flags of this start only; they extend or replace the usual ones
 * @throws when it does not become ready, or when the sandbox is not running
 */
export async function startComponent(
  component: ComponentName,
  name: string = defaultName,
  flags: Record<string, string> = {},
): Promise<void> {
  await controlPlane.startComponent(running(name), component, flags);
}

/**
 * Ends a component. Components that depend on it keep running.
 * @param kill true sends SIGKILL at once, as in a crash
 * @throws when the sandbox is not running
 */
export async function stopComponent(component: ComponentName, name: string = defaultName, kill = false): Promise<void> {
  await controlPlane.stopComponent(running(name), component, kill);
}

/** Applies dist/ to a running sandbox. @throws with the end of the output when that fails, and on `signal` */
export async function deploy(
  name: string = defaultName,
  onStep: OnStep = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  const paths = sandboxPaths(name);
  await deployModule(kubectlOf(paths, signal), prometheusUrl(paths), () => podReports(paths), onStep);
}

/**
 * Environment variables that point `kubectl` to the sandbox and the tests to its Prometheus.
 * @throws when the sandbox is not up
 */
export function sandboxEnv(name: string = defaultName): {
  KUBECONFIG: string;
  KUBECACHEDIR: string;
  MLSCALER_PROMETHEUS: string;
  PATH: string;
} {
  const paths = sandboxPaths(name);
  return {
    ...kubectlEnvironment(paths),
    MLSCALER_PROMETHEUS: prometheusUrl(paths),
    PATH: `${paths.bin}${delimiter}${process.env.PATH ?? ""}`,
  };
}

const kubectlEnvironment = ({ kubeconfig, root }: SandboxPaths): { KUBECONFIG: string; KUBECACHEDIR: string } => ({
  KUBECONFIG: kubeconfig,
  // kubectl keeps what a server offers by its address, and sandboxes reuse ports.
  KUBECACHEDIR: join(root, "kubectl"),
});

/** Ends the processes of a sandbox and removes its data. The caller holds the lock. */
async function cleanUp(paths: SandboxPaths): Promise<void> {
  await sweep(paths.processes);
  rmSync(paths.root, { recursive: true, force: true, maxRetries: 5 });
}

function running(name: string): SandboxPaths {
  const paths = sandboxPaths(name);
  if (!existsSync(paths.port)) throw new Error(`sandbox ${name} is not running: npm run sandbox -- up`);
  return paths;
}

const lockFile = (name: string): string => `${sandboxPaths(name).root}.lock`;
