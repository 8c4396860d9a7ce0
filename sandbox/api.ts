import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { findBinaries } from "./binaries";
import { parseComponent } from "./components";
import { ask, removeSocket, type DaemonStatus } from "./control";
import type { DaemonMessage, DaemonRecord, DaemonSettings } from "./daemon";
import { withLock } from "./lock";
import { lastLines } from "./logs";
import { projectRoot, sandboxPaths, sandboxSources } from "./paths";
import { alive, endGroup, readIdentity, sweep } from "./processes";
import { prometheusUrl } from "./prometheus";
import { takeStep, type OnStep } from "./steps";
import { waitFor } from "./wait";

export type { StepEvent, OnStep, Step } from "./steps";
export type { ComponentName } from "./components";
export type { ComponentStatus } from "./controlplane";
export type { PodReport } from "./pod";
export type { Isolation } from "./launch";

/** The sandbox that is meant when no name is given. */
export const defaultName = "default";

/** What `up` may be told. */
export interface UpOptions {
  name?: string;
  /** Deploy the module (default) or bring up the control plane alone. */
  withModule?: boolean;
  /** Start the module's processes as where one is not root, even as root. */
  rootless?: boolean;
  onStep?: OnStep;
  /** Called when another `up` or `down` of this sandbox has to be waited for. */
  onWait?: (pid: number) => void;
  /** Ends `up`, and with it what it has started. */
  signal?: AbortSignal;
}

/** How a sandbox fares: "crashed" is one whose daemon died and left something behind. */
export interface SandboxStatus extends Partial<DaemonStatus> {
  name: string;
  state: "running" | "starting" | "crashed" | "down";
  /** The daemon's pid. */
  pid?: number;
  kubeconfig?: string;
  kubectl?: string;
  logs?: string;
}

/** What `up` found or made. */
export interface UpResult extends SandboxStatus {
  kubeconfig: string;
  kubectl: string;
  /** False when it was running already. */
  fresh: boolean;
}

/**
 * Brings a sandbox up and returns when everything is ready; one that is running is left as it is, except that
 * components that have ended are started again. What a crashed one left is cleaned away first.
 * @throws when something does not start, with the end of its log; nothing is left running then
 */
export async function up(options: UpOptions = {}): Promise<UpResult> {
  const name = options.name ?? defaultName;
  return withLock(lockFile(name), () => upLocked(name, options), options.onWait);
}

async function upLocked(name: string, options: UpOptions): Promise<UpResult> {
  const { onStep = () => undefined, signal, withModule = true, rootless = false } = options;
  const before = await status(name);
  if (before.state === "running") {
    for (const component of before.components ?? []) {
      if (component.state === "ended") await startComponent(component.name, name);
    }
    return { ...upResult(before), fresh: false };
  }
  await cleanUp(name);
  const binaries = await takeStep("programs", onStep, tell => findBinaries(tell, signal));
  signal?.throwIfAborted();
  const paths = sandboxPaths(name);
  mkdirSync(join(paths.root, "bin"), { recursive: true, mode: 0o700 });
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  symlinkSync(binaries.kubectl, join(paths.root, "bin", "kubectl"));
  await startDaemon({ name, binaries, withModule, rootless }, onStep, signal);
  return { ...upResult(await status(name)), fresh: true };
}

function upResult(found: SandboxStatus): SandboxStatus & { kubeconfig: string; kubectl: string } {
  const { kubeconfig, kubectl } = found;
  if (!kubeconfig || !kubectl) throw new Error(`sandbox ${found.name} is ${found.state}`);
  return { ...found, kubeconfig, kubectl };
}

/** Ends everything of a sandbox, running or crashed, and removes its data. Returns what there was. */
export async function down(name: string = defaultName): Promise<SandboxStatus["state"]> {
  const before = await status(name);
  const record = readRecord(name);
  if (record && alive(record)) {
    // Asked before the lock is taken: an `up` that is under way holds it and ends when its daemon does.
    await ask(record.socket, { command: "down" }, 60_000).catch(() => undefined);
    await waitFor(() => !alive(record), { what: "end of the daemon", timeoutMs: 15_000 }).catch(() => undefined);
  }
  await withLock(lockFile(name), () => cleanUp(name));
  return before.state;
}

/** How a sandbox fares. Never throws for a name that may exist. */
export async function status(name: string = defaultName): Promise<SandboxStatus> {
  const paths = sandboxPaths(name);
  const record = readRecord(name);
  if (!record) return { name, state: existsSync(paths.root) ? "crashed" : "down" };
  const where = {
    name,
    pid: record.pid,
    kubeconfig: paths.kubeconfig,
    kubectl: join(paths.root, "bin", "kubectl"),
    logs: paths.logs,
  };
  if (!alive(record)) return { name, state: "crashed", logs: paths.logs };
  try {
    const daemon = await ask<DaemonStatus>(record.socket, { command: "status" }, 10_000);
    return { ...where, ...daemon, state: daemon.ready ? "running" : "starting" };
  } catch {
    return { ...where, state: "starting" };
  }
}

/**
 * Starts a component again at the same port and on the same data; harmless when it runs.
 * @param flags of this start, beside the usual ones or in their place
 * @throws when it does not become ready, or when the sandbox is not running
 */
export async function startComponent(
  component: string,
  name: string = defaultName,
  flags: Record<string, string> = {},
): Promise<void> {
  await ask(socketOf(name), { command: "start", component: parseComponent(component), flags }, 120_000);
}

/**
 * Ends a component; what depends on it is left to cope.
 * @param kill SIGKILL at once, as in a crash
 */
export async function stopComponent(component: string, name: string = defaultName, kill = false): Promise<void> {
  await ask(socketOf(name), { command: "stop", component: parseComponent(component), kill }, 60_000);
}

/** Applies dist/install and runs `pepr deploy` on a running sandbox. @throws when it fails, with the end of its output */
export async function deploy(name: string = defaultName, onStep?: OnStep): Promise<void> {
  await ask(socketOf(name), { command: "deploy" }, 600_000, onStep);
}

/** Environment in which `kubectl` speaks to the sandbox, and where its Prometheus is. @throws when the sandbox is not up */
export function sandboxEnv(name: string = defaultName): {
  KUBECONFIG: string;
  MLSCALER_PROMETHEUS: string;
  PATH: string;
} {
  const paths = sandboxPaths(name);
  return {
    KUBECONFIG: paths.kubeconfig,
    MLSCALER_PROMETHEUS: prometheusUrl(paths),
    PATH: `${join(paths.root, "bin")}${delimiter}${process.env.PATH ?? ""}`,
  };
}

async function startDaemon(settings: DaemonSettings, onStep: OnStep, signal?: AbortSignal): Promise<void> {
  const log = join(sandboxPaths(settings.name).logs, "daemon.log");
  const output = openSync(log, "a", 0o600);
  const loader = pathToFileURL(createRequire(join(projectRoot, "package.json")).resolve("tsx")).href;
  const child = spawn(process.execPath, ["--import", loader, join(sandboxSources, "daemon.ts")], {
    cwd: projectRoot,
    env: daemonEnvironment(),
    detached: true,
    stdio: ["ignore", output, output, "ipc"],
  });
  closeSync(output);
  try {
    await readiness(child, settings, onStep, log, signal);
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function readiness(
  child: ChildProcess,
  settings: DaemonSettings,
  onStep: OnStep,
  log: string,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // The daemon ends by itself when it loses sight of `up`; its end is waited for.
    signal?.addEventListener("abort", () => child.disconnect(), { once: true });
    child.on("message", (message: DaemonMessage) => {
      if (message.type === "step") onStep(message.event);
      else if (message.type === "ready") resolve();
      else reject(new Error(message.error));
    });
    child.once("exit", () =>
      reject(signal?.aborted ? new Error("interrupted") : new Error(`the daemon ended:\n${lastLines(log, 15)}`)),
    );
    child.send(settings);
  });
}

/** Everything runs on this machine: a proxy would only be in the way. */
function daemonEnvironment(): NodeJS.ProcessEnv {
  const proxies = /^(https?|all|no)_proxy$/i;
  const unwanted = /^(KUBECONFIG|NODE_OPTIONS|VITEST.*|NODE_CHANNEL_.*|MLSCALER_PROMETHEUS)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !proxies.test(name) && !unwanted.test(name)),
  );
}

/** Ends and removes whatever a sandbox has left. Only under the lock. */
async function cleanUp(name: string): Promise<void> {
  const paths = sandboxPaths(name);
  const record = readRecord(name);
  // The daemon first: it would start pods again.
  if (record) await endGroup(record);
  await sweep(paths.processes);
  if (record) removeSocket(record.socket);
  rmSync(paths.root, { recursive: true, force: true, maxRetries: 5 });
}

function socketOf(name: string): string {
  const record = readRecord(name);
  if (!record || !alive(record)) throw new Error(`sandbox ${name} is not running: npm run sandbox -- up`);
  return record.socket;
}

function readRecord(name: string): DaemonRecord | undefined {
  const path = sandboxPaths(name).daemon;
  const identity = readIdentity(path);
  if (!identity) return undefined;
  const { socket = "" } = JSON.parse(readFileSync(path, "utf8")) as Partial<DaemonRecord>;
  return { ...identity, socket };
}

function lockFile(name: string): string {
  return `${sandboxPaths(name).root}.lock`;
}
