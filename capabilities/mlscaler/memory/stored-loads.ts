import { Api } from "../../kubernetes/api";
import { CoarseGrid } from "../history/coarse-grid";
import { historyName, contentSchema } from "./history-store";
import { ConfigMaps } from "./config-maps";
import { fillDays } from "../history/segments";
import { tailsIn } from "./codec";
import { stateName } from "./store";

/**
 * Reads the loads (`loadId`) that are stored of an MLScaler; unreadable days are gaps. Throws ApiError, ZodError.
 * @param namespace that of the module; by default that of this process
 */
export async function storedLoads(
  api: Api,
  uid: string,
  ids: string[],
  now: number,
  namespace?: string,
): Promise<(CoarseGrid | undefined)[]> {
  const configMaps = new ConfigMaps(api, namespace);
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
