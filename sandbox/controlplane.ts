import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Binaries } from "./programs";
import { componentNames, components, flags, type Component, type ComponentName } from "./components";
import { writeEgressConfig } from "./egress";
import { getInsecure } from "./https";
import { lastLines } from "./logs";
import { writePrometheusConfig } from "./prometheus";
import { sandboxSources, type SandboxPaths } from "./paths";
import { writeAdmissionConfig } from "./placement";
import { createPki, type KeyPair, type Pki } from "./pki";
import type { Ports } from "./ports";
import { start, stop, type Exit, type RunningProcess } from "./processes";
import { waitFor } from "./wait";

/** The state of a component: `ended` when it ended by itself, `stopped` when a caller stopped it. */
export interface ComponentStatus {
  name: ComponentName;
  state: "running" | "stopped" | "ended" | "not started";
  pid?: number;
  port: number;
  log: string;
}

interface Life {
  running?: RunningProcess;
  lastExit?: Exit;
  askedToStop: boolean;
}

/** The components of the control plane, as processes of this machine. */
export class ControlPlane {
  private readonly lives = new Map<ComponentName, Life>();

  private constructor(
    private readonly paths: SandboxPaths,
    private readonly binaries: Binaries,
    readonly server: string,
    private readonly ports: Record<ComponentName, number>,
    private readonly table: Record<ComponentName, Component>,
    readonly pki: Pki,
  ) {}

  /**
   * Writes keys, kubeconfig and configuration. Starts no process.
   * @param egress socket of the egress proxy
   */
  static async prepare(paths: SandboxPaths, binaries: Binaries, ports: Ports, egress: string): Promise<ControlPlane> {
    for (const folder of [paths.config, paths.logs, paths.pods]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pki = await createPki(paths.pki);
    const taken: [ComponentName, number][] = [];
    for (const name of componentNames) taken.push([name, await ports.take()]);
    const portOf = Object.fromEntries(taken) as Record<ComponentName, number>;
    const server = `https://127.0.0.1:${portOf.apiserver}`;
    writeKubeconfig(paths.kubeconfig, server, pki.ca.cert, pki.admin);
    const table = components({
      paths,
      pki,
      ports: portOf,
      etcdPeerPort: await ports.take(),
      admissionConfig: writeAdmissionConfig(paths.config),
      egressConfig: writeEgressConfig(paths.config, egress),
      kwokConfigs: ["nodes.yaml", "pods.yaml", "metrics.yaml"].map(file => join(sandboxSources, "kwok", file)),
      prometheusConfig: writePrometheusConfig(paths, portOf.prometheus),
    });
    return new ControlPlane(paths, binaries, server, portOf, table, pki);
  }

  /**
   * Starts a component and waits until it is ready. Does nothing when it runs.
   * @param moreFlags flags of this start only; they extend or replace the usual ones
   * @throws with the end of the log when it does not become ready
   */
  async startComponent(
    name: ComponentName,
    signal?: AbortSignal,
    moreFlags: Record<string, string> = {},
  ): Promise<void> {
    const component = this.table[name];
    const life = this.life(name);
    if (life.running) return;
    const log = this.log(name);
    const running = await start({
      name,
      command: this.binaries[component.program],
      args: [...component.args, ...flags(moreFlags)],
      env: { ...process.env, ...component.env },
      log,
      records: this.paths.processes,
    });
    Object.assign(life, { running, lastExit: undefined, askedToStop: false });
    void running.ended.then(exit => Object.assign(life, { running: undefined, lastExit: exit }));
    try {
      await this.waitReady(name, life, signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(`${name} did not start. The end of ${log}:\n${lastLines(log, 15)}`, { cause: error });
    }
  }

  /** Ends a component, with `kill` by SIGKILL. Does nothing when it does not run. */
  async stopComponent(name: ComponentName, kill = false): Promise<void> {
    const life = this.life(name);
    life.askedToStop = true;
    if (life.running) await stop(life.running, 10_000, kill ? "SIGKILL" : "SIGTERM");
  }

  /** Kills all components. They need no grace period, because their data is removed next. */
  async stopAll(): Promise<void> {
    await Promise.all([...componentNames].map(name => this.stopComponent(name, true)));
  }

  status(): ComponentStatus[] {
    return componentNames.map(name => {
      const { running, lastExit, askedToStop } = this.life(name);
      const gone = lastExit ? (askedToStop ? "stopped" : "ended") : "not started";
      const state = running ? "running" : gone;
      return { name, state, pid: running?.pid, port: this.port(name), log: this.log(name) };
    });
  }

  port(name: ComponentName): number {
    return this.ports[name];
  }

  private async waitReady(name: ComponentName, life: Life, signal?: AbortSignal): Promise<void> {
    const { plain, healthPath } = this.table[name];
    const etcd = { cert: readFileSync(this.pki.server.cert), key: readFileSync(this.pki.server.key) };
    await waitFor(
      async () => {
        const answer = await getInsecure(this.port(name), healthPath, 2000, name === "etcd" ? etcd : { plain });
        return answer.status === 200;
      },
      {
        what: name,
        timeoutMs: 90_000,
        everyMs: 50,
        signal,
        hopeless: () => {
          if (!life.running) throw new Error(`${name} ended with code ${life.lastExit?.code ?? "none"}`);
        },
      },
    );
  }

  private life(name: ComponentName): Life {
    const life = this.lives.get(name) ?? { askedToStop: false };
    this.lives.set(name, life);
    return life;
  }

  private log(name: ComponentName): string {
    return join(this.paths.logs, `${name}.log`);
  }
}

/**
 * Writes a kubeconfig that contains the certificates and the key.
 * @param server URL of the API server
 * @param ca path of the CA certificate of the API server
 */
function writeKubeconfig(path: string, server: string, ca: string, credentials: KeyPair): void {
  const user = { "client-certificate-data": base64(credentials.cert), "client-key-data": base64(credentials.key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "sandbox", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: "sandbox", user }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "sandbox", namespace: "default" } }],
    "current-context": "sandbox",
  };
  writeFileSync(path, stringify(config, { lineWidth: 0 }), { mode: 0o600 });
}

function base64(file: string): string {
  return readFileSync(file).toString("base64");
}
