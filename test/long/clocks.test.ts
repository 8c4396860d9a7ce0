import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "../e2e/cluster";
import { system, watcherDeployment } from "../e2e/module";
import { PrometheusLoad } from "../e2e/prometheus";
import * as measure from "./measure";

const { kube, until } = cluster;

/** Debian's package libfaketime, for this processor. */
const library = ["x86_64", "aarch64"]
  .map(processor => `/usr/lib/${processor}-linux-gnu/faketime/libfaketime.so.1`)
  .find(existsSync);
if (!library) console.log("figure: clock steps: skipped, the package libfaketime is not installed");

const hourSeconds = 3600;
/** Seconds that a wrong clock is watched. Both MLScalers are synced every 5 s. */
const watchedSeconds = 60;
const names = ["cores", "query"];

let folder: string;
let namespace: string;
let traffic: cluster.Load;
let prometheus: PrometheusLoad;

/** Sets the clock of the watcher, in seconds ahead of the right time. */
const setClock = (seconds: number): void =>
  writeFileSync(join(folder, "clock"), `${seconds < 0 ? "" : "+"}${seconds}\n`);

async function setLoad(replicas: number): Promise<void> {
  traffic.cores = replicas / 10 - 0.05;
  prometheus.set(`load{app="${namespace}"}`, 100 * replicas - 10);
  await traffic.settled();
}

async function untilAllAt(replicas: number): Promise<void> {
  for (const name of names) await cluster.untilReplicas(namespace, name, replicas, 90);
}

const untilSkewed = (name: string, status: string | undefined): Promise<true> =>
  until(
    `${name} has ClockSkewed ${status}`,
    async () => (await cluster.condition(namespace, name, "ClockSkewed")) === status,
    { seconds: 90, seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status) },
  );

describe.skipIf(!library)("a clock of the watcher that steps by an hour", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mlscaler-clocks-"));
    setClock(0);
    namespace = await cluster.createNamespace("clocks");
    prometheus = await PrometheusLoad.start();
    for (const name of names) await cluster.createDeployment(namespace, name, 1);
    traffic = new cluster.Load(namespace, "cores", 0.55);
    await kube([
      ...["set", "env", watcherDeployment, "-n", system, `LD_PRELOAD=${library}`],
      ...[`FAKETIME_TIMESTAMP_FILE=${join(folder, "clock")}`, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1"],
    ]);
    await kube(["rollout", "status", watcherDeployment, "-n", system, "--timeout=120s"]);
    await measure.untilItActs();
    const window = { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } }, forecast: { model: "off" } };
    await cluster.applyScaler(namespace, "cores", { target_deployment: "cores", ...cluster.shortForm, ...window });
    const target = { type: "AverageValue", averageValue: "100" };
    const metrics = [{ type: "Prometheus", prometheus: { query: `sum(load{app="${namespace}"})`, target } }];
    const spec = { target_deployment: "query", max_replicas: 20, sync_period_seconds: 5, metrics, ...window };
    await cluster.applyScaler(namespace, "query", spec);
    await setLoad(6);
    await untilAllAt(6);
  });

  afterAll(async () => {
    await kube([
      ...["set", "env", watcherDeployment, "-n", system, "LD_PRELOAD-", "FAKETIME_TIMESTAMP_FILE-"],
      ...["FAKETIME_NO_CACHE-", "FAKETIME_DONT_FAKE_MONOTONIC-"],
    ]);
    await kube(["rollout", "status", watcherDeployment, "-n", system, "--timeout=120s"]);
    await traffic.stop();
    prometheus.stop();
    await kube(["delete", "namespace", namespace, "--timeout=90s"]);
    rmSync(folder, { recursive: true });
  });

  it.each([-hourSeconds, hourSeconds])("%d s: is told, lowers nothing, and scales up", async seconds => {
    setClock(seconds);
    for (const name of names) await untilSkewed(name, "True/ClockSkewed");
    const counts = await measure.sampled(watchedSeconds, 1, () =>
      Promise.all(names.map(name => cluster.replicas(namespace, name))),
    );
    expect(Math.min(...counts.flat())).toBe(6);
    await setLoad(8);
    await untilAllAt(8);
    setClock(0);
    for (const name of names) await untilSkewed(name, undefined);
    await setLoad(6);
    await untilAllAt(6);
  });
});
