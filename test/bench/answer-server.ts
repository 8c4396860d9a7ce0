import https from "node:https";
import { AddressInfo } from "node:net";
import { z } from "zod";

const pemSchema = z.object({ cert: z.string(), key: z.string() });

const now = Date.now() / 1000;

/** `item(n)` for as many n as `bytes` of JSON have room for. */
function items(bytes: number, item: (n: number) => unknown): unknown[] {
  const size = JSON.stringify(item(100_000)).length + 1;
  return Array.from({ length: Math.floor((bytes - 1000) / size) }, (_, n) => item(n));
}

const list = (kind: string, all: unknown[]): object => ({ kind, metadata: { resourceVersion: "1" }, items: all });
const matrix = (values: unknown[]): object => ({ resultType: "matrix", result: [{ metric: {}, values }] });

const pod = (n: number): object => ({
  metadata: { name: `web-${n}`, namespace: "shop", uid: `uid-${n}`, resourceVersion: "1", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "nginx:1.27", resources: { requests: { cpu: "100m" } } }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
});

const podUsage = (n: number): object => ({
  metadata: { name: `web-${n}`, namespace: "shop" },
  ...{ timestamp: new Date().toISOString(), window: "15s" },
  containers: [{ name: "web", usage: { cpu: "123456789n", memory: "12345Ki" } }],
});

/** The bodies by the beginning of a path. */
const bodies: [path: string, body: string][] = [
  ["/pods", JSON.stringify(list("PodList", items(16 << 20, pod)))],
  ["/usage", JSON.stringify(list("PodMetricsList", items(16 << 20, podUsage)))],
  ["/object", JSON.stringify(list("PodList", items(2 << 20, pod)))],
  ["/failure", "<html>".padEnd(16 << 20, "x")],
  [
    "/api/v1/query_range",
    JSON.stringify({ status: "success", data: matrix(items(1 << 20, n => [now + n, "123.45678901"])) }),
  ],
];

/**
 * Serves answers of a size by path, in a process of its own: the time to send them is not that of the benchmark. Takes
 * the certificate from its parent, and sends the port.
 */
process.once("message", pem => {
  const server = https.createServer(pemSchema.parse(pem), (request, response) => {
    const body = bodies.find(([path]) => request.url?.startsWith(path))?.[1];
    if (body !== undefined) {
      response.writeHead(request.url === "/failure" ? 500 : 200, { "Content-Type": "application/json" }).end(body);
      return;
    }
    // The Secret with the Prometheus server, which is this one.
    const entry = JSON.stringify({ url: `https://127.0.0.1:${portOf(server)}`, insecure_skip_verify: true });
    const secret = { data: { main: Buffer.from(entry).toString("base64") } };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(secret));
  });
  server.listen(0, "127.0.0.1", () => process.send?.(portOf(server)));
});

const portOf = (server: https.Server): number => (server.address() as AddressInfo).port;
