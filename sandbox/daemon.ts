import { Cluster } from "./cluster";
import { ControlServer, type ControlRequest, type DaemonStatus } from "./control";
import { ControlPlane } from "./controlplane";
import { Egress } from "./egress";
import { NodeAgent } from "./kubelet";
import { deployModule } from "./module";
import { createFakeNodes, registerMetricsApi, waitForMetricsApi } from "./nodes";
import { sandboxPaths } from "./paths";
import { keepModuleNamespace } from "./placement";
import { Ports } from "./ports";
import { startTime, writeIdentity, type ProcessIdentity } from "./processes";
import { prometheusUrl } from "./prometheus";
import type { Binaries } from "./programs";
import { takeStep, type OnStep, type StepEvent } from "./steps";
import { messageOf } from "./wait";

/** Settings of the daemon, which `up` sends as its first message. */
export interface DaemonSettings {
  name: string;
  binaries: Binaries;
  withModule: boolean;
}

/** A message of the daemon to `up`, which waits for "ready" or "failed". */
export type DaemonMessage = { type: "step"; event: StepEvent } | { type: "ready" } | { type: "failed"; error: string };

/** The record of the daemon in the data folder. */
export interface DaemonRecord extends ProcessIdentity {
  socket: string;
}

/** The background process of one sandbox. */
class Daemon {
  private readonly ending = new AbortController();
  private ready = false;
  private deploying: Promise<void> = Promise.resolve();
  private agent: NodeAgent | undefined;
  private placement: { stop: () => void } | undefined;
  private shutdownOnce: Promise<void> | undefined;

  private constructor(
    private readonly settings: DaemonSettings,
    private readonly ports: Ports,
    private readonly egress: Egress,
    private readonly controlPlane: ControlPlane,
  ) {}

  /** Brings the sandbox up. The sandbox ends with `up` until it is ready. */
  static async run(settings: DaemonSettings): Promise<void> {
    const paths = sandboxPaths(settings.name);
    let daemon: Daemon | undefined;
    const control = new ControlServer(async (request, onStep) => (daemon ?? notYet()).answer(request, onStep));
    const record: DaemonRecord = {
      pid: process.pid,
      started: startTime(process.pid),
      socket: control.socket,
    };
    writeIdentity(paths.daemon, record);
    const end = (why: string): void => {
      say(`ending: ${why}`);
      void (daemon?.shutdown() ?? Promise.resolve()).finally(() => {
        control.close();
        process.exit(0);
      });
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => end(signal));
    let failed = false;
    process.on("disconnect", () => !failed && !daemon?.ready && end("`up` was interrupted"));
    process.on("unhandledRejection", reason => say(`unhandled: ${messageOf(reason)}`));
    try {
      const egress = new Egress((namespace, labels) => daemon?.agent?.readyPorts(namespace, labels) ?? []);
      await egress.listen(control.egressSocket);
      const ports = await Ports.take();
      const prepare = (): Promise<ControlPlane> =>
        ControlPlane.prepare(paths, settings.binaries, ports, control.egressSocket);
      daemon = new Daemon(settings, ports, egress, await takeStep("keys", onStep, prepare));
      daemon.onDown = () => end("down");
      await control.listen();
      await daemon.bringUp(onStep);
      daemon.ready = true;
      report({ type: "ready" });
    } catch (error) {
      failed = true;
      say(`failed: ${messageOf(error)}`);
      await daemon?.shutdown();
      control.close();
      report({ type: "failed", error: messageOf(error) });
      process.exitCode = 1;
      process.disconnect?.();
      // Open handles must not keep the process alive.
      setTimeout(() => process.exit(1), 500).unref();
    }
  }

  private onDown: () => void = () => undefined;

  private async bringUp(onStep: OnStep): Promise<void> {
    const { controlPlane, settings } = this;
    const { signal } = this.ending;
    const paths = sandboxPaths(settings.name);
    await takeStep("etcd", onStep, () => controlPlane.startComponent("etcd", signal));
    await takeStep("apiserver", onStep, () => controlPlane.startComponent("apiserver", signal));
    const cluster = new Cluster(paths.kubeconfig);
    // These steps do not depend on each other. Only the module's pods wait for all of them.
    await Promise.all([
      takeStep("controllers", onStep, async () => {
        const others = ["controller-manager", "scheduler", "kwok", "metrics-server", "prometheus"] as const;
        await Promise.all(others.map(name => controlPlane.startComponent(name, signal)));
      }),
      takeStep("nodes", onStep, async () => {
        await Promise.all([
          createFakeNodes(cluster, signal),
          this.startNode(cluster),
          registerMetricsApi(cluster, controlPlane.port("metrics-server")),
        ]);
      }),
      settings.withModule && this.deploy(onStep, cluster),
    ]);
    await takeStep("metrics", onStep, () => waitForMetricsApi(cluster, signal));
    signal.throwIfAborted();
    say("ready");
  }

  private async startNode(cluster: Cluster): Promise<void> {
    const { controlPlane, ports } = this;
    const { pods, processes } = sandboxPaths(this.settings.name);
    const settings = { cluster, podsFolder: pods, records: processes, apiPort: controlPlane.port("apiserver"), ports };
    const agent = (this.agent = new NodeAgent(settings, say));
    this.egress.follow(cluster);
    this.placement = keepModuleNamespace(cluster, say);
    await agent.start();
  }

  /** Deploys the module after the deployment in progress. */
  private deploy(onStep: OnStep, cluster = new Cluster(sandboxPaths(this.settings.name).kubeconfig)): Promise<void> {
    const { settings } = this;
    const next = this.deploying
      .catch(() => undefined)
      .then(() =>
        deployModule(
          {
            paths: sandboxPaths(settings.name),
            kubectl: settings.binaries.kubectl,
            cluster,
            pods: () => this.agent?.reports() ?? [],
            signal: this.ending.signal,
          },
          onStep,
        ),
      );
    this.deploying = next;
    return next;
  }

  private async answer(request: ControlRequest, onStep: OnStep): Promise<unknown> {
    const { controlPlane } = this;
    switch (request.command) {
      case "status":
        return this.status();
      case "stop":
        say(`stop ${request.component}`);
        return controlPlane.stopComponent(request.component, request.kill);
      case "start":
        say(`start ${request.component}`);
        return controlPlane.startComponent(request.component, this.ending.signal, request.flags);
      case "deploy":
        return this.deploy(onStep);
      case "down":
        await this.shutdown();
        // The response must be sent before the process ends.
        setImmediate(this.onDown);
        return undefined;
    }
  }

  private status(): DaemonStatus {
    return {
      ready: this.ready,
      server: this.controlPlane.server,
      prometheus: prometheusUrl(sandboxPaths(this.settings.name)),
      components: this.controlPlane.status(),
      pods: this.agent?.reports() ?? [],
    };
  }

  /** Ends all processes. Pods end first, because they may still call the API server. */
  private shutdown(): Promise<void> {
    this.shutdownOnce ??= (async () => {
      this.ending.abort(new Error("the sandbox is ending"));
      await this.deploying.catch(() => undefined);
      this.placement?.stop();
      await this.agent?.stop();
      await this.controlPlane.stopAll();
      await this.egress.stop();
    })();
    return this.shutdownOnce;
  }
}

function notYet(): never {
  throw new Error("the sandbox is still starting");
}

const onStep: OnStep = event => {
  if (event.state !== "told")
    say(`${event.step} ${event.state}${event.ms === undefined ? "" : ` after ${event.ms} ms`}`);
  report({ type: "step", event });
};

function report(message: DaemonMessage): void {
  if (process.connected) process.send?.(message);
}

function say(text: string): void {
  console.log(`${new Date().toISOString()} ${text}`);
}

process.once("message", (settings: DaemonSettings) => void Daemon.run(settings));
