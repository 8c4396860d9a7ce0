import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { V1Service } from "@kubernetes/client-node";
import { stringify } from "yaml";
import type { Cluster, Followed } from "./cluster";

/** Returns the ports of the ready pods in a namespace that match a selector. */
export type ReadyPorts = (namespace: string, selector: Record<string, string>) => number[];

/**
 * Replaces kube-proxy: the API server calls webhooks and aggregated APIs through this HTTP proxy. It connects the
 * ClusterIP of a Service to a ready pod, which is a process of this machine. It connects a host name to that host.
 */
export class Egress {
  private services: Followed<V1Service> | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private turn = 0;

  constructor(private readonly readyPorts: ReadyPorts) {
    this.server = createServer((_, response) => response.writeHead(405).end());
    this.server.on("connect", ({ url = "" }, client: Socket) => this.pass(url, client));
  }

  /** Starts to listen. @throws when it cannot listen on this socket */
  listen(socket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(socket, resolve);
    });
  }

  /** Starts to watch the Services. */
  follow(cluster: Cluster): void {
    this.services = cluster.follow<V1Service>(
      "/api/v1/services",
      () => cluster.core.listServiceForAllNamespaces(),
      () => undefined,
    );
  }

  /** Closes all connections and the server. */
  async stop(): Promise<void> {
    this.services?.stop();
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    this.server.closeAllConnections();
    await closed;
  }

  /** Connects a client to `address`. When one side closes or fails, the other side closes too. */
  private pass(address: string, client: Socket): void {
    const { hostname, port } = new URL(`http://${address}`);
    // A host name comes from a Service of type ExternalName and points to this machine.
    const isClusterIP = /^[\d.]+$/.test(hostname);
    const target = isClusterIP ? this.portBehind(hostname) : Number(port || 80);
    if (target === undefined) {
      client.end(`HTTP/1.1 503 no ready pod behind ${address}\r\n\r\n`);
      return;
    }
    const upstream = connect({ host: isClusterIP ? "127.0.0.1" : hostname, port: target }, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }

  /** The port of a ready pod behind a ClusterIP, round robin. */
  private portBehind(clusterIP: string): number | undefined {
    const service = this.services?.list().find(({ spec }) => spec?.clusterIP === clusterIP);
    const ports = this.readyPorts(service?.metadata?.namespace ?? "", service?.spec?.selector ?? {});
    return ports[this.turn++ % Math.max(ports.length, 1)];
  }
}

/**
 * Writes the configuration that makes the API server use the proxy on `socket`.
 * @returns the path of the file
 */
export function writeEgressConfig(folder: string, socket: string): string {
  const path = join(folder, "egress.yaml");
  const transport = { uds: { udsName: socket } };
  const cluster = { name: "cluster", connection: { proxyProtocol: "HTTPConnect", transport } };
  const config = { apiVersion: "apiserver.k8s.io/v1beta1", kind: "EgressSelectorConfiguration" };
  writeFileSync(path, stringify({ ...config, egressSelections: [cluster] }));
  return path;
}
