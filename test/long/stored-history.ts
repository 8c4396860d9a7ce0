import { CoarseGrid, slotOf } from "../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../capabilities/mlscaler/history/retention";
import { ConfigMaps, type Owner } from "../../capabilities/mlscaler/memory/config-maps";
import { contentOf, historyName } from "../../capabilities/mlscaler/memory/history-store";
import { api, kube, until } from "../e2e/cluster";
import { dayMilliseconds, loadAt, type Rise } from "../e2e/foreseen";
import { runningPods, system, watcherDeployment } from "../e2e/module";

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
