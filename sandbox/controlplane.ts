import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  apiserverPort,
  component,
  componentNames,
  flags,
  portOf,
  type Component,
  type ComponentName,
} from "./components";
import { get } from "./get";
import type { SandboxPaths } from "./paths";
import { createPki, pkiIn } from "./pki";
import { alive, endGroup, lastLines, readIdentity, start } from "./processes";
import type { Binaries } from "./programs";
import { writePrometheusConfig } from "./prometheus";
import { waitFor } from "./wait";

/** The state of a component: `ended` when it ended by itself, `stopped` when a caller stopped it. */
export interface ComponentStatus {
  name: ComponentName;
  state: "running" | "stopped" | "ended";
  pid?: number;
  port: number;
  log: string;
}

/** Creates the folders and keys of a sandbox, and links to its programs. */
export async function prepareControlPlane(paths: SandboxPaths, binaries: Binaries): Promise<void> {
  for (const folder of [paths.root, paths.bin, paths.logs, paths.pods, paths.targets])
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [program, path] of Object.entries(binaries)) symlinkSync(path, join(paths.bin, program));
  await createPki(paths.pki);
}

/** Writes kubeconfig and configurations, when the sandbox has its ports. */
export function configureControlPlane(paths: SandboxPaths): void {
  const { ca, cert, key } = pkiIn(paths.pki);
  const inline = (file: string): string => readFileSync(file).toString("base64");
  const write = (path: string, content: object): void =>
    writeFileSync(path, stringify(content, { lineWidth: 0 }), { mode: 0o600 });
  const server = `https://127.0.0.1:${apiserverPort(paths)}`;
  const user = { "client-certificate-data": inline(cert), "client-key-data": inline(key) };
  write(paths.kubeconfig, {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "sandbox", cluster: { server, "certificate-authority-data": inline(ca) } }],
    users: [{ name: "sandbox", user }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "sandbox", namespace: "default" } }],
    "current-context": "sandbox",
  });
  const tlsConfig = { caBundle: ca, clientCert: cert, clientKey: key };
  const transport = { tcp: { url: `https://127.0.0.1:${portOf(paths, "runner")}`, tlsConfig } };
  write(paths.egress, {
    apiVersion: "apiserver.k8s.io/v1beta1",
    kind: "EgressSelectorConfiguration",
    egressSelections: [{ name: "cluster", connection: { proxyProtocol: "HTTPConnect", transport } }],
  });
  writePrometheusConfig(paths);
}

/**
 * Starts a component and waits until it is ready. Does nothing when it runs.
 * @param moreFlags flags of this start only; they extend or replace the usual ones
 * @throws with the end of the log when it does not become ready
 */
export async function startComponent(
  paths: SandboxPaths,
  name: ComponentName,
  moreFlags: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<void> {
  const { program, args, ...others } = component(paths, name);
  const command = program === "node" ? process.execPath : join(paths.bin, program);
  const server = { ...others, command, args: [...args, ...flags(moreFlags)], port: () => portOf(paths, name) };
  await startServer(paths, name, server, signal);
}

/** A program that serves its health at a port. */
export interface Server extends Omit<Component, "program"> {
  command: string;
  /** Called after the start, because the runner chooses the ports. */
  port: () => number;
}

/** Starts a server of a sandbox, which `down` ends. As `startComponent`. */
export async function startServer(
  paths: SandboxPaths,
  name: string,
  { command, args, env, port, healthPath, plain }: Server,
  signal?: AbortSignal,
): Promise<void> {
  const record = recordOf(paths, name);
  const known = readIdentity(record);
  if (known && alive(known)) return;
  const log = logOf(paths, name);
  const { identity } = await start({ command, args, env: { ...localEnvironment(), ...env }, log, record });
  const { cert, key } = pkiIn(paths.pki);
  const options = { timeoutMilliseconds: 2000, plain, cert: readFileSync(cert), key: readFileSync(key) };
  try {
    await waitFor(async () => (await get(port(), healthPath, options)).status === 200, {
      ...{ what: name, timeoutMilliseconds: 300_000, everyMilliseconds: 50, signal },
      hopeless: () => {
        if (!alive(identity)) throw new Error(`${name} ended`);
      },
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(`${name} did not start. The end of ${log}:\n${lastLines(log, 15)}`, { cause: error });
  }
}

/** Ends a component or a server, with `kill` by SIGKILL. Does nothing when it does not run. */
export async function stopComponent(paths: SandboxPaths, name: string, kill = false): Promise<void> {
  const record = recordOf(paths, name);
  const identity = readIdentity(record);
  if (identity) await endGroup(identity, kill ? 0 : 10_000);
  rmSync(record, { force: true });
}

/** The components of a sandbox that has its ports. */
export function componentStatus(paths: SandboxPaths): ComponentStatus[] {
  return componentNames.map(name => {
    const identity = readIdentity(recordOf(paths, name));
    const isAlive = identity && alive(identity);
    const state = isAlive ? "running" : identity ? "ended" : "stopped";
    const pid = isAlive ? identity.pid : undefined;
    return { name, state, pid, port: portOf(paths, name), log: logOf(paths, name) };
  });
}

/** The environment of this process without proxies and the settings of a test run: everything runs on this machine. */
export function localEnvironment(): NodeJS.ProcessEnv {
  const unwanted = /^((https?|all|no)_proxy|KUBECONFIG|NODE_OPTIONS|VITEST.*|NODE_CHANNEL_.*|MLSCALER_PROMETHEUS)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.test(name)));
}

const recordOf = (paths: SandboxPaths, name: string): string => join(paths.processes, `${name}.json`);
const logOf = (paths: SandboxPaths, name: string): string => join(paths.logs, `${name}.log`);
