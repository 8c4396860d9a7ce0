import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { arch, cpus, hostname, release, totalmem } from "node:os";
import { mergePatch, statusOf, type Followed } from "./cluster";
import { nodeTypeLabel, processNodeType } from "./components";
import { PodRunner, type PodReport, type PodSettings } from "./pod";
import { messageOf } from "./wait";

/** The node whose pods are processes. */
const processNode = "this-machine";

/**
 * A minimal kubelet: runs the pods of the node as processes of this machine. The pods keep running while the API
 * server is down, and the agent catches up when it is back.
 */
export class NodeAgent {
  private readonly runners = new Map<string, PodRunner>();
  private pods: Followed<V1Pod> | undefined;

  constructor(
    private readonly settings: PodSettings,
    private readonly say: (text: string) => void,
  ) {}

  /** Registers the node and starts to watch its pods. @throws when the API server rejects the node */
  async start(): Promise<void> {
    const { cluster } = this.settings;
    await cluster.core.createNode({ body: nodeObject() });
    await cluster.core.patchNodeStatus({ name: processNode, body: { status: nodeStatus() } }, mergePatch);
    const fieldSelector = `spec.nodeName=${processNode}`;
    this.pods = cluster.follow<V1Pod>(
      "/api/v1/pods",
      () => cluster.core.listPodForAllNamespaces({ fieldSelector }),
      () => this.sync(),
      fieldSelector,
    );
  }

  /** Ends all pods within their grace periods. */
  async stop(): Promise<void> {
    this.pods?.stop();
    await Promise.all([...this.runners.values()].map(runner => runner.terminate()));
  }

  /** The pods on this node. */
  reports(): PodReport[] {
    return [...this.runners.values()].map(runner => runner.report());
  }

  /** The ports of the ready pods in a namespace that match a selector. */
  readyPorts(namespace: string, selector: Record<string, string>): number[] {
    const wanted = Object.entries(selector);
    return [...this.runners.values()]
      .filter(
        ({ namespace: own, labels }) => own === namespace && wanted.every(([key, value]) => labels[key] === value),
      )
      .flatMap(({ readyPort }) => readyPort ?? []);
  }

  /** Starts and ends pods until the running pods are those bound to the node. Level-based. */
  private sync(): void {
    const wanted = new Map((this.pods?.list() ?? []).map(pod => [pod.metadata?.uid ?? "", pod]));
    for (const [uid, pod] of wanted) {
      if (!this.runners.has(uid)) this.begin(uid, pod);
      if (pod.metadata?.deletionTimestamp) void this.end(uid, pod);
    }
    for (const uid of this.runners.keys()) {
      // The pod was deleted by force, or while the API server was down.
      if (!wanted.has(uid)) void this.end(uid, undefined);
    }
  }

  private begin(uid: string, pod: V1Pod): void {
    if (pod.metadata?.deletionTimestamp) {
      void this.deletePod(pod);
      return;
    }
    this.runners.set(uid, new PodRunner(pod, this.settings));
  }

  private async end(uid: string, pod: V1Pod | undefined): Promise<void> {
    const runner = this.runners.get(uid);
    if (!runner) return;
    const seconds = pod?.metadata?.deletionGracePeriodSeconds;
    await runner.terminate(pod ? (seconds === undefined ? undefined : seconds * 1000) : 0);
    // Each event of a terminating pod calls this function. Only the first call cleans up.
    if (!this.runners.delete(uid)) return;
    if (pod) await this.deletePod(pod);
  }

  /** Deletes the object of a pod that has ended, as a kubelet does. Retries until the API server accepts it. */
  private async deletePod(pod: V1Pod): Promise<void> {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    try {
      await this.settings.cluster.core.deleteNamespacedPod({
        name,
        namespace,
        body: { gracePeriodSeconds: 0, preconditions: { uid } },
      });
    } catch (error) {
      const status = statusOf(error);
      if (status === 404 || status === 409) return;
      this.say(`cannot delete pod ${name}: ${messageOf(error)}`);
      setTimeout(() => void this.deletePod(pod), 2000).unref();
    }
  }
}

function nodeObject(): V1Node {
  return {
    metadata: {
      name: processNode,
      labels: {
        [nodeTypeLabel]: processNodeType,
        "kubernetes.io/hostname": processNode,
        "kubernetes.io/os": process.platform,
      },
    },
  };
}

function nodeStatus(): V1Node["status"] {
  const now = new Date();
  const bytes = totalmem();
  // The scheduler counts requests, but nothing enforces them here: the module's pods must fit on a small machine.
  const size = {
    cpu: String(Math.max(cpus().length, 8)),
    memory: `${Math.max(Math.floor(bytes / 1024), 8 << 20)}Ki`,
    pods: "50",
  };
  return {
    capacity: size,
    allocatable: size,
    addresses: [
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: hostname() },
    ],
    conditions: ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].map(type => ({
      type,
      status: type === "Ready" ? "True" : "False",
      reason: "SandboxReady",
      message: "",
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    })),
    nodeInfo: {
      architecture: arch(),
      bootID: "",
      containerRuntimeVersion: "process://1",
      kernelVersion: release(),
      kubeProxyVersion: "",
      kubeletVersion: "v1.37.2-sandbox",
      machineID: "",
      operatingSystem: process.platform,
      osImage: process.platform,
      systemUUID: "",
    },
  };
}
