import { renameSync, writeFileSync } from "node:fs";
import { Cluster } from "./cluster";
import { ControlServer, type ControlRequest, type DaemonStatus } from "./control";
import { ControlPlane } from "./controlplane";
import { ServiceForward } from "./forward";
import { NodeAgent } from "./kubelet";
import { detectIsolation, type Isolation } from "./launch";
import { deployModule } from "./module";
import { createFakeNodes, registerMetricsApi, waitForMetricsApi } from "./nodes";
import { sandboxPaths } from "./paths";
import { keepModuleNamespace, moduleNamespace } from "./placement";
import { takeNetworkSlice, type NetworkSlice } from "./ports";
import { startTime } from "./processes";
import { prometheusUrl } from "./prometheus";
import type { Binaries } from "./programs";
import { takeStep, type OnStep, type StepEvent } from "./steps";
import { messageOf } from "./wait";

/** What the daemon is told when it starts. */
export interface DaemonSettings {
  name: string;
  binaries: Binaries;
  withModule: boolean;
  /** Start the module's processes as on a machine where one is not root. */
  rootless: boolean;
}

/** What the daemon tells `up`, which waits for "ready" or "failed". */
export type DaemonMessage = { type: "step"; event: StepEvent } | { type: "ready" } | { type: "failed"; error: string };

/** What the daemon writes down about itself. */
export interface DaemonRecord {
  pid: number;
  started: string;
  socket: string;
}

/** Everything that runs in the background for one sandbox. */
class Daemon {
  private readonly ending = new AbortController();
  private ready = false;
  private deploying: Promise<void> = Promise.resolve();
  private forward: ServiceForward | undefined;
  private agent: NodeAgent | undefined;
  private placement: { stop: () => void } | undefined;
  private shutdownOnce: Promise<void> | undefined;

  private constructor(
    private readonly settings: DaemonSettings,
    private readonly network: NetworkSlice,
    private readonly isolation: Isolation,
    private readonly controlPlane: ControlPlane,
  ) {}

  /** Brings the sandbox up. Until it is ready the end of `up` is the end of the sandbox. */
  static async run(settings: DaemonSettings): Promise<void> {
    const paths = sandboxPaths(settings.name);
    let daemon: Daemon | undefined;
    const control = new ControlServer(async (request, onStep) => (daemon ?? notYet()).answer(request, onStep));
    const record: DaemonRecord = {
      pid: process.pid,
      started: startTime(process.pid),
      socket: control.socket,
    };
    writeFileSync(`${paths.daemon}.new`, JSON.stringify(record), { mode: 0o600 });
    renameSync(`${paths.daemon}.new`, paths.daemon);
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
      const network = await takeNetworkSlice();
      const isolation = settings.rootless || !network.servicesReachable ? "environment" : await detectIsolation();
      const controlPlane = await takeStep("keys", onStep, async tell => {
        tell(
          isolation === "mount-namespace"
            ? "pods get the container's own paths"
            : "pods get their paths by environment",
        );
        return ControlPlane.prepare(paths, settings.binaries, network);
      });
      daemon = new Daemon(settings, network, isolation, controlPlane);
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
      // Whatever still holds the process has nothing left to do.
      setTimeout(() => process.exit(1), 500).unref();
    }
  }

  private onDown: () => void = () => undefined;

  private async bringUp(onStep: OnStep): Promise<void> {
    const { controlPlane, network, settings } = this;
    const { signal } = this.ending;
    const paths = sandboxPaths(settings.name);
    await takeStep("etcd", onStep, () => controlPlane.startComponent("etcd", signal));
    await takeStep("apiserver", onStep, () => controlPlane.startComponent("apiserver", signal));
    const cluster = new Cluster(paths.kubeconfig);
    await takeStep("controllers", onStep, async () => {
      const others = ["controller-manager", "scheduler", "kwok", "metrics-server", "prometheus"] as const;
      await Promise.all(others.map(name => controlPlane.startComponent(name, signal)));
    });
    await takeStep("nodes", onStep, async () => {
      await Promise.all([
        createFakeNodes(cluster, signal),
        this.startNode(cluster),
        registerMetricsApi(cluster, controlPlane.port("metrics-server")),
      ]);
    });
    if (settings.withModule) await this.deploy(onStep, cluster);
    await takeStep("metrics", onStep, () => waitForMetricsApi(cluster, signal));
    signal.throwIfAborted();
    say(`ready, Services in ${network.serviceCidr}`);
  }

  private async startNode(cluster: Cluster): Promise<void> {
    const { controlPlane, network, isolation } = this;
    const paths = sandboxPaths(this.settings.name);
    const agent = (this.agent = new NodeAgent(
      {
        cluster,
        podsFolder: paths.pods,
        records: paths.processes,
        isolation,
        api: {
          serviceIp: network.firstServiceIp,
          server: controlPlane.server,
          ca: controlPlane.pki.ca.cert,
          loopback: controlPlane.pki.loopback,
        },
        takePort: network.takePort,
        freePort: network.freePort,
      },
      say,
    ));
    const readyPorts = agent.readyPorts.bind(agent);
    const apiPort = controlPlane.port("apiserver");
    this.forward = new ServiceForward({ cluster, apiPort, readyPorts, say }, [moduleNamespace]);
    if (network.servicesReachable) {
      await network.release();
      await this.forward.forwardApiServer(network.firstServiceIp);
      this.forward.followServices();
    }
    this.placement = keepModuleNamespace(cluster, say);
    await agent.start();
  }

  /** One deployment at a time. */
  private deploy(onStep: OnStep, cluster = new Cluster(sandboxPaths(this.settings.name).kubeconfig)): Promise<void> {
    const { network, isolation, controlPlane, forward, settings } = this;
    if (!forward) return Promise.reject(new Error("the sandbox is not up yet"));
    const next = this.deploying
      .catch(() => undefined)
      .then(() =>
        deployModule(
          {
            paths: sandboxPaths(settings.name),
            kubectl: settings.binaries.kubectl,
            cluster,
            isolation,
            forward,
            takePort: network.takePort,
            loopbackCa: controlPlane.pki.ca.cert,
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
        // After the answer has left.
        setImmediate(this.onDown);
        return undefined;
    }
  }

  private status(): DaemonStatus {
    return {
      ready: this.ready,
      server: this.controlPlane.server,
      serviceCidr: this.network.serviceCidr,
      prometheus: prometheusUrl(sandboxPaths(this.settings.name)),
      isolation: this.isolation,
      components: this.controlPlane.status(),
      pods: this.agent?.reports() ?? [],
    };
  }

  /** Ends all that was started, pods first: they may say goodbye to the API server. */
  private shutdown(): Promise<void> {
    this.shutdownOnce ??= (async () => {
      this.ending.abort(new Error("the sandbox is ending"));
      await this.deploying.catch(() => undefined);
      this.placement?.stop();
      await this.agent?.stop();
      await this.forward?.stop();
      await this.controlPlane.stopAll();
      await this.network.release();
    })();
    return this.shutdownOnce;
  }
}

function notYet(): never {
  throw new Error("the sandbox is just starting");
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
