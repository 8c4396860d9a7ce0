import { CustomObject } from "../../operator/custom-object";
import { CommonStatus } from "../../definition/resource";
import { CoarseGrid } from "../history/coarse-grid";
import { recorded, Series } from "../history/series";
import { pastOf } from "../metrics/total";
import { LeaderReading } from "../metrics/leading";
import type { TargetLoad } from "../scaling/loads";
import { Backfill } from "./backfill";
import { loadId, Memory, RememberedSpec } from "./memory";

export interface Histories {
  series: Series;
  /** The coarse grid of each load; undefined for a load that is not forecast. */
  grids: ({ id: string; grid: CoarseGrid } | undefined)[];
  leaders: { id: string; grid: CoarseGrid }[];
  backfilled: boolean;
}

type Scaler = Pick<CustomObject<RememberedSpec, CommonStatus>, "key" | "spec" | "now" | "record" | "log" | "turn">;

export class LoadRecorder {
  constructor(readonly backfill: Backfill) {}

  /** Records that the time is now, so that time without loads leaves a gap. */
  async recordTime(scaler: Scaler, { grids }: Memory): Promise<void> {
    for (const grid of grids.values()) await scaler.turn("history", () => grid.record(scaler.now.getTime()));
  }

  /** Records the loads, and adds the past values that Backfill has read, one load a turn. Never throws. */
  async record(
    scaler: Scaler,
    { state, grids }: Memory,
    loads: TargetLoad[],
    leaders: LeaderReading[] = [],
  ): Promise<Histories> {
    const { spec } = scaler;
    const now = scaler.now.getTime();
    const [{ load: first } = {}] = loads;
    const series = spec.line && first !== undefined ? recorded(state.series, now, first) : state.series;
    let backfilled = false;
    const recordedIn = ({ metric, load }: Pick<TargetLoad, "metric" | "load">): Histories["grids"][number] => {
      const id = loadId(spec, metric);
      const grid = grids.get(id);
      if (!grid) return undefined;
      // Bridges the gap of one missed sync. A longer outage leaves a gap.
      grid.record(now, load, 2 * spec.sync_period_seconds * 1000);
      const past = load === undefined ? undefined : pastOf(metric);
      if (past && this.backfill.fill(scaler, past, grid, now)) backfilled = true;
      return { id, grid };
    };
    const recordedInTurn = async (some: Pick<TargetLoad, "metric" | "load">[]): Promise<Histories["grids"]> => {
      const found: Histories["grids"] = [];
      for (const one of some) found.push(await scaler.turn("history", () => recordedIn(one)));
      return found;
    };
    const found = await recordedInTurn(loads);
    const ofLeaders = (await recordedInTurn(leaders)).flatMap(leader => leader ?? []);
    return { series, grids: found, leaders: ofLeaders, backfilled };
  }
}
