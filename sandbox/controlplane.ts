import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./programs";
import { componentNames, components, flags, type Component, type ComponentName } from "./components";
import { getInsecure } from "./https";
import { writeKubeconfig } from "./kubeconfig";
import { lastLines } from "./logs";
import { writePrometheusConfig } from "./prometheus";
import { sandboxSources, type SandboxPaths } from "./paths";
import { writeAdmissionConfig } from "./placement";
import { createPki, type Pki } from "./pki";
import type { NetworkSlice } from "./ports";
import { start, stop, type Exit, type RunningProcess } from "./processes";
import { waitFor } from "./wait";

/** How a component fares. `ended` is one that ended by itself, `stopped` one that was asked to. */
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

/** etcd, API server and the rest, as processes of this machine. */
export class ControlPlane {
  readonly server: string;
  private readonly lives = new Map<ComponentName, Life>();

  private constructor(
    private readonly paths: SandboxPaths,
    private readonly binaries: Binaries,
    private readonly table: Record<ComponentName, Component>,
    readonly pki: Pki,
  ) {
    this.server = `https://127.0.0.1:${table.apiserver.port}`;
  }

  /** Writes keys, kubeconfigs and configuration; starts nothing. */
  static async prepare(paths: SandboxPaths, binaries: Binaries, network: NetworkSlice): Promise<ControlPlane> {
    for (const folder of [paths.config, paths.logs, paths.pods]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const pki = await createPki(paths.pki, network.firstServiceIp);
    const taken: [ComponentName, number][] = [];
    for (const name of componentNames) taken.push([name, await network.takePort()]);
    const ports = Object.fromEntries(taken) as Record<ComponentName, number>;
    const server = `https://127.0.0.1:${ports.apiserver}`;
    const kubeconfigs = {
      controllerManager: join(paths.config, "controller-manager.kubeconfig"),
      scheduler: join(paths.config, "scheduler.kubeconfig"),
    };
    writeKubeconfig(paths.kubeconfig, server, pki.ca.cert, pki.admin);
    writeKubeconfig(kubeconfigs.controllerManager, server, pki.ca.cert, pki.controllerManager);
    writeKubeconfig(kubeconfigs.scheduler, server, pki.ca.cert, pki.scheduler);
    const table = components({
      paths,
      pki,
      ports,
      etcdPeerPort: await network.takePort(),
      serviceCidr: network.serviceCidr,
      kubeconfigs,
      admissionConfig: writeAdmissionConfig(paths.config),
      kwokConfigs: ["nodes.yaml", "pods.yaml", "metrics.yaml"].map(file => join(sandboxSources, "kwok", file)),
      prometheusConfig: writePrometheusConfig(paths, ports.prometheus),
    });
    return new ControlPlane(paths, binaries, table, pki);
  }

  /**
   * @param moreFlags of this start, beside the usual ones or in their place
   * @throws when it does not become ready, with the end of its log; harmless when it runs already
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
      await this.waitReady(component, life, signal);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(`${name} did not start. The end of ${log}:\n${lastLines(log, 15)}`, { cause: error });
    }
  }

  /** Ends a component; with `kill` at once and without a word. Harmless when it does not run. */
  async stopComponent(name: ComponentName, kill = false): Promise<void> {
    const life = this.life(name);
    life.askedToStop = true;
    if (life.running) await stop(life.running, 10_000, kill ? "SIGKILL" : "SIGTERM");
  }

  /** Ends everything. The data is thrown away afterwards, so nobody is given time. */
  async stopAll(): Promise<void> {
    await Promise.all([...componentNames].map(name => this.stopComponent(name, true)));
  }

  status(): ComponentStatus[] {
    return componentNames.map(name => {
      const { running, lastExit, askedToStop } = this.life(name);
      const gone = lastExit ? (askedToStop ? "stopped" : "ended") : "not started";
      const state = running ? "running" : gone;
      return { name, state, pid: running?.pid, port: this.table[name].port, log: this.log(name) };
    });
  }

  port(name: ComponentName): number {
    return this.table[name].port;
  }

  private async waitReady(component: Component, life: Life, signal?: AbortSignal): Promise<void> {
    const etcd = { cert: readFileSync(this.pki.etcd.cert), key: readFileSync(this.pki.etcd.key) };
    await waitFor(
      async () => {
        const identity = component.name === "etcd" ? etcd : { plain: component.plain };
        const answer = await getInsecure(component.port, component.healthPath, 2000, identity);
        return answer.status === 200;
      },
      {
        what: component.name,
        timeoutMs: 90_000,
        everyMs: 50,
        signal,
        hopeless: () => {
          if (!life.running) throw new Error(`${component.name} ended with code ${life.lastExit?.code ?? "none"}`);
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
