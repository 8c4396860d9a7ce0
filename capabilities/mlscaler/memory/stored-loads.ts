import { Api } from "../../kubernetes/api";
import { CoarseGrid } from "../history/coarse-grid";
import { historyName, contentSchema } from "./history-store";
import { ConfigMaps } from "./config-maps";
import { fillDays } from "../history/segments";
import { tailsIn } from "./codec";
import { stateName } from "./store";

/**
 * Reads the stored loads of an MLScaler, without writes: the stored days, and the newer slots of the state. A load that
 * is not stored is undefined. Unreadable days are gaps. Throws ApiError. Throws ZodError when a ConfigMap has another
 * format.
 * @param ids of the loads (`loadId`)
 * @param now epoch milliseconds
 */
export async function storedLoads(
  api: Api,
  uid: string,
  ids: string[],
  now: number,
): Promise<(CoarseGrid | undefined)[]> {
  const configMaps = new ConfigMaps(api);
  const [state, ...days] = await Promise.all(
    [stateName(uid), ...ids.map(id => historyName(uid, id))].map(name => configMaps.find(name)),
  );
  const tails = state === undefined ? [] : tailsIn(state);
  return ids.map((id, index) => {
    const stored = days[index];
    const tail = tails.find(({ of }) => of === id);
    if (stored === undefined && !tail) return undefined;
    const grid = new CoarseGrid();
    if (stored !== undefined) fillDays(grid, contentSchema(id).parse(stored).binaryData, now);
    if (tail) grid.fill(tail.from, tail.loads, now);
    return grid;
  });
}
