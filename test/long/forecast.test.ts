import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "../e2e/cluster";
import { applyWithHistory, hpaManifest, nextRise, Rise } from "../e2e/foreseen";
import { listPods, stays } from "../../capabilities/mlscaler/pods";

const { api, kube, until } = cluster;

/** How long a pod takes from its creation until it is Ready. */
const startUpSeconds = 40;
const wanted = 9;
const sides = ["web", "late"] as const;

let namespace: string;
let loads: cluster.Load[];
let rise: Rise;

const readyPods = async (name: string): Promise<number> =>
  (await listPods(api, namespace, `app=${name}`)).filter(pod => stays(pod) && pod.ready?.status).length;

beforeAll(async () => {
  namespace = await cluster.createNamespace("foreseen");
  const annotations = { "pod-ready.stage.kwok.x-k8s.io/delay": `${startUpSeconds}s` };
  const template = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
  for (const name of sides) {
    await cluster.createDeployment(namespace, name, 3);
    await kube(["patch", "deployment", name, "-n", namespace, "-p", template]);
    await kube(["rollout", "status", "deployment", name, "-n", namespace, "--timeout=300s"]);
  }
  loads = sides.map(name => new cluster.Load(namespace, name, 0.3));
  for (const load of loads) await load.settled();
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpaManifest("late", 20)));
  // Time enough for the module to begin anew, and for pods to start.
  rise = nextRise(0.3, 0.9, 150);
  await applyWithHistory(namespace, "web", { max_replicas: 20, forecast: { max_extra_percent: 300 } }, rise);
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  await kube(["delete", "namespace", namespace, "--timeout=60s"]);
});

describe(`a daily rise from 3 to ${wanted} replicas, with pods that take ${startUpSeconds} s to start`, () => {
  it("finds the replicas of an MLScaler Ready when it comes, and those of an HPA late", async () => {
    await delay(Math.max(0, rise.at - Date.now()));
    const atRise = { web: await readyPods("web"), late: await readyPods("late") };
    for (const load of loads) load.cores = rise.high;
    expect(atRise).toEqual({ web: expect.any(Number) as number, late: 3 });
    expect(atRise.web).toBeGreaterThanOrEqual(wanted);
    await until(`the HPA has ${wanted} Ready`, async () => (await readyPods("late")) >= wanted, { seconds: 300 });
    const lateSeconds = (Date.now() - rise.at) / 1000;
    console.log(`MLScaler: ${atRise.web} Ready at the rise; HPA: ${wanted} Ready ${lateSeconds.toFixed(0)} s after it`);
    expect(lateSeconds).toBeGreaterThan(startUpSeconds);
    expect(await readyPods("web")).toBeGreaterThanOrEqual(wanted);
  });
});
