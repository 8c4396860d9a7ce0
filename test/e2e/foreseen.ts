import { z } from "zod";
import { CoarseGrid, slotMilliseconds, slotOf } from "../../capabilities/mlscaler/history/coarse";
import { historyName } from "../../capabilities/mlscaler/history/coarse-store";
import { loadId } from "../../capabilities/mlscaler/history/memory";
import { daysOf } from "../../capabilities/mlscaler/history/segments";
import { specSchema } from "../../capabilities/mlscaler/schema";
import * as cluster from "./cluster";
import { runningPods, system, watcherDeployment } from "./module";

const { api, kube, until } = cluster;

const dayMilliseconds = 86_400_000;

/** What of a load each day has been, and is about to be. */
export interface Rise {
  /** Cores, before it and from it on, for an hour. */
  low: number;
  high: number;
  /** Epoch milliseconds: when it comes today, the beginning of a slot of the coarse grid. */
  at: number;
}

/** A rise that comes with the next slot, though not within so many seconds. */
export const nextRise = (low: number, high: number, notWithinSeconds: number): Rise => ({
  ...{ low, high },
  at: (slotOf(Date.now() + notWithinSeconds * 1000) + 1) * slotMilliseconds,
});

/** What scales by the CPU that pods use, 100m each, as an HPA's `metrics`. */
export const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
];

/** An HPA by `metrics`. */
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
 * Applies an MLScaler by `metrics` as if it had seen a rise every day for two weeks: nobody acts until what it would
 * have stored is there.
 */
export async function applyWithHistory(namespace: string, name: string, fields: object, rise: Rise): Promise<void> {
  const spec = { target_deployment: name, metrics, ...fields };
  await kube(["scale", watcherDeployment, "-n", system, "--replicas=0"]);
  await until("no watcher runs", async () => (await runningPods("watcher")).length === 0);
  try {
    await cluster.applyScaler(namespace, name, spec);
    const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`;
    const uid = z.object({ metadata: z.object({ uid: z.string() }) }).parse(await api.get(path)).metadata.uid;
    const [metric] = specSchema.parse({ max_replicas: 1, ...spec }).metrics ?? [];
    if (!metric) throw new Error("the spec has no metrics");
    await store(uid, namespace, name, loadId({ target_deployment: name }, metric), rise);
  } finally {
    await kube(["scale", watcherDeployment, "-n", system, "--replicas=1"]);
  }
}

async function store(uid: string, namespace: string, name: string, of: string, rise: Rise): Promise<void> {
  const grid = new CoarseGrid();
  const now = Date.now();
  const begin = slotOf(now - 14 * dayMilliseconds) * slotMilliseconds;
  const samples = Array.from({ length: Math.floor((now - begin) / slotMilliseconds) + 1 }, (_, slot) => {
    const at = begin + slot * slotMilliseconds;
    return { at, load: loadAt(at, rise) };
  });
  grid.backfill(samples, slotMilliseconds, now);
  await api.create(`/api/v1/namespaces/${system}/configmaps`, {
    metadata: {
      name: historyName(uid, of),
      labels: { "app.kubernetes.io/managed-by": "mlscaler", "mlscaler.example.com/uid": uid },
      annotations: { "mlscaler.example.com/namespace": namespace, "mlscaler.example.com/name": name },
    },
    data: { version: "1", of },
    binaryData: daysOf(grid),
  });
}

/** The load of a day with its rise, and with noise of a tenth that is the same in each run. */
export function loadAt(at: number, { low, high, at: rise }: Rise): number {
  const since = (((at - rise) % dayMilliseconds) + dayMilliseconds) % dayMilliseconds;
  const noise = Math.sin((at / slotMilliseconds) * 12.9898) * 43758.5453;
  return (since < dayMilliseconds / 24 ? high : low) * (0.95 + 0.1 * (noise - Math.floor(noise)));
}
