import type { Api } from "../../../capabilities/kubernetes/api";
import { CoarseGrid } from "../../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../../capabilities/mlscaler/history/retention";
import { encodeState } from "../../../capabilities/mlscaler/memory/codec";
import { ConfigMaps } from "../../../capabilities/mlscaler/memory/config-maps";
import { contentOf, historyName } from "../../../capabilities/mlscaler/memory/history-store";
import { forecastLoads, loadId, memoryOf, targetText } from "../../../capabilities/mlscaler/memory/memory";
import { stateName } from "../../../capabilities/mlscaler/memory/store";
import { specSchema } from "../../../capabilities/mlscaler/schema";
import { Clock, epoch } from "../clock";
import { kindOf } from "../kinds";
import { Fields, Stored } from "../objects";
import { Store } from "../store";
import { History, loadAt, Wave } from "./scenario";

const scrapeMilliseconds = 15_000;

/** The days of a wave before a time of the cluster (epoch milliseconds), as the module records them. */
function gridOf(wave: Wave, days: number, now: number): CoarseGrid {
  const grid = new CoarseGrid();
  const samples = Math.round((days * 86_400_000) / scrapeMilliseconds);
  for (let index = samples; index > 0; index--) {
    const at = now - index * scrapeMilliseconds;
    grid.record(at, loadAt(wave, (at - epoch) / 1000, Infinity), 2 * scrapeMilliseconds);
  }
  grid.record(now);
  return grid;
}

/**
 * Stores the history of an MLScaler, as an earlier process has written it by its own codec: the days of its load, and a
 * state without decisions.
 */
export async function storeHistory(
  store: Store,
  scaler: Stored,
  { wave, days, metrics }: History,
  clock: Clock,
): Promise<void> {
  const { uid, namespace, name } = scaler.metadata;
  const spec = specSchema.parse({ ...(metrics && { metrics }), ...(scaler.spec as Fields) });
  const [load] = forecastLoads(spec);
  if (load === undefined) throw new RangeError(`MLScaler ${namespace}/${name} forecasts no load`);
  const of = loadId(spec, load);
  const create = (_path: string, body: Fields): Promise<unknown> =>
    Promise.resolve(store.create(kindOf("ConfigMap"), "pepr-system", body, { manager: "mlscaler" }));
  const configMaps = new ConfigMaps({ create } as unknown as Api);
  const owner = { uid, namespace, name, target: targetText(spec) };
  const grid = gridOf(wave, days, clock.wall - (clock.wall % slotMilliseconds));
  const { state } = memoryOf(undefined, `${namespace}/${name}`, uid, spec);
  const text = encodeState(state, clock.wall - 1000, 0);
  for (const [configMap, content] of [
    [historyName(uid, of), contentOf(grid, of)],
    [stateName(uid), { data: { state: text } }],
  ] as const) {
    const written = await configMaps.write(configMap, owner, content);
    if (written !== "written") throw new Error(`the history ${configMap} was not stored: ${written}`);
  }
}
