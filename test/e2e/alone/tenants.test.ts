import { createServer, Server, ServerResponse } from "node:http";
import { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import * as measure from "../../long/measure";
import * as cluster from "../cluster";
import { MetricsAdapter } from "../metrics-adapter";
import { system, theWatcher } from "../module";

const { kube, until } = cluster;

const periodSeconds = 5;
const hugeBytes = 100e6;

/** Objects of the tenant whose metrics hang, and of the tenant next to it. */
const hanging = Array.from({ length: 12 }, (_, number) => `slow-${number}`);
const healthy = Array.from({ length: 6 }, (_, number) => `fast-${number}`);

let adapter: MetricsAdapter;
let noisy: string;
let quiet: string;

const byExternal = (name: string, metric = name): object => ({
  target_deployment: name,
  max_replicas: 10,
  sync_period_seconds: periodSeconds,
  metrics: [
    { type: "External", external: { metric: { name: metric }, target: { type: "AverageValue", averageValue: "100" } } },
  ],
  forecast: { model: "off" },
});

async function create(namespace: string, names: string[], specOf: (name: string) => object): Promise<void> {
  const items = names.flatMap(name => [
    cluster.deploymentManifest(name, 1),
    cluster.scalerManifest(name, specOf(name)),
  ]);
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

const scalingActive = (namespace: string, name: string, wanted: string): Promise<true> =>
  until(
    `${name} has ScalingActive ${wanted}`,
    async () => (await cluster.condition(namespace, name, "ScalingActive")) === wanted,
    { seconds: 90, seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status) },
  );

/** The longest time between two syncs of each MLScaler of a namespace since `from`, in seconds, by the log. */
async function longestGaps(namespace: string, from: number): Promise<Map<string, number>> {
  const lines = measure.logLines(await theWatcher(), from).filter(line => line.namespace === namespace && line.name);
  const names = [...new Set(lines.map(({ name = "" }) => name))];
  return new Map(
    names.map(name => {
      const times = [from, ...lines.filter(line => line.name === name).map(({ time }) => time), Date.now()];
      return [name, Math.max(...times.slice(1).map((time, index) => (time - (times[index] ?? time)) / 1000))];
    }),
  );
}

beforeAll(async () => {
  adapter = await MetricsAdapter.start();
  noisy = await cluster.createNamespace("noisy");
  quiet = await cluster.createNamespace("quiet");
});

afterAll(async () => {
  await kube(["delete", "namespace", noisy, quiet, "--timeout=180s"]);
  await adapter.stop();
});

describe("a tenant whose metrics hang", () => {
  it("delays no sync of another namespace, and fails no read of it", async () => {
    for (const name of hanging) {
      adapter.setExternal(noisy, name, { value: "100" });
      adapter.fail(name, "slow");
    }
    for (const name of healthy) adapter.setExternal(quiet, name, { value: "200" });
    await create(quiet, healthy, byExternal);
    for (const name of healthy) await scalingActive(quiet, name, "True/ValidMetricFound");
    await create(noisy, hanging, byExternal);
    for (const name of hanging) await scalingActive(noisy, name, "False/FailedGetExternalMetric");

    const from = Date.now();
    for (const name of healthy) adapter.setExternal(quiet, name, { value: "700" });
    for (const name of healthy) await cluster.untilReplicas(quiet, name, 7, 30);
    await measure.pause(6 * periodSeconds);
    const gaps = await longestGaps(quiet, from);
    expect([...gaps.keys()].sort()).toEqual(healthy);
    // A period, a late start of one second, and the time of a sync and of its line in the log.
    for (const [name, gap] of gaps) expect({ name, gap, late: gap > periodSeconds + 3 }).toMatchObject({ late: false });
    for (const name of healthy)
      expect((await cluster.events(quiet, name)).filter(event => event.startsWith("Warning"))).toEqual([]);
  });
});

describe(`an answer of ${hugeBytes / 1e6} MB`, () => {
  let server: Server;

  /** Streams a JSON answer of `hugeBytes`, as fast as the client reads. */
  function stream(response: ServerResponse): void {
    const piece = `"${"x".repeat(1e6 - 3)}",`;
    let sent = 0;
    const write = (): void => {
      while (sent < hugeBytes && !response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once("drain", write);
      }
      response.end('""]}');
    };
    response.writeHead(200, { "Content-Type": "application/json" });
    response.write('{"status":"success","data":[');
    write();
  }

  beforeAll(async () => {
    server = createServer((_, response) => stream(response));
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    await kube(["delete", "secret", "mlscaler-prometheus", "-n", system, "--ignore-not-found"]);
    await kube([
      ...["create", "secret", "generic", "mlscaler-prometheus", "-n", system],
      `--from-literal=main=${stringify({ url: process.env.MLSCALER_PROMETHEUS })}`,
    ]);
  });

  it("is a condition; the watcher lives on, within its heap, and others are synced on time", async () => {
    const before = await theWatcher();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await kube([
      ...["patch", "secret", "mlscaler-prometheus", "-n", system, "--type", "merge"],
      ...["-p", JSON.stringify({ stringData: { huge: stringify({ url }) } })],
    ]);
    const target = { type: "AverageValue", averageValue: "100" };
    await create(noisy, ["huge"], name => ({
      ...byExternal(name),
      metrics: [{ type: "Prometheus", prometheus: { server: "huge", query: "up", target } }],
    }));
    await until(
      "the size is told",
      async () => {
        const { status } = await cluster.scaler(noisy, "huge");
        return status.conditions?.some(({ type, message }) => type === "ScalingActive" && message.includes("MiB"));
      },
      { seconds: 150, seen: async () => JSON.stringify((await cluster.scaler(noisy, "huge")).status) },
    );
    const from = Date.now();
    await measure.pause(4 * periodSeconds);
    const gaps = await longestGaps(quiet, from);
    expect([...gaps.keys()].sort()).toEqual(healthy);
    for (const [name, gap] of gaps) expect({ name, gap, late: gap > periodSeconds + 3 }).toMatchObject({ late: false });
    const after = await theWatcher();
    expect({ pid: after.pid, restarts: after.restarts }).toEqual({ pid: before.pid, restarts: before.restarts });
  });
});
