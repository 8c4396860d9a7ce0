import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { V1MicroTime } from "@kubernetes/client-node";
import { arch, cpus, hostname, release, totalmem } from "node:os";
import { mergePatch, statusOf, type Followed } from "./cluster";
import { nodeTypeLabel, processNodeType } from "./components";
import { PodRunner, type PodReport, type PodSettings } from "./pod";
import { messageOf } from "./wait";

/** The node whose pods are processes. */
export const processNode = "this-machine";

const leaseEveryMs = 10_000;
const statusEveryMs = 60_000;

/**
 * A kubelet in small: runs the pods that are bound to the node as processes of this machine. It keeps what runs
 * running while the API server is away and catches up when it is back.
 */
export class NodeAgent {
  private readonly runners = new Map<string, PodRunner>();
  private readonly timers: NodeJS.Timeout[] = [];
  private pods: Followed<V1Pod> | undefined;

  constructor(
    private readonly settings: PodSettings,
    private readonly say: (text: string) => void,
  ) {}

  /** Registers the node and begins to follow its pods. @throws when the API server refuses the node */
  async start(): Promise<void> {
    const { cluster } = this.settings;
    await cluster.core.createNode({ body: nodeObject() });
    await this.reportNode();
    await this.renewLease();
    this.every(leaseEveryMs, () => this.renewLease());
    this.every(statusEveryMs, () => this.reportNode());
    const fieldSelector = `spec.nodeName=${processNode}`;
    this.pods = cluster.follow<V1Pod>(
      "/api/v1/pods",
      () => cluster.core.listPodForAllNamespaces({ fieldSelector }),
      () => this.sync(),
      fieldSelector,
    );
  }

  /** Ends all pods within their grace. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.pods?.stop();
    await Promise.all([...this.runners.values()].map(runner => runner.terminate()));
  }

  /** What runs on this node. */
  reports(): PodReport[] {
    return [...this.runners.values()].map(runner => runner.report());
  }

  /** Ports of the ready pods of a namespace that carry these labels. */
  readyPorts(namespace: string, selector: Record<string, string>): number[] {
    const wanted = Object.entries(selector);
    return [...this.runners.values()]
      .filter(
        ({ namespace: own, labels }) => own === namespace && wanted.every(([key, value]) => labels[key] === value),
      )
      .flatMap(({ readyPort }) => readyPort ?? []);
  }

  /** Level-based: makes what runs equal what is bound to the node. */
  private sync(): void {
    const wanted = new Map((this.pods?.list() ?? []).map(pod => [pod.metadata?.uid ?? "", pod]));
    for (const [uid, pod] of wanted) {
      if (!this.runners.has(uid)) this.begin(uid, pod);
      if (pod.metadata?.deletionTimestamp) void this.end(uid, pod);
    }
    for (const uid of this.runners.keys()) {
      // Deleted by force, or while the API server could not be asked: gone is gone.
      if (!wanted.has(uid)) void this.end(uid, undefined);
    }
  }

  private begin(uid: string, pod: V1Pod): void {
    if (pod.metadata?.deletionTimestamp) {
      void this.deletePod(pod);
      return;
    }
    if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return;
    this.runners.set(uid, new PodRunner(pod, this.settings));
  }

  private async end(uid: string, pod: V1Pod | undefined): Promise<void> {
    const runner = this.runners.get(uid);
    if (!runner) return;
    const seconds = pod?.metadata?.deletionGracePeriodSeconds;
    await runner.terminate(pod ? (seconds === undefined ? undefined : seconds * 1000) : 0);
    // Called once for each event of the dying pod: the first one here cleans up.
    if (!this.runners.delete(uid)) return;
    if (pod) await this.deletePod(pod);
  }

  /** The kubelet's last word on a pod: it has ended, the object may go. Tried until the API server takes it. */
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

  private async renewLease(): Promise<void> {
    const { coordination } = this.settings.cluster;
    const namespace = "kube-node-lease";
    const spec = { holderIdentity: processNode, leaseDurationSeconds: 40, renewTime: new V1MicroTime() };
    try {
      await coordination.patchNamespacedLease({ name: processNode, namespace, body: { spec } }, mergePatch);
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
      await coordination.createNamespacedLease({ namespace, body: { metadata: { name: processNode }, spec } });
    }
  }

  private async reportNode(): Promise<void> {
    await this.settings.cluster.core.patchNodeStatus({ name: processNode, body: { status: nodeStatus() } }, mergePatch);
  }

  private every(ms: number, what: () => Promise<void>): void {
    // A failure means that the API server is away; the next round is soon enough.
    this.timers.push(setInterval(() => void what().catch(() => undefined), ms));
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
  // Requests are for the scheduler to count, not limits: the module's pods fit on any laptop.
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
    conditions: [
      condition("Ready", "True", "SandboxReady", now),
      ...["MemoryPressure", "DiskPressure", "PIDPressure"].map(type => condition(type, "False", "SandboxReady", now)),
    ],
    nodeInfo: {
      architecture: arch(),
      bootID: "",
      containerRuntimeVersion: "process://1",
      kernelVersion: release(),
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.3-sandbox",
      machineID: "",
      operatingSystem: process.platform,
      osImage: process.platform,
      systemUUID: "",
    },
  };
}

function condition(
  type: string,
  status: string,
  reason: string,
  now: Date,
): NonNullable<NonNullable<V1Node["status"]>["conditions"]>[number] {
  return { type, status, reason, message: "", lastHeartbeatTime: now, lastTransitionTime: started };
}

const started = new Date();
