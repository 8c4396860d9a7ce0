import { setImmediate as turn } from "node:timers/promises";
import { metadataSchema } from "../../../../capabilities/kubernetes/metadata";
import { slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { remember } from "../../../../capabilities/mlscaler/memory/memory";
import { Store } from "../../../../capabilities/mlscaler/memory/store";
import { mlscaler, specSchema } from "../../../../capabilities/mlscaler/schema";
import { FakeCluster } from "../../fake-cluster";
import { inTurn } from "../../context";

/** A load at a time (epoch milliseconds). */
export type LoadAt = (at: number) => number;

const daySlots = 288;

/** Stores the loads of an MLScaler, in the order of its metrics, for so many days until now. */
export async function storeHistory(cluster: FakeCluster, key: string, days: number, loads: LoadAt[]): Promise<void> {
  const { metadata, spec } = cluster.stored(key);
  const store = new Store(
    { api: cluster.api, holdsAnyLease: () => true, holdsLease: () => true, term: () => 1 },
    mlscaler,
  );
  const now = new Date();
  const read = { metadata: metadataSchema.parse(metadata), spec: specSchema.parse(spec), status: {} };
  const scaler = { key, ...read, record: ignored, turn: inTurn, now };
  const memory = await store.memoryOf(scaler);
  [...memory.grids.values()].forEach((grid, which) => {
    const samples = Array.from({ length: days * daySlots }, (_, slot) => {
      const at = now.getTime() - (slot + 1) * slotMilliseconds;
      return { at, load: loads[which]?.(at) ?? NaN };
    });
    grid.backfill(samples, slotMilliseconds, now.getTime());
  });
  const replicas = cluster.deployments.get("web")?.replicas ?? 0;
  const nothing = { ableToScale: "ReadyForNewScale", scalingLimited: "DesiredWithinRange", paused: false } as const;
  const decision = { ...nothing, final: replicas, basis: "NoMetrics" } as const;
  const { state } = memory;
  const plan = { decision, past: state, failedSyncs: 0 };
  const decided = { current: replicas, scaled: false };
  const synced = remember(memory, { now: now.getTime(), series: state.series, revision: {}, plan, decided });
  await store.keep(key, synced, now);
}

/** Lets histories be replayed that wait for it. */
export async function replayed(): Promise<void> {
  for (let turns = 0; turns < 2000; turns++) await turn();
}

const ignored = (): Promise<void> => Promise.resolve();

const minute = 60_000;

/** 400, by a quarter more and less over the day, and 300 more from 00:30 to 02:30; with a hundredth of noise. */
export const daily: LoadAt = at => {
  const time = at % (1440 * minute);
  const rise = time >= 30 * minute && time < 150 * minute ? 300 : 0;
  return 400 + 100 * Math.sin((2 * Math.PI * time) / (1440 * minute)) + rise + 10 * noise(at);
};

/** Noise of one slot, from 0 to 1, that is the same at every run: the fraction of a large sine. */
export function noise(at: number, seed = 1): number {
  const large = Math.sin(Math.floor(at / slotMilliseconds) * 12.9898 + seed * 78.233) * 43_758.5453;
  return large - Math.floor(large);
}
