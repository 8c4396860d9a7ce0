import { expect } from "vitest";
import { z } from "zod";
import { CoarseGrid, slotOf } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { contentOf, historyName } from "../../capabilities/mlscaler/memory/history-store";
import { ConfigMaps, type Owner } from "../../capabilities/mlscaler/memory/config-maps";
import { loadId } from "../../capabilities/mlscaler/memory/memory";
import { specSchema, Status } from "../../capabilities/mlscaler/schema";
import * as cluster from "./cluster";
import { runningPods, system, watcherDeployment } from "./module";

const { api, kube, until } = cluster;

const dayMilliseconds = 86_400_000;

/** A daily load, before and after its rise. */
export interface Rise {
  /** Cores before the rise, and for an hour after it. */
  low: number;
  high: number;
  /** The time of the rise today in epoch milliseconds, at the start of a slot of the coarse grid. */
  at: number;
}

/** A rise at the start of the next slot, but at least `seconds` from now. */
export const nextRise = (low: number, high: number, notWithinSeconds: number): Rise => ({
  ...{ low, high },
  at: (slotOf(Date.now() + notWithinSeconds * 1000) + 1) * slotMilliseconds,
});

/**
 * Waits until an MLScaler whose load needs 3 replicas (4 with noise) is scaled up because of a forecast rise. Returns
 * that status. Throws when another reason raises the count above 4.
 */
export async function untilRaised(namespace: string, name: string, seconds: number, wanted: number): Promise<Status> {
  const statusOf = async (): Promise<Status> => (await cluster.scaler(namespace, name)).status;
  let predicted = false;
  const status = await until(
    `${name} is raised before its load comes`,
    async () => {
      const raised = (await cluster.replicas(namespace, name)) >= wanted;
      const status = await statusOf();
      predicted ||= (status.conditions ?? []).some(({ reason }) => reason === "PredictionBased");
      return raised && predicted && status;
    },
    { seconds, seen: async () => JSON.stringify(await statusOf()) },
  );
  const reasons = (await cluster.events(namespace, name)).flatMap(event => {
    const [, to, reason = ""] = /^Normal SuccessfulRescale \d+ → (\d+): (.*)$/.exec(event) ?? [];
    return Number(to) > 4 ? [reason] : [];
  });
  expect(reasons[0]).toMatch(/^forecast /);
  // An earlier, higher forecast is held, like any recommendation.
  for (const reason of reasons) expect(reason).toMatch(/^(forecast|stabilized over) /);
  return status;
}

/** The `metrics` of an HPA for CPU use with a target of 100m per pod. */
export const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
];

/** An HPA with `metrics`. */
export const hpaManifest = (name: string, max: number): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    ...{ minReplicas: 1, maxReplicas: max, metrics },
  },
});

/**
 * Applies MLScalers with `metrics` on one Deployment as if they had seen a rise every day for two weeks. No watcher
 * runs
 * until their history is stored.
 */
export async function applyWithHistory(
  namespace: string,
  target: string,
  scalers: { name: string; fields: object }[],
  rise: Rise,
): Promise<void> {
  await whileNobodyActs(async () => {
    for (const { name, fields } of scalers) {
      const spec = { target_deployment: target, metrics, ...fields };
      const [metric] = specSchema.parse(spec).metrics ?? [];
      if (!metric) throw new Error("the spec has no metrics");
      await cluster.applyScaler(namespace, name, spec);
      const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`;
      const uid = z.object({ metadata: z.object({ uid: z.string() }) }).parse(await api.get(path)).metadata.uid;
      await storeHistory(
        { uid, namespace, name, target: `Deployment.apps/${target}` },
        loadId(spec, metric),
        gridOf(14, rise),
      );
    }
  });
}

/** Runs `work` while no watcher runs. */
export async function whileNobodyActs(work: () => Promise<void>): Promise<void> {
  await kube(["scale", watcherDeployment, "-n", system, "--replicas=0"]);
  await until("no watcher runs", async () => (await runningPods("watcher")).length === 0);
  try {
    await work();
  } finally {
    await kube(["scale", watcherDeployment, "-n", system, "--replicas=1"]);
  }
}

/** Loads with a daily rise, for a number of days until now. */
export function gridOf(days: number, rise: Rise): CoarseGrid {
  const grid = new CoarseGrid();
  const now = Date.now();
  const begin = slotOf(now - days * dayMilliseconds) * slotMilliseconds;
  const samples = Array.from({ length: Math.floor((now - begin) / slotMilliseconds) + 1 }, (_, slot) => {
    const at = begin + slot * slotMilliseconds;
    return { at, load: loadAt(at, rise) };
  });
  grid.backfill(samples, slotMilliseconds, now);
  return grid;
}

/** Stores the history of an MLScaler for a load (`loadId`). */
export async function storeHistory(owner: Owner, of: string, grid: CoarseGrid): Promise<void> {
  const configMaps = new ConfigMaps(api);
  const name = historyName(owner.uid, of);
  await configMaps.find(name);
  if ((await configMaps.write(name, owner, contentOf(grid, of))) !== "written")
    throw new Error(`the history of ${owner.name} could not be stored`);
}

/** The load of a day with its rise, and with noise of a tenth that is the same in each run. */
export function loadAt(at: number, { low, high, at: rise }: Rise): number {
  const since = (((at - rise) % dayMilliseconds) + dayMilliseconds) % dayMilliseconds;
  const noise = Math.sin((at / slotMilliseconds) * 12.9898) * 43758.5453;
  return (since < dayMilliseconds / 24 ? high : low) * (0.95 + 0.1 * (noise - Math.floor(noise)));
}
