import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { shardOf } from "../../../capabilities/kubernetes/namespaces";
import { series, value } from "../../prometheus";
import * as cluster from "../cluster";
import { metrics, rollOut, runningPods, setVariables, system, theWatcher, watcherDeployment } from "../module";

const { kube, until } = cluster;

const total = 4;
/** A load may be missing for three periods, so that a handover of 90 s leaves no gap. */
const period = { sync_period_seconds: 30, history_size: 20 };
const spec = { target_deployment: "web", ...cluster.shortForm, ...period, min_replicas: 2 };

let namespaces: string[] = [];

const leasesSchema = z.object({
  items: z.array(
    z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ holderIdentity: z.string() }) }),
  ),
});

/** The pod that holds each Lease of the module; "" for one that nobody holds. */
async function holders(): Promise<Map<string, string>> {
  const { items } = leasesSchema.parse(JSON.parse(await kube(["get", "leases", "-n", system, "-o", "json"])));
  return new Map(
    items.map(({ metadata: { name }, spec: { holderIdentity } }) => [name, holderIdentity.split("_")[0] ?? ""]),
  );
}

/** The pod that holds the Lease of each shard. */
async function holdersOfShards(): Promise<string[]> {
  const all = await holders();
  return Array.from({ length: total }, (_, shard) => all.get(`mlscaler-shard-${shard}`) ?? "");
}

const setWatchers = async (replicas: number): Promise<void> => {
  await kube(["scale", watcherDeployment, "-n", system, `--replicas=${replicas}`]);
  await rollOut(watcherDeployment);
};

/** Waits until each running watcher holds as many shards as the others. */
const untilShared = (): Promise<true> =>
  until("the shards are shared out", async () => {
    const running = await runningPods("watcher");
    const shards = await holdersOfShards();
    return running.every(({ name }) => shards.filter(holder => holder === name).length === total / running.length);
  });

/** The pods that have the series of each namespace's MLScaler. */
async function told(): Promise<Map<string, string[]>> {
  const found = new Map(namespaces.map(namespace => [namespace, [] as string[]]));
  for (const { name, port } of await runningPods("watcher"))
    for (const { labels } of series(await metrics(port), "mlscaler_ready"))
      found.get(labels.namespace ?? "")?.push(name);
  return found;
}

/** Waits until the holder of each namespace's shard, and nobody else, has the series of its MLScaler. */
const untilTold = (): Promise<true> =>
  until(
    "each MLScaler is synced by the holder of its shard alone",
    async () => {
      const shards = await holdersOfShards();
      const exposed = await told();
      return namespaces.every(namespace => {
        const holder = shards[shardOf(namespace, total)];
        return holder !== "" && exposed.get(namespace)?.join() === holder;
      });
    },
    { seen: async () => JSON.stringify([...(await told())]) },
  );

/** Changes min_replicas of each MLScaler and waits until all targets follow. */
async function scaleAll(replicas: number): Promise<void> {
  for (const namespace of namespaces) await cluster.patchScaler(namespace, "web", { min_replicas: replicas });
  for (const namespace of namespaces) await cluster.untilReplicas(namespace, "web", replicas);
}

async function samples(): Promise<number[]> {
  const statuses = await Promise.all(namespaces.map(namespace => cluster.scaler(namespace, "web")));
  return statuses.map(({ status }) => status.forecast?.samples ?? 0);
}

beforeAll(async () => {
  const suffix = Date.now().toString(36);
  // One namespace in each shard.
  for (let number = 0; namespaces.length < total; number++) {
    const name = `shards-${suffix}-${number}`;
    if (shardOf(name, total) === namespaces.length) namespaces.push(name);
  }
  for (const namespace of namespaces) {
    await kube(["create", "namespace", namespace]);
    await cluster.createDeployment(namespace, "web", 1);
    await cluster.applyScaler(namespace, "web", spec);
  }
  for (const namespace of namespaces) await cluster.untilReplicas(namespace, "web", 2);
  await until("each has a sample", async () => (await samples()).every(count => count > 0));
});

afterAll(async () => {
  await setWatchers(1);
  await setVariables([watcherDeployment], "MLSCALER_SHARDS-");
  await kube(["delete", "namespace", ...namespaces, "--timeout=15m"]);
  namespaces = [];
});

describe("shards", () => {
  it("take over from a watcher without shards, and what it stored stays", async () => {
    const before = await samples();
    await setVariables([watcherDeployment], `MLSCALER_SHARDS=${total}`);
    await untilShared();
    expect((await holders()).get("mlscaler")).toBe(`watchers of ${total} shards`);
    await untilTold();
    const text = await metrics((await theWatcher()).port);
    expect([value(text, "mlscaler_shards"), value(text, "mlscaler_shards_held")]).toEqual([total, total]);
    const after = await samples();
    after.forEach((count, place) => expect(count).toBeGreaterThanOrEqual(before[place] ?? NaN));
    await scaleAll(3);
  });

  it("are shared out to a second watcher, and each MLScaler is synced by one of the two", async () => {
    await setWatchers(2);
    await untilShared();
    await untilTold();
    expect(new Set([...(await told()).values()].flat()).size).toBe(2);
    await scaleAll(4);
  });

  it("of a watcher that is deleted go to the other one, and come back to the next", async () => {
    const [gone] = await runningPods("watcher");
    await kube(["delete", "pod", gone?.name ?? "", "-n", system]);
    await until("no shard is without a watcher", async () => {
      const shards = await holdersOfShards();
      return shards.every(holder => holder !== "" && holder !== gone?.name);
    });
    await scaleAll(5);
    await untilShared();
    await untilTold();
  });
});
