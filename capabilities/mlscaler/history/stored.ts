import { Api } from "../../common/api";
import { CoarseGrid } from "./coarse";
import { historyName, contentSchema } from "./coarse-store";
import { ConfigMaps } from "./config-maps";
import { fillDays, tailsFrom } from "./segments";
import { stateName, tailsSchema } from "./store";

/**
 * The loads of an MLScaler as they are stored, for who is not to change them: their days, and what came since; each
 * undefined where it is not stored. What cannot be read is a gap.
 * @param ids of the loads (`loadId`)
 * @param now epoch milliseconds
 * Throws ApiError, and ZodError where a ConfigMap is not ours.
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
  const tails = state === undefined ? [] : tailsFrom(tailsSchema.parse(state).data.tails);
  return ids.map((id, index) => {
    const stored = days[index];
    const tail = tails.find(({ of }) => of === id);
    if (stored === undefined && !tail) return undefined;
    const grid = new CoarseGrid();
    if (stored !== undefined) {
      const { data, binaryData } = contentSchema(id).parse(stored);
      fillDays(grid, binaryData, data.version, now);
    }
    if (tail) grid.fill(tail.from, tail.loads, now);
    return grid;
  });
}
