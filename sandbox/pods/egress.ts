import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { connect, type Socket } from "node:net";
import type { Pki } from "../pki";

/**
 * Replaces kube-proxy: the API server calls webhooks and aggregated APIs through this HTTP proxy. It connects an IP
 * address to the port of a pod behind it, and any other name to this machine.
 * @param portBehind the port of a ready pod behind a ClusterIP; undefined when there is none
 */
export function createEgress({ ca, cert, key }: Pki, portBehind: (clusterIP: string) => number | undefined): Server {
  const [certificate, privateKey, authority] = [cert, key, ca].map(path => readFileSync(path));
  const identity = { cert: certificate, key: privateKey, ca: authority, requestCert: true };
  const server = createServer(identity, (_, response) => response.end());
  server.on("connect", ({ url = "" }, client: Socket) => {
    const { hostname, port } = new URL(`http://${url}`);
    // A host name comes from a Service of type ExternalName.
    const target = /^[\d.]+$/.test(hostname) ? portBehind(hostname) : Number(port || 80);
    if (target === undefined) return void client.end(`HTTP/1.1 503 no ready pod behind ${url}\r\n\r\n`);
    const upstream = connect({ host: "127.0.0.1", port: target }, () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.setNoDelay(true);
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    }
  });
  return server;
}
