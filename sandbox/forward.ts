import { connect, createServer, type Server, type Socket } from "node:net";
import type { V1Service } from "@kubernetes/client-node";
import type { Cluster, Followed } from "./cluster";
import { messageOf } from "./wait";

/** One address that is listened on and who may answer there. */
interface Listener {
  server: Server;
  sockets: Set<Socket>;
}

/** What the forward asks others for. */
export interface ForwardSettings {
  cluster: Cluster;
  /** Port of the API server, which answers for the Service `kubernetes`. */
  apiPort: number;
  /** Ports of the ready pods behind a Service. */
  readyPorts: (namespace: string, selector: Record<string, string>) => number[];
  say: (text: string) => void;
}

/**
 * Stands in for kube-proxy: listens on the ClusterIPs of those Services whose pods are processes, and passes
 * connections on to a ready one. Services of fake pods have nobody to talk to and are left alone.
 */
export class ServiceForward {
  private readonly listeners = new Map<string, Listener>();
  /** Addresses that belong to no followed Service. */
  private readonly fixed = new Set<string>();
  private services: Followed<V1Service> | undefined;

  constructor(
    private readonly settings: ForwardSettings,
    /** Namespaces whose pods are processes. */
    private readonly namespaces: string[],
  ) {}

  /** Takes over the address of the Service `kubernetes`. @throws when it cannot be listened on */
  async forwardApiServer(serviceIp: string): Promise<void> {
    this.fixed.add(`${serviceIp}:443`);
    await this.listen(serviceIp, 443, () => [this.settings.apiPort]);
  }

  /** Begins to follow the Services. */
  followServices(): void {
    const { cluster } = this.settings;
    this.services = cluster.follow<V1Service>(
      "/api/v1/services",
      () => cluster.core.listServiceForAllNamespaces(),
      () => this.sync(),
    );
  }

  /**
   * Listens on a port of 127.0.0.1 for a Service's pods: for those who cannot use its ClusterIP.
   */
  async listenLocally(port: number, namespace: string, selector: Record<string, string>): Promise<void> {
    this.fixed.add(`127.0.0.1:${port}`);
    await this.listen("127.0.0.1", port, () => this.settings.readyPorts(namespace, selector));
  }

  /** Ends all connections and listens no more. */
  async stop(): Promise<void> {
    this.services?.stop();
    await Promise.all([...this.listeners.keys()].map(address => this.unlisten(address)));
  }

  private sync(): void {
    const wanted = new Map<string, () => Promise<void>>();
    for (const { metadata, spec } of this.services?.list() ?? []) {
      const { namespace = "" } = metadata ?? {};
      const { clusterIP = "", selector, ports = [] } = spec ?? {};
      if (!this.namespaces.includes(namespace) || !clusterIP.startsWith("127.") || !selector) continue;
      for (const { port, protocol } of ports) {
        if (protocol !== undefined && protocol !== "TCP") continue;
        const targets = (): number[] => this.settings.readyPorts(namespace, selector);
        wanted.set(`${clusterIP}:${port}`, () => this.listen(clusterIP, port, targets));
      }
    }
    for (const address of this.listeners.keys()) {
      if (!this.fixed.has(address) && !wanted.has(address)) void this.unlisten(address);
    }
    for (const [address, listen] of wanted) {
      if (this.listeners.has(address)) continue;
      void listen().catch((error: unknown) => this.settings.say(`cannot listen on ${address}: ${messageOf(error)}`));
    }
  }

  private async listen(host: string, port: number, targets: () => number[]): Promise<void> {
    const sockets = new Set<Socket>();
    let turn = 0;
    const server = createServer({ pauseOnConnect: true }, client => {
      const ports = targets();
      const target = ports[turn++ % Math.max(ports.length, 1)];
      if (target === undefined) {
        client.resetAndDestroy();
        return;
      }
      pass(client, target, sockets);
    });
    const address = `${host}:${port}`;
    this.listeners.set(address, { server, sockets });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, resolve);
    }).catch((error: unknown) => {
      this.listeners.delete(address);
      throw error;
    });
    server.on("error", error => this.settings.say(`${address}: ${messageOf(error)}`));
  }

  private async unlisten(address: string): Promise<void> {
    const listener = this.listeners.get(address);
    this.listeners.delete(address);
    if (!listener) return;
    const closed = new Promise<void>(resolve => listener.server.close(() => resolve()));
    for (const socket of listener.sockets) socket.destroy();
    await closed;
  }
}

/** Joins two connections; the end or failure of one is that of the other. */
function pass(client: Socket, port: number, sockets: Set<Socket>): void {
  const upstream = connect({ host: "127.0.0.1", port });
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(from);
    from.setNoDelay(true);
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
}
