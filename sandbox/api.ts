import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findBinaries } from "./binaries";
import { parseComponent } from "./components";
import { ask, removeSocket, type DaemonStatus } from "./control";
import type { DaemonMessage, DaemonRecord, DaemonSettings } from "./daemon";
import { withLock } from "./lock";
import { lastLines } from "./logs";
import { projectRoot, sandboxPaths } from "./paths";
import { alive, endGroup, readIdentity, sweep } from "./processes";
import { prometheusUrl } from "./prometheus";
import { takeStep, type OnStep } from "./steps";
import { waitFor } from "./wait";

export type { StepEvent, OnStep, Step } from "./steps";
export type { ComponentName } from "./components";
export type { ComponentStatus } from "./controlplane";
export type { PodReport } from "./pod";

/** The name of the default sandbox. */
export const defaultName = "default";

/** Options of `up`. */
export interface UpOptions {
  name?: string;
  /** True (the default) deploys the module too; false starts the control plane alone. */
  withModule?: boolean;
  onStep?: OnStep;
  /** Called with the pid of another `up` or `down` of this sandbox, while this one waits for it. */
  onWait?: (pid: number) => void;
  /** Ends `up` and all that it has started. */
  signal?: AbortSignal;
}

/** The state of a sandbox. It is "crashed" when its daemon died and left processes or data behind. */
export interface SandboxStatus extends Partial<DaemonStatus> {
  name: string;
  state: "running" | "starting" | "crashed" | "down";
  /** The daemon's pid. */
  pid?: number;
  kubeconfig?: string;
  kubectl?: string;
  logs?: string;
}

/** The result of `up`. */
export interface UpResult extends SandboxStatus {
  /** False when the sandbox was already running. */
  fresh: boolean;
}

/**
 * Brings a sandbox up and returns when everything is ready. Removes the leftovers of a crashed sandbox first. In a
 * running sandbox, starts only the components that have ended.
 * @throws with the end of the log when a component does not start; no process is left running then
 */
export async function up(options: UpOptions = {}): Promise<UpResult> {
  const name = options.name ?? defaultName;
  return withLock(lockFile(name), () => upLocked(name, options), options.onWait);
}

async function upLocked(name: string, options: UpOptions): Promise<UpResult> {
  const { onStep = () => undefined, signal, withModule = true } = options;
  const before = await status(name);
  if (before.state === "running") {
    for (const component of before.components ?? []) {
      if (component.state === "ended") await startComponent(component.name, name);
    }
    return { ...before, fresh: false };
  }
  await cleanUp(name);
  const binaries = await takeStep("programs", onStep, tell => findBinaries(tell, signal));
  signal?.throwIfAborted();
  const paths = sandboxPaths(name);
  mkdirSync(join(paths.root, "bin"), { recursive: true, mode: 0o700 });
  mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
  symlinkSync(binaries.kubectl, join(paths.root, "bin", "kubectl"));
  await startDaemon({ name, binaries, withModule }, onStep, signal);
  return { ...(await status(name)), fresh: true };
}

/** Ends all processes of a sandbox, running or crashed, and removes its data. Returns the state before. */
export async function down(name: string = defaultName): Promise<SandboxStatus["state"]> {
  const before = await status(name);
  const record = readRecord(name);
  if (record && alive(record)) {
    // The request comes before the lock: an `up` in progress holds the lock and ends when its daemon ends.
    await ask(record.socket, { command: "down" }, 60_000).catch(() => undefined);
    await waitFor(() => !alive(record), { what: "end of the daemon", timeoutMs: 15_000 }).catch(() => undefined);
  }
  await withLock(lockFile(name), () => cleanUp(name));
  return before.state;
}

/** The state of a sandbox. @throws when the name is not valid */
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
 * Starts a component again at the same port and on the same data. Does nothing when it runs.
 * @param flags flags of this start only; they extend or replace the usual ones
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
 * Ends a component. Components that depend on it keep running.
 * @param kill true sends SIGKILL at once, as in a crash
 * @throws when the sandbox is not running
 */
export async function stopComponent(component: string, name: string = defaultName, kill = false): Promise<void> {
  await ask(socketOf(name), { command: "stop", component: parseComponent(component), kill }, 60_000);
}

/** Applies dist/ to a running sandbox. @throws with the end of the output when that fails, and on `signal` */
export async function deploy(name: string = defaultName, onStep?: OnStep, signal?: AbortSignal): Promise<void> {
  await ask(socketOf(name), { command: "deploy" }, 600_000, onStep, signal);
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
    KUBECONFIG: paths.kubeconfig,
    // kubectl keeps what a server offers by its address, and sandboxes reuse ports.
    KUBECACHEDIR: join(paths.root, "kubectl"),
    MLSCALER_PROMETHEUS: prometheusUrl(paths),
    PATH: `${join(paths.root, "bin")}${delimiter}${process.env.PATH ?? ""}`,
  };
}

async function startDaemon(settings: DaemonSettings, onStep: OnStep, signal?: AbortSignal): Promise<void> {
  const log = join(sandboxPaths(settings.name).logs, "daemon.log");
  const output = openSync(log, "a", 0o600);
  const child = spawn(process.execPath, [join(projectRoot, "dist", "daemon.js")], {
    cwd: projectRoot,
    env: localEnvironment(),
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
    // A daemon that is not ready ends by itself when `up` disconnects. The `exit` event then ends the wait.
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

/** The environment of this process without proxies and the settings of a test run: everything runs on this machine. */
export function localEnvironment(): NodeJS.ProcessEnv {
  const proxies = /^(https?|all|no)_proxy$/i;
  const unwanted = /^(KUBECONFIG|NODE_OPTIONS|VITEST.*|NODE_CHANNEL_.*|MLSCALER_PROMETHEUS)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !proxies.test(name) && !unwanted.test(name)),
  );
}

/** Ends the processes of a sandbox and removes its data. The caller holds the lock. */
async function cleanUp(name: string): Promise<void> {
  const paths = sandboxPaths(name);
  const record = readRecord(name);
  // The daemon ends first, because it restarts pods.
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
